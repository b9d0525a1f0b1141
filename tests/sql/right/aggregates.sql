CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, plug INT, name STRING, WATERMARK FOR ts AS ts);

CREATE CONTINUOUS QUERY q1 AS
SELECT count(*) AS n, count(value) AS m, sum(value) / count(*) AS mean, max(value) - min(value) AS spread FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE];

CREATE CONTINUOUS QUERY q2 AS
SELECT count(*) FILTER (WHERE value > 10) AS high, avg(value) FILTER (WHERE plug = 1) AS mean FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE];

CREATE CONTINUOUS QUERY q3 AS
SELECT max_by(plug, value) AS top, min_by(plug, value) AS low, any_value(name) AS name FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE];

CREATE CONTINUOUS QUERY q4 AS
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS median, mode(plug) AS usual FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE];

CREATE CONTINUOUS QUERY q5 AS
SELECT collect_list(plug) AS plugs, collect_set(name) AS names, approx_count_distinct(plug) AS about FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE];

CREATE CONTINUOUS QUERY q6 AS
SELECT first(value) AS a, last(value IGNORE NULLS) AS b, stddev(value) AS s, corr(value, plug) AS c FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE];

CREATE CONTINUOUS QUERY q7 AS
SELECT listagg(name, ', ') WITHIN GROUP (ORDER BY plug DESC) AS names FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE];

CREATE CONTINUOUS QUERY q8 AS
SELECT bool_or(value > 1) AS some, every(value > 1) AS all_of_them FROM plugs [RANGE 5 MINUTES SLIDE 1 MINUTE];
