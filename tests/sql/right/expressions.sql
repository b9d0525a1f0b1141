CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);

CREATE CONTINUOUS QUERY q1 AS
SELECT CASE WHEN value > 10 THEN 'high' WHEN value > 5 THEN 'middle' ELSE 'low' END AS level, CASE plug WHEN 1 THEN 'one' END AS word FROM plugs;

CREATE CONTINUOUS QUERY q2 AS
SELECT coalesce(name, 'none') AS name, if(plug > 1, 1, 0) AS flag, nullif(plug, 0) AS n, value IS NULL AS missing FROM plugs;

CREATE CONTINUOUS QUERY q3 AS
SELECT plug FROM plugs WHERE value BETWEEN 1 AND 10 AND name LIKE 'k%' AND name NOT IN ('a', 'b') AND NOT (plug <=> NULL);

CREATE CONTINUOUS QUERY q4 AS
SELECT name RLIKE '^k' AS r, name ILIKE '%K' AS i FROM plugs;

CREATE CONTINUOUS QUERY q5 AS
SELECT CAST(value AS INT) AS i, value::STRING AS s, TRY_CAST(name AS DOUBLE) AS d, plug / 2 AS half, plug DIV 2 AS whole, plug % 2 AS rest FROM plugs;

CREATE CONTINUOUS QUERY q6 AS
SELECT ts + INTERVAL 1 HOUR AS later, ts - ts AS none, date_trunc('HOUR', ts) AS hour, extract(MINUTE FROM ts) AS minute, DATE '2026-01-31' AS day FROM plugs;

CREATE CONTINUOUS QUERY q7 AS
SELECT plug FROM plugs WHERE ts > '2026-01-31' AND name = 5;

CREATE CONTINUOUS QUERY q8 AS
SELECT -plug AS minus, +plug AS plus, ~plug AS bits, plug & 3 | 4 AS mixed, name || '!' AS loud FROM plugs;

CREATE CONTINUOUS QUERY q9 AS
SELECT 1e3 AS thousand, 1.50BD AS dec, 7L AS long, 2S AS short, 'it''s' AS quoted, "double" AS also, r'\d' AS raw, X'0a' AS bytes FROM plugs;
