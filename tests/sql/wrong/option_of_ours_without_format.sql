CREATE STREAM s (ts TIMESTAMP, a INT) WITH ('datacell.rat' = '100');
