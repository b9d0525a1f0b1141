CREATE STREAM s (a INT) WITH (format = 'csv', path = 'a', path = 'b');
