CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE TABLE houses (plug INT, owner STRING) USING parquet;
CREATE CONTINUOUS QUERY q AS
SELECT plug FROM plugs WHERE plug IN (SELECT plug, owner FROM houses);
