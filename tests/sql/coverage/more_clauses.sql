-- In the style of the queries that Spark is tested with: clauses and their combinations.
SELECT listagg(DISTINCT CAST(a AS STRING), ',') WITHIN GROUP (ORDER BY CAST(a AS STRING) DESC) FROM s[W]
SELECT c, listagg(DISTINCT upper(c)) WITHIN GROUP (ORDER BY upper(c)) FROM s[W] GROUP BY c
FROM s[W] SELECT a, b WHERE a > 1
FROM s[W] SELECT count(*) GROUP BY c HAVING count(*) > 1 ORDER BY 1
SELECT x.q, x.w FROM (SELECT a, b FROM s[W]) AS x(q, w) WHERE q IS NOT NULL
SELECT * FROM s[W] AS x(p, q, u, v, z) WHERE q = 1
SELECT z.a FROM (s[W] AS x JOIN r[W] AS y ON x.a = y.a) JOIN t AS z ON z.a = x.a
SELECT s.a, d, n FROM s[W] JOIN (r[W] JOIN t ON r.a = t.a) ON s.b = r.b
SELECT a, b, count(*) FROM s[W] NATURAL JOIN r[W] GROUP BY a, b
SELECT a FROM s[W] JOIN r[W] USING (a) JOIN t USING (a)
SELECT a, s.b, r.b, n FROM s[W] FULL JOIN r[W] USING (a) FULL JOIN t USING (a)
SELECT a, n FROM s[W] LEFT JOIN t USING (a) WHERE n IS NULL
SELECT x.a, y.a FROM s[W] x LEFT JOIN s[W] y ON x.a = y.b AND y.a > 1 AND x.b < 3
SELECT x.a FROM s[W] x RIGHT JOIN s[W] y ON x.a = y.b WHERE y.c LIKE 'x%'
SELECT x.a FROM s[W] x LEFT JOIN r[W] y ON x.a = y.a OR x.b = y.b
SELECT count(*) FROM s[W] x FULL JOIN r[W] y ON x.a > y.a
SELECT * FROM s[W] x LEFT SEMI JOIN r[W] y ON x.a = y.a AND y.b IN (SELECT a FROM t)
SELECT x.a, (SELECT max(z.b) FROM r[W] z WHERE z.a = x.a AND z.b > (SELECT min(b) FROM s[W] y WHERE y.a = z.a)) FROM s[W] x
SELECT a, b FROM s[W] WHERE a IN (SELECT a FROM r[W]) OR b IN (SELECT b FROM r[W] WHERE d = 'q')
SELECT a, b FROM s[W] WHERE NOT (a IN (SELECT a FROM r[W] WHERE a IS NOT NULL) AND b > 1)
SELECT a, a IN (SELECT a FROM r[W]), a NOT IN (SELECT a FROM r[W]), EXISTS (SELECT 1 FROM r[W] WHERE r.b = s.b) FROM s[W]
SELECT CASE WHEN a IN (SELECT a FROM r[W]) THEN 1 WHEN b IN (SELECT b FROM r[W]) THEN 2 ELSE 3 END AS k, count(*) FROM s[W] GROUP BY k
SELECT count(*) FILTER (WHERE a IN (SELECT a FROM r[W])) FROM s[W]
SELECT a, sum(b) FROM s[W] GROUP BY a HAVING sum(b) IN (SELECT b FROM r[W])
SELECT a, sum(b) FROM s[W] GROUP BY a HAVING EXISTS (SELECT 1 FROM r[W] WHERE r.a = s.a AND r.b < sum(s.b))
SELECT a FROM s[W] WHERE b = (SELECT DISTINCT b FROM r[W] WHERE r.a = s.a AND d = 'q')
SELECT a FROM s[W] WHERE (SELECT count(DISTINCT b) FROM r[W] WHERE r.a = s.a) > 1
SELECT (SELECT a FROM r[W] ORDER BY b DESC LIMIT 1) AS top, a FROM s[W]
SELECT (SELECT array_sort(collect_list(b)) FROM r[W] WHERE r.a = s.a) AS bs, a FROM s[W]
SELECT (SELECT struct(max(b), min(b)) FROM r[W] WHERE r.a = s.a).col1, a FROM s[W]
SELECT * FROM s[W] WHERE a > (SELECT 1) AND b < (SELECT 3 WHERE 1 = 1)
SELECT a FROM s[W] WHERE EXISTS (SELECT 1 WHERE s.a > 1)
SELECT a FROM s[W] WHERE a = (SELECT b FROM (SELECT b, row_number() OVER (ORDER BY b DESC) AS rn FROM r[W]) WHERE rn = 3)
SELECT a FROM s[W] WHERE a IN (SELECT b FROM (SELECT b, rank() OVER (PARTITION BY d ORDER BY e) AS rk FROM r[W]) WHERE rk = 1)
SELECT a, x.m FROM s[W] JOIN (SELECT d, max(a) AS m FROM r[W] GROUP BY d) x ON x.m > s.a
WITH x AS (SELECT a, sum(b) AS sb FROM s[W] GROUP BY a), y AS (SELECT a, sum(b) AS rb FROM r[W] GROUP BY a) SELECT coalesce(x.a, y.a) AS a, sb, rb FROM x FULL JOIN y ON x.a = y.a
WITH x AS (SELECT * FROM s[W]) SELECT (SELECT count(*) FROM x), (SELECT max(a) FROM x WHERE x.b = r.b) FROM r[W]
WITH x AS (SELECT a FROM s[W]) SELECT * FROM x WHERE a NOT IN (SELECT a FROM x WHERE a < 2)
WITH x(a) AS (SELECT 1), y AS (SELECT a + 1 AS a FROM x) SELECT s.a FROM s[W] JOIN y ON s.a = y.a
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i, count(s.a) FROM n LEFT JOIN s[W] ON s.a = n.i GROUP BY i
SELECT a, sum(b) AS t, t * 2 AS tt, tt + 1 AS ttt FROM s[W] GROUP BY a
SELECT length(c) AS len, count(*) AS n FROM s[W] GROUP BY len ORDER BY len + n
SELECT a, b, a + b AS s FROM s[W] ORDER BY s, a, b
SELECT a AS b, b AS a FROM s[W] ORDER BY a, b
SELECT -a AS a FROM s[W] ORDER BY a NULLS LAST
SELECT a FROM s[W] ORDER BY abs(a - 2), a
SELECT DISTINCT a % 2 AS m FROM s[W] ORDER BY m
SELECT DISTINCT c FROM s[W] ORDER BY length(c), c
SELECT count(DISTINCT a) + count(DISTINCT b), count(DISTINCT a, b), sum(DISTINCT b), avg(DISTINCT a), collect_set(c) IS NOT NULL FROM s[W]
SELECT a, count(DISTINCT b) FILTER (WHERE b > 1), sum(b) FILTER (WHERE c = 'x') FROM s[W] GROUP BY a
SELECT max(a) - min(a) AS spread, avg(a) > 1, sum(a) / count(b), count(*) * 2, round(stddev_pop(b), 3) FROM s[W]
SELECT first(a), last(b), first(a, true), any_value(c) IS NOT NULL FROM (SELECT * FROM s[W] WHERE a = 3)
SELECT bool_and(a > 0) AND bool_or(b > 2), every(a IS NOT NULL), bit_and(a), bit_or(b), bit_xor(a) FROM s[W]
SELECT regr_avgx(a, b), regr_avgy(a, b), regr_r2(a, b), regr_sxx(a, b), regr_sxy(a, b), regr_syy(a, b), regr_intercept(a, b), regr_slope(a, b), regr_count(a, b), corr(a, b), covar_pop(a, b) FROM s[W]
SELECT percentile(a, array(0.25, 0.5)), percentile_approx(b, array(0.5, 0.9), 100), median(a + b), approx_percentile(a, 0.5), percentile(a, 0.5, b) FROM s[W]
SELECT a, lag(b) OVER (ORDER BY ts), lead(b, 2, 0) OVER (ORDER BY ts), lag(b) IGNORE NULLS OVER (ORDER BY ts), first_value(b) IGNORE NULLS OVER (ORDER BY ts), last_value(b) IGNORE NULLS OVER (ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM s[W]
SELECT a, sum(b) OVER (ORDER BY a RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), min(b) OVER (ORDER BY a ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING), count(*) OVER (ORDER BY a DESC) FROM s[W] WHERE a IS NOT NULL AND b IS NOT NULL
SELECT a, avg(b) OVER (PARTITION BY a % 2 ORDER BY ts ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), sum(b) OVER (ORDER BY ts) - b FROM s[W]
SELECT a, b, sum(a * b) OVER (PARTITION BY c), max(a) OVER () - a, count(a) OVER (PARTITION BY a IS NULL) FROM s[W]
SELECT a FROM s[W] QUALIFY row_number() OVER (PARTITION BY c ORDER BY b DESC, a) = 1
SELECT rank() OVER (ORDER BY count(*)), c FROM s[W] GROUP BY c
SELECT a, b, grouping_id(a, b), grouping__id FROM s[W] GROUP BY a, b GROUPING SETS ((a, b), (a), ())
SELECT a, c, count(*) FROM s[W] GROUP BY GROUPING SETS (ROLLUP (a, c), CUBE (a, c)) HAVING count(*) > 1
SELECT coalesce(a, -1) AS k, c, sum(b) FROM s[W] GROUP BY ROLLUP (k, c) ORDER BY k NULLS FIRST, c NULLS FIRST, 3
SELECT a + 1 AS x, count(*) FROM s[W] GROUP BY CUBE (a + 1)
SELECT CASE WHEN grouping(a) = 1 THEN 'all' ELSE CAST(a AS STRING) END AS k, count(*) FROM s[W] GROUP BY ROLLUP (a)
SELECT a, explode(array(b, b + 1)) AS e FROM s[W] WHERE a > 1
SELECT a, e FROM s[W] LATERAL VIEW explode(split(c, '')) v AS e WHERE e <> ''
SELECT a, k, v FROM s[W] LATERAL VIEW OUTER explode(m) mm AS k, v
SELECT k, sum(v) FROM s[W] LATERAL VIEW explode(m) mm AS k, v GROUP BY k
SELECT a, pos, col FROM r[W] LATERAL VIEW posexplode_outer(l) p
SELECT a, x FROM r[W], LATERAL explode_outer(l) AS t(x)
SELECT a, t.* FROM r[W] LEFT JOIN LATERAL explode(l) AS t(x) ON x > 1
SELECT a, j.* FROM r[W] LATERAL VIEW json_tuple(to_json(st), 'x', 'y') j AS jx, jy
SELECT a, i.x, i.y FROM r[W] LATERAL VIEW inline_outer(array(st)) i
SELECT i.id, s.a FROM range(1, 4) AS i JOIN s[W] ON s.a = i.id
SELECT id FROM range(5) WHERE id NOT IN (SELECT a FROM s[W] WHERE a IS NOT NULL)
SELECT mask(c, upperChar => 'Q', lowerChar => 'q') FROM s[W]
SELECT 1 AS `A b`, a AS `a.b` FROM s[W] GROUP BY a
SELECT s.ts, date_trunc('MINUTE', s.ts) FROM s[W] s WHERE s.ts BETWEEN TIMESTAMP'2024-01-01 00:00:02' AND TIMESTAMP'2024-01-01 00:00:04'
SELECT cast(a AS DOUBLE) / b, a % 0, mod(b, a), div(b, a), a DIV 2 FROM s[W]
SELECT 1 IN (a, b), NULL IN (a, 1), a IN (NULL), a NOT IN (1, NULL), (a, b) IN ((1, 2)), 'x' IN (c) FROM s[W]
SELECT a BETWEEN b AND 3, a NOT BETWEEN 1 AND NULL, a IS NOT DISTINCT FROM b, NOT (a IS NULL OR b IS NULL), a <=> NULL, nullif(a, b) FROM s[W]
SELECT concat(a, b), a || c, concat_ws('-', a, c), c || NULL, coalesce(c, 'none') || '!', upper(c) LIKE 'X%', c LIKE ANY ('x', 'y%'), c NOT LIKE ALL ('x', 'z') FROM s[W]
SELECT date'2024-02-29' + INTERVAL 1 YEAR, date'2024-01-31' + INTERVAL 1 MONTH, timestamp'2024-01-01 00:00:00' + INTERVAL '1 2' DAY TO HOUR, date'2024-01-01' - 1, add_months(date'2024-01-31', a) FROM s[W]
SELECT 0.1 + 0.2, 1.0 / 3, 1e0 / 3, CAST(1 AS DECIMAL(10, 2)) / 3, 2 * 1.50, a * 0.1, a + 1.5BD, b / 2.0, CAST(a AS DECIMAL(4, 1)) % 0.7 FROM s[W]
SELECT round(2.5), round(-2.5), bround(2.5), round(125.315, 2), ceil(-1.5), floor(1.5), truncate, sign(-a), CAST(2.9 AS INT), CAST('12abc' AS INT) FROM (SELECT a, 1 AS truncate FROM s[W])
SELECT sum(CAST(a AS DECIMAL(38, 0)) * 99999999999999999999), avg(CAST(a AS DECIMAL(20, 10))), sum(a * 1.1), max(CAST(b AS FLOAT)) FROM s[W]
SELECT a FROM s[W] INTERSECT ALL SELECT a FROM r[W]
SELECT a FROM s[W] EXCEPT ALL SELECT a FROM r[W]
SELECT a, b FROM s[W] UNION DISTINCT SELECT b, a FROM r[W] ORDER BY 1, 2
SELECT a FROM s[W] UNION ALL SELECT a FROM r[W] EXCEPT SELECT 1
(SELECT a FROM s[W] UNION ALL SELECT b FROM s[W]) INTERSECT (SELECT a FROM r[W])
SELECT count(*) FROM (SELECT a FROM s[W] UNION SELECT a FROM r[W])
SELECT a, CAST(NULL AS STRING) FROM s[W] UNION ALL SELECT NULL, d FROM r[W]
SELECT array(a) FROM s[W] UNION SELECT l FROM r[W]
SELECT map('k', a) FROM s[W] UNION ALL SELECT map('k', b) FROM r[W]
SELECT * FROM (SELECT 'one' AS k, a FROM s[W] UNION ALL SELECT 'two', b FROM s[W]) PIVOT (sum(a) FOR k IN ('one', 'two'))
SELECT c, p.* FROM (SELECT a, b, c FROM s[W]) PIVOT (max(b) AS m, count(*) AS n FOR a IN (1, 2)) p
SELECT u.* FROM s[W] UNPIVOT (val FOR col IN (a, b)) u
SELECT * FROM (SELECT a, b, a * 2 AS a2, b * 2 AS b2 FROM s[W]) UNPIVOT ((one, two) FOR grp IN ((a, b) AS plain, (a2, b2) AS twice))
SELECT typeof(a + 1L), typeof(a / b), typeof(sum(b) OVER ()), typeof(array(a, 1.5)), typeof(coalesce(a, 'x')), typeof(if(true, a, 2.0)), typeof(ts - ts), typeof(l[0]) FROM (SELECT *, array(1) AS l FROM s[W]) LIMIT 1
SELECT a, b FROM s[W] WHERE true AND (false OR a = a) AND NOT NULL IS NOT NULL
SELECT * EXCEPT (ts, m), a * 10 AS ten FROM s[W]
SELECT x.* EXCEPT (ts, m), y.b FROM s[W] x JOIN r[W] y USING (a)
SELECT struct(*) FROM s[W] WHERE a = 3
SELECT count(*), count(a, b), count(DISTINCT *) FROM (SELECT a, b FROM s[W])
SELECT greatest(a, b), least(a, b, 2), coalesce(NULL, a), nvl(a, b), if(a IS NULL, 'n', 'y'), decode(a, 1, 'x', 'other'), a::double, a::string || 'x', (a + b)::decimal(5,2) FROM s[W]
SELECT transform(array(a, b), x -> x * s.a), filter(array(1, 2, 3), x -> x > a), aggregate(array(a, b), 0, (acc, x) -> acc + coalesce(x, 0) * s.b), exists(array(a, b), x -> x > (s.a)), zip_with(array(a), array(b), (x, y) -> x + y) FROM s[W]
SELECT transform_keys(m, (k, v) -> k + a), map_filter(m, (k, v) -> k = a), map_zip_with(m, map(1, a), (k, x, y) -> coalesce(x, 0) + coalesce(y, 0)) FROM s[W] WHERE a IS NOT NULL
SELECT array_sort(array(c, 'b', 'a')), sequence(1, a), sequence(DATE'2024-01-01', DATE'2024-01-03'), shuffle_me FROM (SELECT c, a, 1 AS shuffle_me FROM s[W] WHERE a > 0)
