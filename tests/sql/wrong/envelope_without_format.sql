CREATE STREAM s (ts TIMESTAMP, a INT) WITH ('datacell.envelope' = 'debezium');
