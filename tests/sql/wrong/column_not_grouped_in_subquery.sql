CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE TABLE houses (plug INT, owner STRING) USING parquet;
CREATE CONTINUOUS QUERY q AS
SELECT p.plug, (SELECT max(h.owner) FROM houses AS h WHERE h.plug = p.id) AS o
FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE] AS p GROUP BY p.plug;
