CREATE STREAM s (ts TIMESTAMP, a INT)
WITH (format = 'csv', path = 'x', 'datacell.kepp' = '1 hour');
