CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE TABLE houses (flat INT, owner STRING, tags ARRAY<STRING>) USING parquet;

CREATE CONTINUOUS QUERY q1 AS
SELECT tags[0] AS a, h.tags[1] AS b FROM plugs, houses AS h WHERE tags[0] = 'x';

CREATE CONTINUOUS QUERY q2 AS
SELECT count(*) OVER w AS n FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE] AS p, houses WINDOW w AS (PARTITION BY tags[0]);

CREATE CONTINUOUS QUERY q3 AS
SELECT x.a FROM plugs, (SELECT tags[0] AS a FROM houses) AS x;

CREATE CONTINUOUS QUERY q4 AS
SELECT v.a FROM plugs, (VALUES (array(1, 2)[0])) AS v (a);

CREATE CONTINUOUS QUERY q5 AS
SELECT plug FROM plugs AS p JOIN houses AS h ON p.name = h.tags[0];
