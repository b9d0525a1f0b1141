-- The three queries by which "Enhanced stream processing in a DBMS kernel" measures incremental windows.
-- Windows count rows; v1, the constant of the paper's filters, is 80 here.

CREATE STREAM stream (x1 INT, x2 INT) WITH (format = 'parquet', path = 'data/stream');
CREATE STREAM stream1 (x1 INT, x2 INT) WITH (format = 'parquet', path = 'data/stream1');
CREATE STREAM stream2 (x1 INT, x2 INT) WITH (format = 'parquet', path = 'data/stream2');

-- One stream: selection, grouping, aggregation.
CREATE CONTINUOUS QUERY q1 AS
SELECT x1, sum(x2) AS total
FROM stream [ROWS 10240000 SLIDE 20000]
WHERE x1 > 80
GROUP BY x1;

-- Two streams: join and aggregation.
CREATE CONTINUOUS QUERY q2 AS
SELECT max(s1.x1) AS top, avg(s2.x1) AS mean
FROM stream1 [ROWS 102400 SLIDE 1600] AS s1, stream2 [ROWS 102400 SLIDE 1600] AS s2
WHERE s1.x2 = s2.x2;

-- A landmark window: everything since the start.
CREATE CONTINUOUS QUERY q3 AS
SELECT max(x1) AS top, sum(x2) AS total
FROM stream [LANDMARK SLIDE 20000 ROWS]
WHERE x1 > 80;
