CREATE STREAM s (a INT) WITH (format = 'json', 'pth' = 'in');
SELECT a FROM s;
