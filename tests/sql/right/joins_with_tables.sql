CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE TABLE houses (plug INT, owner STRING, tags ARRAY<STRING>) USING parquet;

CREATE CONTINUOUS QUERY q1 AS
SELECT p.plug, h.owner FROM plugs AS p JOIN houses AS h ON p.plug = h.plug WHERE p.value > 10;

CREATE CONTINUOUS QUERY q2 AS
SELECT p.plug, h.owner FROM houses AS h JOIN plugs AS p ON p.plug = h.plug;

CREATE CONTINUOUS QUERY q3 AS
SELECT p.plug, h.owner FROM plugs AS p LEFT JOIN houses AS h ON p.plug = h.plug;

CREATE CONTINUOUS QUERY q4 AS
SELECT p.plug, h.owner FROM houses AS h RIGHT JOIN plugs AS p ON p.plug = h.plug;

CREATE CONTINUOUS QUERY q5 AS
SELECT h.owner, p.value FROM houses AS h LEFT JOIN plugs [RANGE 5 MINUTES SLIDE 1 MINUTE] AS p ON p.plug = h.plug;

CREATE CONTINUOUS QUERY q6 AS
SELECT owner FROM plugs LEFT JOIN houses;
