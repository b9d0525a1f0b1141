CREATE STREAM s (a INT) WITH (path = 'data');
