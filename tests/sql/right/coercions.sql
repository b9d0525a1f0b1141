CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);
CREATE TABLE texts (plug STRING) USING parquet;

CREATE CONTINUOUS QUERY q1 AS
SELECT plug FROM plugs WHERE plug = '1' AND ts >= DATE '2026-01-31' AND value IN (1, 2.5, '3');

CREATE CONTINUOUS QUERY q2 AS
SELECT plugs.plug FROM plugs JOIN texts ON plugs.plug = texts.plug;

CREATE CONTINUOUS QUERY q3 AS
SELECT plug FROM plugs JOIN texts USING (plug);

CREATE CONTINUOUS QUERY q4 AS
SELECT plug FROM plugs WHERE plug IN (SELECT plug FROM texts);

CREATE CONTINUOUS QUERY q5 AS
SELECT coalesce(plug, 1.5) AS n, CASE WHEN value > 1 THEN plug ELSE value END AS c FROM plugs;
