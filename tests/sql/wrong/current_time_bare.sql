CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE CONTINUOUS QUERY q AS
SELECT plug FROM plugs WHERE ts > current_timestamp;
