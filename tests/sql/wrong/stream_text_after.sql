CREATE STREAM s (a INT) WITH (format = 'csv') PARTITIONED BY (a);
