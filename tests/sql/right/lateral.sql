CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE TABLE houses (plug INT, owner STRING, tags ARRAY<STRING>) USING parquet;

CREATE CONTINUOUS QUERY q1 AS
SELECT p.plug, h.owner FROM plugs AS p, LATERAL (SELECT owner FROM houses WHERE houses.plug = p.plug) AS h;

CREATE CONTINUOUS QUERY q2 AS
SELECT p.plug, h.owner FROM plugs AS p LEFT JOIN LATERAL (SELECT owner FROM houses WHERE houses.plug = p.plug) AS h ON h.owner <> p.name;
