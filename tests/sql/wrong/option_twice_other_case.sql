CREATE STREAM s (a INT) WITH (format = 'csv', Path = 'a', path = 'b');
