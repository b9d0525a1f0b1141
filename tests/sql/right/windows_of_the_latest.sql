CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, op STRING, WATERMARK FOR ts AS ts);

CREATE CONTINUOUS QUERY q1 AS
SELECT plug, value FROM plugs [LATEST BY plug];

CREATE CONTINUOUS QUERY q2 AS
SELECT count(*) AS n FROM plugs [latest by plug, `id` slide 1 minute];

CREATE CONTINUOUS QUERY q3 AS
SELECT plug, value FROM plugs [LATEST BY plug DELETE WHEN (op = 'd' OR value IS NULL) SLIDE 10 SECONDS] WHERE value > 0;

CREATE CONTINUOUS QUERY q4 AS
SELECT p.plug, p.value, l.value AS last FROM plugs [NOW] p JOIN plugs [LATEST BY plug DELETE WHEN (op = 'd')] l ON l.plug = p.plug;

CREATE CONTINUOUS QUERY q5 AS
SELECT count(*) AS n FROM plugs [LATEST BY (plug, id) SLIDE 1 MINUTE];
