CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE TABLE houses (plug INT, owner STRING, tags ARRAY<STRING>) USING parquet;

CREATE CONTINUOUS QUERY q1 AS
SELECT transform(tags, t -> upper(t)) AS loud, filter(tags, (t, i) -> i > 0) AS rest FROM houses, plugs;

CREATE CONTINUOUS QUERY q2 AS
SELECT aggregate(array(1, 2, plug), 0, (total, x) -> total + x) AS total FROM plugs;

CREATE CONTINUOUS QUERY q3 AS
SELECT transform(array(1, 2), x -> transform(array(3), y -> x + y + plug)) AS nested FROM plugs;

CREATE CONTINUOUS QUERY q4 AS
SELECT exists(array(plug), x -> x > 3) AS some, zip_with(array(1), array(2), (x, y) -> x * y) AS products FROM plugs;
