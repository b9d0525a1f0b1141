CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE TABLE houses (plug INT, owner STRING) USING parquet;
CREATE CONTINUOUS QUERY q AS
SELECT owner FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE] AS p JOIN houses AS h ON p.plug = (SELECT max(plug) FROM houses);
