-- GROUP BY, HAVING, aggregates
SELECT a, count(*) FROM s[W] GROUP BY a
SELECT a, count(b), count(DISTINCT b), sum(b), avg(b), min(b), max(b) FROM s[W] GROUP BY a
SELECT count(*), count(a), count(DISTINCT a), count(DISTINCT a, b), count(a, b) FROM s[W]
SELECT sum(a), avg(a), min(c), max(c), min(ts), max(ts) FROM s[W]
SELECT sum(DISTINCT a), avg(DISTINCT a) FROM s[W]
SELECT stddev(a), stddev_pop(a), variance(a), var_pop(a), var_samp(a), stddev_samp(a) FROM s[W]
SELECT corr(a, b), covar_pop(a, b), covar_samp(a, b) FROM s[W]
SELECT skewness(a), kurtosis(a) FROM s[W]
SELECT regr_slope(a, b), regr_intercept(a, b), regr_r2(a, b), regr_count(a, b), regr_avgx(a, b), regr_avgy(a, b) FROM s[W]
SELECT regr_sxx(a, b), regr_syy(a, b), regr_sxy(a, b) FROM s[W]
SELECT median(a), percentile(a, 0.5), percentile(a, array(0.25, 0.75)), percentile_approx(a, 0.5) FROM s[W]
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a), percentile_disc(0.5) WITHIN GROUP (ORDER BY a) FROM s[W]
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a DESC) FROM s[W]
SELECT a, percentile_cont(0.5) WITHIN GROUP (ORDER BY b) OVER (PARTITION BY a) FROM s[W]
SELECT mode(a) FROM s[W] WHERE a = 1
SELECT mode() WITHIN GROUP (ORDER BY a) FROM s[W] WHERE a = 1
SELECT sort_array(collect_list(a)), sort_array(collect_set(a)), sort_array(array_agg(b)) FROM s[W]
SELECT listagg(c, ',') WITHIN GROUP (ORDER BY c) FROM s[W]
SELECT listagg(DISTINCT c, ',') WITHIN GROUP (ORDER BY c) FROM s[W]
SELECT a, string_agg(c, '-') WITHIN GROUP (ORDER BY c DESC) FROM s[W] GROUP BY a
SELECT listagg(c) WITHIN GROUP (ORDER BY c) FROM s[W]
SELECT bool_and(a > 0), bool_or(a > 1), every(a > 0), some(a > 1), any(a > 1) FROM s[W]
SELECT bit_and(a), bit_or(a), bit_xor(a) FROM s[W]
SELECT min_by(c, a * 100 + b), max_by(c, a * 100 + b) FROM s[W] WHERE c IS NOT NULL
SELECT count_if(a > 1), approx_count_distinct(a) FROM s[W]
SELECT any_value(a), first(a), last(a), first_value(a), last_value(a) FROM s[W] WHERE a = 1
SELECT sum(a) FILTER (WHERE b > 1), count(*) FILTER (WHERE a = 1) FROM s[W]
SELECT a, sum(b) FILTER (WHERE b > 1) FROM s[W] GROUP BY a
SELECT a % 2, count(*) FROM s[W] GROUP BY a % 2
SELECT a % 2 AS k, count(*) FROM s[W] GROUP BY k
SELECT a, count(*) FROM s[W] GROUP BY 1
SELECT a, b, count(*) FROM s[W] GROUP BY 1, 2
SELECT a, b, count(*) FROM s[W] GROUP BY ALL
SELECT a + 1, count(*) FROM s[W] GROUP BY ALL
SELECT a, count(*) AS n FROM s[W] GROUP BY a HAVING count(*) > 1
SELECT a, count(*) AS n FROM s[W] GROUP BY a HAVING n > 1
SELECT a FROM s[W] GROUP BY a HAVING sum(b) > 2
SELECT count(*) FROM s[W] HAVING count(*) > 100
SELECT a, sum(b) + 1, sum(b) * count(*), abs(sum(b)) FROM s[W] GROUP BY a
SELECT a + 1, sum(b) FROM s[W] GROUP BY a
SELECT (a + 1) * 2, sum(b) FROM s[W] GROUP BY a + 1
SELECT a + 1 FROM s[W] GROUP BY a + 1 HAVING a + 1 > 2
SELECT a + 1, count(*) FROM s[W] GROUP BY a + 1 ORDER BY a + 1
SELECT a + 1, count(*) FROM s[W] GROUP BY a + 1 ORDER BY (a + 1) * 2
SELECT a, count(*) FROM s[W] GROUP BY a ORDER BY count(*), a
SELECT a, count(*) FROM s[W] GROUP BY a ORDER BY sum(b), a
SELECT a, b, count(*) FROM s[W] GROUP BY a, b WITH ROLLUP
SELECT a, b, count(*) FROM s[W] GROUP BY a, b WITH CUBE
SELECT a, b, count(*) FROM s[W] GROUP BY ROLLUP (a, b)
SELECT a, b, count(*) FROM s[W] GROUP BY CUBE (a, b)
SELECT a, b, count(*) FROM s[W] GROUP BY GROUPING SETS ((a, b), (a), ())
SELECT a, b, count(*) FROM s[W] GROUP BY a, b GROUPING SETS ((a, b), (a), ())
SELECT a, b, grouping(a), grouping_id(a, b), count(*) FROM s[W] GROUP BY CUBE (a, b)
SELECT a, b, grouping__id, count(*) FROM s[W] GROUP BY a, b WITH ROLLUP
SELECT a, b, count(*) FROM s[W] GROUP BY a, ROLLUP (b)
SELECT a, b, count(*) FROM s[W] GROUP BY ROLLUP (a), CUBE (b)
SELECT a, b, count(*) FROM s[W] GROUP BY GROUPING SETS (ROLLUP (a, b))
SELECT a, b, count(*) FROM s[W] GROUP BY GROUPING SETS (GROUPING SETS (a, b), CUBE (a, b))
SELECT count(*) FROM s[W] GROUP BY GROUPING SETS (())
SELECT count(*) FROM s[W] WHERE false GROUP BY GROUPING SETS (())
SELECT a, count(*) FROM s[W] WHERE false GROUP BY ROLLUP (a)
SELECT a, count(*) FROM s[W] WHERE false GROUP BY a
SELECT count(*), sum(a) FROM s[W] WHERE false
SELECT a FROM s[W] GROUP BY a
SELECT 1 FROM s[W] GROUP BY a
SELECT 'x', count(*) FROM s[W] GROUP BY 'x'
SELECT max(a) - min(a), max(a) > 2 FROM s[W]
SELECT sum(a * b), sum(a) / count(*), round(avg(b), 2) FROM s[W]
SELECT sum(CASE WHEN a = 1 THEN b ELSE 0 END), sum(if(a = 2, 1, 0)) FROM s[W]
SELECT c, sum(a) FROM s[W] GROUP BY c HAVING sum(a) + 1 > 2
SELECT c, sum(a) FROM s[W] GROUP BY c HAVING max(b) IS NOT NULL AND c <> 'x'
SELECT upper(c) AS u, count(*) FROM s[W] GROUP BY upper(c)
SELECT st.x, count(*) FROM r[W] GROUP BY st.x
SELECT st, count(*) FROM r[W] GROUP BY st
SELECT date_trunc('MINUTE', ts), count(*) FROM s[W] GROUP BY date_trunc('MINUTE', ts)
SELECT a, b FROM s[W] GROUP BY a, b HAVING a > 1
SELECT s.a, count(*) FROM s[W] GROUP BY s.a
SELECT a AS b, count(*) FROM s[W] GROUP BY a
SELECT a, count(*) FROM (SELECT a FROM s[W] WHERE b > 1) GROUP BY a
SELECT avg(n) FROM (SELECT a, count(*) AS n FROM s[W] GROUP BY a)
SELECT a, sum(n) FROM (SELECT a, b, count(*) AS n FROM s[W] GROUP BY a, b) GROUP BY a
SELECT avg(ts) FROM s[W]
SELECT sum(c), avg(c) FROM s[W]
SELECT bool_and(a > 0) FROM s[W] GROUP BY b
SELECT c, sum(a) FROM s[W] GROUP BY c HAVING (SELECT count(*) FROM r[W]) > 1
SELECT c, sum(a) AS x FROM s[W] GROUP BY c HAVING EXISTS (SELECT 1 FROM r[W] WHERE r.b = sum(s.a))
SELECT approx_percentile(a, 0.5, 100), percentile_approx(a, array(0.1, 0.9)) FROM s[W]
SELECT count(*) AS a, a AS b FROM s[W] GROUP BY a
SELECT max(struct(a, b)), min(struct(b, a)) FROM s[W]
SELECT max(l) FROM r[W]
SELECT first(a, true), first(a) IGNORE NULLS FROM s[W] WHERE a = 1 OR a IS NULL GROUP BY a
SELECT try_sum(a), try_avg(a) FROM s[W]
SELECT sum(a) FROM s[W] GROUP BY b ORDER BY b
SELECT b, sum(a) s FROM s[W] GROUP BY b ORDER BY s DESC, b LIMIT 2
SELECT a, count(DISTINCT b), count(DISTINCT c), sum(b) FROM s[W] GROUP BY a
SELECT count(DISTINCT a), sum(DISTINCT b), count(*) FROM s[W]
SELECT a, count(DISTINCT b) FILTER (WHERE b > 1) FROM s[W] GROUP BY a
SELECT b, max_by(a, a), min_by(c, c) FROM s[W] GROUP BY b
SELECT count(1), count(NULL), count(1 + 1) FROM s[W]
SELECT sum(1), sum(1.5), max('x') FROM s[W]
SELECT array_sort(collect_list(struct(a, b))) FROM s[W]
SELECT all FROM (SELECT a AS all FROM s[W]) GROUP BY all
SELECT a, GROUPING(a) AS g FROM s[W] GROUP BY a WITH ROLLUP ORDER BY g, a
SELECT grouping_id() FROM s[W] GROUP BY CUBE (a, b)
SELECT a, sum(b) OVER () FROM s[W]
SELECT a, sum(sum(b)) OVER (ORDER BY a) FROM s[W] GROUP BY a
SELECT a, rank() OVER (ORDER BY count(*), a) FROM s[W] GROUP BY a
SELECT sum(a) AS x, x + 1 FROM s[W]
