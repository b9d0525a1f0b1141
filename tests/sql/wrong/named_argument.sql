CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE CONTINUOUS QUERY q AS
SELECT round(value, scale => 1) AS r FROM plugs;
