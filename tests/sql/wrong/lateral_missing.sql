CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE TABLE houses (plug INT, owner STRING) USING parquet;
CREATE CONTINUOUS QUERY q AS
SELECT h.owner FROM plugs AS p JOIN (SELECT owner FROM houses WHERE plug = p.plug) AS h;
