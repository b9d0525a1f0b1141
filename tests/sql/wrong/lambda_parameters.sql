CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE CONTINUOUS QUERY q AS
SELECT transform(array(1), (a, b, c) -> a) AS f FROM plugs;
