CREATE STREAM s (a INT) WITH (format = csv);
