CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);

CREATE CONTINUOUS QUERY q1 AS
SELECT value * 2 AS twice, twice + 1 AS more, more * twice AS product FROM plugs;

CREATE CONTINUOUS QUERY q2 AS
SELECT plug, max(value) AS top, top * 2 AS twice FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE] GROUP BY plug;

CREATE CONTINUOUS QUERY q3 AS
SELECT value AS plug, plug AS kept FROM plugs;

CREATE CONTINUOUS QUERY q4 AS
SELECT value + 1 AS more, -more AS less, more IN (1, 2) AS few, NOT (more > 1) AS small FROM plugs WHERE (plug = 1 OR plug = 2) IN (SELECT true);

CREATE CONTINUOUS QUERY q5 AS
SELECT 2 * window_start AS twice FROM plugs [ROWS 10 SLIDE 5];
