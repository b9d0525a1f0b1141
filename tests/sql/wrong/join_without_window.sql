CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE CONTINUOUS QUERY q AS
SELECT a.plug FROM plugs AS a JOIN plugs AS b ON a.plug = b.plug;
