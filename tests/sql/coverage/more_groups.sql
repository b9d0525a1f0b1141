-- groups, in combinations that a stranger would try.
SELECT a, c, sum(b), grouping(a), grouping(c), grouping_id(a, c) FROM s[W] GROUP BY CUBE (a, c)
SELECT a, c, count(*) FROM s[W] GROUP BY a, c WITH ROLLUP
SELECT a, c, count(*) FROM s[W] GROUP BY a, c WITH CUBE
SELECT a, c, count(*) FROM s[W] GROUP BY GROUPING SETS ((a, c), (a), ())
SELECT a, c, count(*) FROM s[W] GROUP BY a, GROUPING SETS ((c), ())
SELECT a + 1 AS x, c, sum(b) FROM s[W] GROUP BY ROLLUP (a + 1, c) ORDER BY x, c
SELECT a, sum(b) FROM s[W] GROUP BY ROLLUP (a) HAVING grouping(a) = 0
SELECT c, sum(b) FROM s[W] GROUP BY CUBE (c) HAVING grouping_id() = 1
SELECT a, count(*) FROM s[W] GROUP BY a HAVING a IS NULL OR count(*) > 1
SELECT a AS k, count(*) FROM s[W] GROUP BY k HAVING k > 1
SELECT a, count(*) AS n FROM s[W] GROUP BY 1 ORDER BY 2 DESC, 1
SELECT count(*) FROM s[W] HAVING count(*) > 100
SELECT 1 FROM s[W] HAVING max(a) > 0
SELECT 'x' AS k, count(*) FROM s[W] GROUP BY 'x'
SELECT a, b, count(*) FROM s[W] GROUP BY ALL
SELECT upper(c) u, length(c) + count(*) FROM s[W] GROUP BY u, length(c)
SELECT a % 2, sum(b) FROM s[W] GROUP BY a % 2 HAVING a % 2 = 1
SELECT max(a), min(ts), count(DISTINCT c), sum(DISTINCT b), avg(DISTINCT a) FROM s[W]
SELECT c, count(DISTINCT a, b), count(a, b) FROM s[W] GROUP BY c
SELECT count(DISTINCT CASE WHEN a > 1 THEN b END) FROM s[W]
SELECT sum(CASE WHEN a = 1 THEN b ELSE 0 END) AS ones, count(CASE WHEN c LIKE 'x%' THEN 1 END) FROM s[W]
SELECT a, collect_list(c), collect_set(b) FROM s[W] GROUP BY a
SELECT a, array_sort(collect_list(struct(b, c))) FROM s[W] GROUP BY a
SELECT a, map_from_entries(collect_list(struct(ts, b))) FROM s[W] GROUP BY a
SELECT first(b), last(b), first(b, true), any_value(a) FROM s[W] WHERE a = 3
SELECT c, max_by(a, ts), min_by(b, ts) FROM s[W] GROUP BY c
SELECT bit_and(b), bit_or(b), bit_xor(b) FROM s[W]
SELECT every(a > 0), some(a > 2), bool_and(b IS NOT NULL), any(c = 'x') FROM s[W]
SELECT percentile(b, 0.5), percentile(b, array(0.25, 0.75)), median(a), mode(c) FROM s[W]
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY b), percentile_disc(0.5) WITHIN GROUP (ORDER BY b DESC) FROM s[W]
SELECT c, listagg(b, ',') WITHIN GROUP (ORDER BY b) FROM s[W] GROUP BY c
SELECT listagg(DISTINCT c, '|') WITHIN GROUP (ORDER BY c) FROM s[W]
SELECT string_agg(c) WITHIN GROUP (ORDER BY c DESC NULLS LAST) FROM s[W]
SELECT histogram_numeric(b, 3) FROM s[W]
SELECT regr_count(a, b), regr_r2(a, b), regr_intercept(a, b), covar_pop(a, b), covar_samp(a, b), corr(a, b) FROM s[W]
SELECT stddev(a), stddev_samp(a), var_pop(a), var_samp(a), skewness(a), kurtosis(a) FROM s[W]
SELECT approx_percentile(b, 0.5, 100), approx_count_distinct(c) FROM s[W]
SELECT sum(a) FILTER (WHERE b > 1), count(*) FILTER (WHERE c = 'x' AND a IS NOT NULL), avg(b) FILTER (WHERE a = 99) FROM s[W]
SELECT a, sum(b) FILTER (WHERE b > (SELECT min(b) FROM r[W])) FROM s[W] GROUP BY a
SELECT product FROM (SELECT a * b AS product FROM s[W]) GROUP BY product HAVING product > 1
SELECT date_trunc('MINUTE', ts) AS m, count(*) FROM s[W] GROUP BY date_trunc('MINUTE', ts)
SELECT a IS NULL AS missing, count(*) FROM s[W] GROUP BY a IS NULL
SELECT struct(a, c) AS k, count(*) FROM s[W] GROUP BY struct(a, c)
SELECT array(a, b) AS k, count(*) FROM s[W] GROUP BY array(a, b)
SELECT l, count(*) FROM r[W] GROUP BY l
SELECT st, count(*) FROM r[W] GROUP BY st
SELECT st.x, max(st.y) FROM r[W] GROUP BY st.x
SELECT a, count(*) c FROM s[W] GROUP BY a ORDER BY count(*) DESC, a LIMIT 2
SELECT a, sum(b) FROM s[W] GROUP BY a ORDER BY sum(b) + a NULLS LAST
SELECT max(count(*)) OVER () FROM s[W] GROUP BY a
SELECT avg(n) FROM (SELECT c, count(*) AS n FROM s[W] GROUP BY c)
SELECT c FROM s[W] GROUP BY c HAVING max(a) IN (SELECT a FROM r[W])
SELECT c, (SELECT count(*) FROM r[W] WHERE r.a = max(s.a)) FROM s[W] GROUP BY c
SELECT a, c FROM s[W] GROUP BY a, c EXCEPT SELECT a, d FROM r[W]
SELECT count(*), count(1), count(NULL), count(a), sum(NULL), max(NULL) FROM s[W]
SELECT sum(a) + sum(b) * 2, -sum(a), abs(min(b) - max(b)) FROM s[W]
SELECT CASE WHEN sum(a) > 5 THEN 'big' ELSE 'small' END FROM s[W] GROUP BY c
SELECT sum(CAST(a AS DECIMAL(10,2))), avg(CAST(b AS DECIMAL(5,1))), sum(CAST(a AS DOUBLE)) FROM s[W]
SELECT sum(e), avg(e), min(e), max(e), stddev(e) FROM r[W]
SELECT avg(ts) FROM s[W]
SELECT count(ts), max(date(ts)), min(hour(ts)) FROM s[W]
SELECT a, count(*) FROM s[W] WHERE false GROUP BY a
SELECT count(*), sum(a), collect_list(a), max(c) FROM s[W] WHERE false
SELECT GROUPING(a), a FROM s[W] GROUP BY a WITH ROLLUP ORDER BY 1, 2
SELECT a, count(*) FROM s[W] GROUP BY ROLLUP(a, c), CUBE(b)
SELECT try_sum(a), try_avg(b), count_min_sketch(a, 0.5d, 0.5d, 1) IS NOT NULL FROM s[W]
SELECT hll_sketch_estimate(hll_sketch_agg(a)) FROM s[W]
SELECT bitmap_count(bitmap_construct_agg(bitmap_bit_position(a))) FROM s[W]
SELECT max(c), min(c), max(struct(a, b)), min(array(a)) FROM s[W]
SELECT sum(interval_col) FROM (SELECT make_dt_interval(0, a) AS interval_col FROM s[W])
SELECT grouping_id(c, a), c, a FROM s[W] GROUP BY GROUPING SETS ((c), (a), (a, c))
SELECT sum(a) AS a FROM s[W] GROUP BY c HAVING sum(a) > 1 ORDER BY a
SELECT approx_top_k(c, 2) FROM s[W] WHERE a = 1
SELECT c, c AS d, count(*) FROM s[W] GROUP BY c, d
SELECT a FROM s[W] GROUP BY a, b HAVING sum(b) = max(b) ORDER BY a, b
SELECT named_struct('k', a, 'n', count(*)) FROM s[W] GROUP BY a
SELECT array_agg(DISTINCT a) FROM s[W] WHERE a < 2
SELECT count(*) FROM (SELECT 1 FROM s[W] GROUP BY a, b)
SELECT sum(x) FROM (SELECT explode(l) AS x FROM r[W])
