CREATE STREAM stream (date DATE, timestamp TIMESTAMP, value INT, rows INT, range INT, window INT, slide INT, query INT);
CREATE CONTINUOUS QUERY query AS SELECT date, timestamp, value, rows, range, window, slide, query FROM stream [ROWS 3] AS now;
