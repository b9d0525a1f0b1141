-- analytics, in combinations that a stranger would try.
SELECT a, b, row_number() OVER (ORDER BY a NULLS LAST, b DESC), rank() OVER (PARTITION BY c ORDER BY b), dense_rank() OVER (ORDER BY c) FROM s[W]
SELECT a, sum(b) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS x FROM s[W] WHERE b IS NOT NULL AND a = 1
SELECT a, b, sum(b) OVER (PARTITION BY a ORDER BY b RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM s[W]
SELECT ts, sum(b) OVER (ORDER BY ts RANGE BETWEEN INTERVAL '2' SECOND PRECEDING AND CURRENT ROW) AS x FROM s[W]
SELECT ts, count(*) OVER (ORDER BY ts RANGE BETWEEN INTERVAL 1 SECOND PRECEDING AND INTERVAL 1 SECOND FOLLOWING) AS x FROM s[W]
SELECT b, avg(b) OVER (ORDER BY b RANGE BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) FROM s[W]
SELECT a, first_value(b) OVER w, last_value(b) OVER w, nth_value(b, 2) OVER w FROM s[W] WINDOW w AS (PARTITION BY a ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
SELECT a, first_value(b) IGNORE NULLS OVER (ORDER BY ts), last_value(b, true) OVER (ORDER BY ts) FROM s[W]
SELECT a, lag(b) OVER w, lead(b, 2, -1) OVER w, lag(b, 1) IGNORE NULLS OVER w FROM s[W] WINDOW w AS (ORDER BY ts)
SELECT a, ntile(3) OVER (ORDER BY ts), percent_rank() OVER (ORDER BY a), cume_dist() OVER (ORDER BY a) FROM s[W]
SELECT a, max(b) FILTER (WHERE c = 'x') OVER (PARTITION BY a) FROM s[W]
SELECT c, sum(sum(b)) OVER (ORDER BY c) AS running FROM s[W] GROUP BY c
SELECT c, rank() OVER (ORDER BY count(*) DESC, c) AS r FROM s[W] GROUP BY c HAVING count(*) >= 1
SELECT a, sum(b) OVER () / count(*) OVER () FROM s[W]
SELECT a, c, collect_list(b) OVER (PARTITION BY a ORDER BY ts) FROM s[W]
SELECT a, collect_set(b) OVER (PARTITION BY c) FROM s[W]
SELECT * FROM (SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY b DESC NULLS LAST) AS n FROM s[W]) WHERE n = 1
SELECT a, b FROM s[W] QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1
SELECT a, variance(b) OVER (PARTITION BY a), stddev_pop(b) OVER (PARTITION BY a), corr(a, b) OVER () FROM s[W]
SELECT a, approx_count_distinct(c) OVER (PARTITION BY a) FROM s[W]
SELECT a, min(struct(b, c)) OVER (PARTITION BY a) FROM s[W]
SELECT a, regr_slope(a, b) OVER (PARTITION BY c) FROM s[W]
SELECT a, any_value(c) OVER (PARTITION BY c), bool_or(a > 1) OVER (), every(b > 0) OVER (PARTITION BY a) FROM s[W]
SELECT sum(a) OVER w1, sum(b) OVER w2 FROM s[W] WINDOW w1 AS (PARTITION BY c), w2 AS (PARTITION BY c ORDER BY ts)
SELECT a, sum(b) OVER (PARTITION BY a ORDER BY ts ROWS 2 PRECEDING) FROM s[W]
SELECT a, sum(b) OVER (PARTITION BY a ORDER BY ts ROWS UNBOUNDED PRECEDING) FROM s[W]
SELECT a, sum(b) OVER (ORDER BY ts DESC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM s[W]
SELECT a, percentile_approx(b, 0.5) OVER (PARTITION BY a) FROM s[W]
SELECT count(DISTINCT a) OVER (PARTITION BY c) FROM s[W]
SELECT a, sum(b + 1) OVER (PARTITION BY a + 1 ORDER BY b * 2) FROM s[W]
SELECT a, lag(struct(a, b)) OVER (ORDER BY ts) FROM s[W]
SELECT a, row_number() OVER (PARTITION BY (SELECT 1) ORDER BY ts) FROM s[W]
SELECT x.a, sum(y.b) OVER (PARTITION BY x.a ORDER BY y.b, x.ts, y.ts) FROM s[W] x JOIN r[W] y ON x.a = y.a
SELECT a, b, ts, max(ts) OVER (PARTITION BY a) - ts AS behind FROM s[W]
SELECT a, array_agg(b) OVER (PARTITION BY a ORDER BY b) FROM s[W]
SELECT a, try_sum(b) OVER (PARTITION BY a), try_avg(b) OVER (PARTITION BY a) FROM s[W]
SELECT a, skewness(b) OVER (PARTITION BY a), kurtosis(b) OVER (PARTITION BY a) FROM s[W]
SELECT a, count_if(b > 1) OVER (PARTITION BY a ORDER BY ts) FROM s[W]
SELECT DISTINCT a, count(*) OVER (PARTITION BY a) FROM s[W]
SELECT a, CASE WHEN row_number() OVER (ORDER BY ts) = 1 THEN 'first' ELSE 'other' END FROM s[W]
SELECT a FROM s[W] ORDER BY rank() OVER (ORDER BY b), a
SELECT a, sum(b) OVER w AS x FROM s[W] WINDOW w AS (PARTITION BY a ORDER BY ts) ORDER BY x DESC LIMIT 2
