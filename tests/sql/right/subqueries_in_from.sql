CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);

CREATE CONTINUOUS QUERY q1 AS
SELECT top FROM (SELECT plug, max(value) AS top FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE] GROUP BY plug) WHERE plug = 1;

CREATE CONTINUOUS QUERY q2 AS
SELECT x.a, y.b FROM (SELECT plug FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE]) AS x (a) JOIN (SELECT plug FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE]) AS y (b) ON a = b;

CREATE CONTINUOUS QUERY q3 AS
SELECT max(n) AS most FROM (SELECT plug, count(*) AS n FROM (SELECT * FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE]) AS inside GROUP BY plug) AS outside;

CREATE CONTINUOUS QUERY q4 AS
SELECT p.plug, v.word FROM plugs AS p JOIN (VALUES (1, 'one'), (2, 'two')) AS v (number, word) ON p.plug = v.number;

CREATE CONTINUOUS QUERY q5 AS
SELECT p.plug, word FROM plugs AS p JOIN VALUES (1, 'one'), (2.5, NULL) AS v (number, word) ON p.plug = number;
