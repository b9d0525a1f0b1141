-- In the style of the queries that Spark is tested with: values of all types.
SELECT ta, ta LIKE 'val1_', ta LIKE ALL ('val%', '%a'), ta NOT LIKE ANY ('%b', '%c'), ta ILIKE 'VAL%', ta RLIKE '1[ab]$', regexp_like(ta, 'val'), ta LIKE '%\%%' FROM n[W]
SELECT concat_ws('/', ta, tb, NULL, tc), format_string('%s has %d', ta, tc), lpad(ta, 8, '*'), rpad(ta, 2), overlay(ta PLACING '_' FROM 4), split(ta, '1')[1], substring_index(ta, 'l', 1), initcap(ta), reverse(ta), translate(ta, 'va', 'VA') FROM n[W]
SELECT to_char(tg, '9999.99'), to_char(tc, '000'), to_number('1,234', '9,999'), format_number(tg, 1), format_number(tf, '#,###.0'), CAST(tg AS STRING), hex(tc), conv(tc, 10, 16), bin(tb), unhex(hex(ta)) = CAST(ta AS BINARY) FROM n[W] WHERE tc IS NOT NULL
SELECT elt(tb - 5, 'a', 'b', 'c'), find_in_set(ta, 'val1a,val1b'), field FROM (SELECT tb, ta, tc AS field FROM n[W])
SELECT encode(ta, 'UTF-16'), decode(encode(ta, 'US-ASCII'), 'US-ASCII'), base64(tl), unbase64(base64(tl)) = tl, sha2(ta, 256), md5(ta), crc32(ta), xxhash64(ta, tc), hash(tg, ti) FROM n[W]
SELECT regexp_extract(ta, '([a-z]+)(\\d)', 2), regexp_replace(ta, '[aeiou]', '<$0>'), regexp_count(ta, 'a'), regexp_instr(ta, 'l'), regexp_substr(ta, '[0-9].'), regexp_extract_all(ta, '([a-z])', 1) FROM n[W]
SELECT startswith(ta, 'val'), endswith(ta, 'a'), contains(ta, '1'), startswith(tl, X'61'), luhn_check('4111111111111111'), is_valid_utf8(ta), make_valid_utf8(ta), try_validate_utf8(ta) FROM n[W]
SELECT year(th), quarter(ti), weekofyear(ti), dayofweek(ti), dayofyear(ti), extract(MINUTE FROM th), extract(SECOND FROM th), date_part('WEEK', ti), date_trunc('WEEK', th), last_day(ti), make_date(year(ti), 1, 1), dayname(ti), monthname(ti) FROM n[W]
SELECT date_format(th, 'dd.MM.yyyy HH:mm'), date_format(ti, 'E MMM d'), to_date(ti), to_date('04/05/2014', 'MM/dd/yyyy'), to_timestamp('2014-04-04 01:02:03'), unix_timestamp(ti), from_unixtime(td), to_unix_timestamp(th), timestamp_seconds(td), unix_seconds(ts), unix_millis(ts), date_from_unix_date(tc) FROM n[W]
SELECT th - TIMESTAMP_NTZ'2024-02-01 00:00:00', ts - TIMESTAMP'2024-01-01 00:00:00', ti - ti, th - ti, ti - th FROM n[W]
SELECT ts + make_dt_interval(0, tc, 5), ts - INTERVAL '1 01:02:03.000004' DAY TO SECOND, ti + INTERVAL '2' YEAR, ti - INTERVAL 3 WEEKS, th + INTERVAL '1-1' YEAR TO MONTH FROM n[W]
SELECT INTERVAL '1' DAY + INTERVAL '2' HOUR, INTERVAL '1' HOUR * 1.5, INTERVAL '10' MINUTE / 4, -INTERVAL '1' SECOND, INTERVAL '1' DAY = INTERVAL '24' HOUR, extract(HOUR FROM INTERVAL '30' HOUR), sign(INTERVAL '-1' DAY) FROM n[W] LIMIT 1
SELECT sum(ts - TIMESTAMP'2024-01-01 00:00:00'), avg(ts - TIMESTAMP'2024-01-01 00:00:00'), max(make_dt_interval(tb)), min(make_ym_interval(tb, 1)) IS NULL FROM n[W]
SELECT make_ym_interval(tb, 1) > INTERVAL '7' YEAR, CAST(make_ym_interval(tb, tc) AS STRING), CAST(make_dt_interval(1, tb) AS STRING) FROM n[W]
SELECT timestampadd(HOUR, tb, th), timestampdiff(DAY, ti, th), date_add(ti, 1) > ti, dateadd(MONTH, 1, ti), datediff(WEEK, ti, th), convert_timezone('Europe/Berlin', 'Asia/Tokyo', th) FROM n[W]
SELECT window.start, window.end, count(*) FROM (SELECT window(ts, '2 seconds') AS window FROM n[W]) GROUP BY window
SELECT window(ts, '5 seconds').start AS s, sum(tc) FROM n[W] GROUP BY window(ts, '5 seconds')
SELECT count(*), window.start FROM n[W] GROUP BY window(ts, '4 seconds', '2 seconds') ORDER BY 2
SELECT session_window.start, count(*) FROM n[W] GROUP BY session_window(ts, '2 seconds')
SELECT transform(l, x -> coalesce(x, 0) * a), filter(l, (x, i) -> i > 0), exists(l, x -> x = 2), aggregate(l, 0, (acc, x) -> acc + ifnull(x, 0), acc -> acc * 2), array_sort(l, (p, q) -> CASE WHEN p < q THEN 1 WHEN p > q THEN -1 ELSE 0 END) FROM r[W]
SELECT m, map_keys(m), m[1], element_at(m, 2), map_filter(m, (k, v) -> v > 1), transform_values(m, (k, v) -> k * v), map_concat(m, map(100, a)), size(m), cardinality(m), map_contains_key(m, 3), map_entries(m)[0].value, map_from_entries(map_entries(m)) FROM s[W]
SELECT st, st.x, st.y, struct(st.*), named_struct('q', st).q.y, st IS NULL, st = named_struct('x', 1, 'y', 'u'), to_json(st), st.x + 1 AS nx FROM r[W] WHERE st.y = 'u' OR st IS NULL
SELECT st.y, count(*) FROM r[W] GROUP BY st.y HAVING max(st.x) > 0
SELECT max(l), min(l), count(DISTINCT l), max(st.x), count(l) FROM r[W]
SELECT l, count(*) FROM r[W] GROUP BY l
SELECT st, sum(e) FROM r[W] GROUP BY st
SELECT DISTINCT l, st FROM r[W]
SELECT x.l FROM r[W] x JOIN r[W] y ON x.l = y.l
SELECT a FROM r[W] ORDER BY st.y DESC NULLS LAST, l, a
SELECT variant_get(parse_json(to_json(st)), '$.x', 'int'), parse_json('{"k":[1,2]}'):k[1]::STRING, try_parse_json('{bad'), to_json(parse_json('{"a":1}')), is_variant_null(parse_json('null')), CAST(a AS VARIANT)::INT FROM r[W]
SELECT schema_of_variant(parse_json(d)) FROM (SELECT concat('[', a, ']') AS d FROM r[W])
SELECT v.pos, v.value::INT FROM r[W], LATERAL variant_explode(parse_json(to_json(l))) AS v
SELECT from_json(j, 'x INT, y STRING').x, json_tuple(j, 'x', 'y') FROM (SELECT to_json(st) AS j FROM r[W])
SELECT k.key, k.value FROM r[W], LATERAL explode(from_json(to_json(st), 'MAP<STRING, STRING>')) AS k(key, value)
SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(i, s) JOIN s[W] ON v.i = s.a
SELECT * FROM (VALUES (1), (NULL)) AS x(v) WHERE v NOT IN (SELECT a FROM s[W] WHERE a > 1)
SELECT i.v + s.a FROM (SELECT 1 AS v) i CROSS JOIN s[W]
SELECT `a`, `s`.`b`, s.c FROM s[W] AS `s` WHERE `s`.`a` = 1
SELECT a AS `select`, b AS `from`, c AS `x.y z` FROM s[W] ORDER BY `select`, `from`
SELECT IDENTIFIER('a'), IDENTIFIER('b') + 1 FROM s[W]
SELECT IDENTIFIER('max')(a) FROM s[W]
SELECT count(1) FROM s[W] WHERE 1 = 0
SELECT max(a) FROM s[W] WHERE 1 = 0 HAVING count(*) = 0
SELECT 1 FROM s[W] HAVING true
SELECT 'x' FROM s[W] HAVING count(*) > 3
SELECT a FROM s[W] GROUP BY a HAVING a > 1 AND sum(b) IS NOT NULL
SELECT a + 1, sum(b) FROM s[W] GROUP BY a + 1 HAVING a + 1 > 2
SELECT a + b, count(*) FROM s[W] GROUP BY a + b ORDER BY a + b
SELECT count(*), a FROM s[W] GROUP BY 2 ORDER BY 1 DESC, 2 NULLS LAST
SELECT a AS k, b AS k FROM s[W] 
SELECT a k, count(b) FROM s[W] GROUP BY k
SELECT 1 AS one, count(*) FROM s[W] GROUP BY one
SELECT a, sum(b) AS t FROM s[W] GROUP BY ALL ORDER BY ALL
SELECT c, a > 1 AS g, avg(b) FROM s[W] GROUP BY ALL
SELECT sum(b) + 1 AS x, x * 2 AS y, a FROM s[W] GROUP BY a
SELECT a, b, grouping(a) FROM s[W] GROUP BY a, b WITH ROLLUP
SELECT a, b, count(*) FROM s[W] GROUP BY a, GROUPING SETS ((b), ())
SELECT a, c, sum(b) FROM s[W] GROUP BY GROUPING SETS ((a, c), (a), ()), ROLLUP(c)
SELECT a, c, grouping_id() FROM s[W] GROUP BY CUBE(a, c) HAVING grouping_id() > 0
SELECT a, count(*) FROM s[W] GROUP BY CUBE(a) ORDER BY grouping(a), a
SELECT sum(a) OVER (ORDER BY b RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING), a, b FROM s[W]
SELECT DISTINCT a, sum(b) OVER (PARTITION BY a) FROM s[W]
SELECT a, sum(sum(b)) OVER (ORDER BY a) FROM s[W] GROUP BY a
SELECT a, b FROM s[W] SORT BY a, b
SELECT a FROM (SELECT a FROM s[W] ORDER BY a NULLS LAST LIMIT 3) ORDER BY a DESC
SELECT a FROM s[W] WHERE a = (SELECT max(a) FROM (SELECT a FROM r[W] ORDER BY a LIMIT 2))
SELECT (SELECT min(b) FROM r[W]) + (SELECT max(b) FROM r[W]) * a FROM s[W]
SELECT a, CASE WHEN EXISTS (SELECT 1 FROM r[W] WHERE r.a = s.a) THEN 'y' ELSE 'n' END FROM s[W]
SELECT a, (SELECT sum(r.b) FROM r[W] WHERE r.a = s.a AND r.b > s.b) FROM s[W]
SELECT a FROM s[W] WHERE (SELECT count(*) FROM r[W] WHERE r.a = s.a) = 2
SELECT sum((SELECT max(b) FROM r[W] WHERE r.a = s.a)) FROM s[W]
SELECT a, max((SELECT max(b) FROM r[W])) FROM s[W] GROUP BY a
SELECT a FROM s[W] GROUP BY a HAVING max(b) > (SELECT avg(b) FROM r[W] WHERE r.a = s.a)
SELECT * FROM s[W] x WHERE EXISTS (SELECT * FROM s[W] y WHERE x.a = y.b AND EXISTS (SELECT * FROM r[W] z WHERE z.a = y.a AND z.b >= y.b))
SELECT a FROM s[W] WHERE b IN (SELECT b FROM r[W] WHERE r.a IN (SELECT a FROM t WHERE n <> 'two'))
SELECT a FROM s[W] WHERE a IN (SELECT count(*) FROM r[W] WHERE r.a = s.a)
SELECT /*+ BROADCAST(r) */ s.a, r.b FROM s[W] JOIN r[W] ON s.a = r.a
SELECT /*+ REPARTITION(3), COALESCE(1) */ a FROM s[W]
SELECT a, b FROM s[W] CLUSTER BY a
SELECT TRANSFORM(a, b) USING 'cat' AS (x STRING, y STRING) FROM s[W]
SELECT if(a > 1, array(a), array()), coalesce(l, array(0)) FROM s[W] JOIN r[W] USING (a)
SELECT named_struct('a', a, 'b', struct(b, c)).b.c FROM s[W]
SELECT count(*) FROM s[W] x, s[W] y, s[W] z WHERE x.a = y.a AND y.b = z.b
SELECT s.*, r.d FROM s[W] FULL JOIN r[W] ON s.a = r.a AND s.b < r.b
SELECT * FROM s[W] LEFT JOIN r[W] USING (a, b)
SELECT a, s.ts, r.ts FROM s[W] FULL OUTER JOIN r[W] USING (a)
SELECT s.a FROM s[W] LEFT SEMI JOIN r[W] ON s.a = r.a AND r.b > 1
SELECT s.a FROM s[W] ANTI JOIN r[W] ON s.a = r.a
SELECT x.a FROM s[W] x JOIN LATERAL (SELECT y.b FROM r[W] y WHERE y.a = x.a) z ON z.b > 1
SELECT * FROM (SELECT a FROM s[W]) UNION ALL (SELECT b FROM r[W]) ORDER BY 1 NULLS LAST LIMIT 5
(SELECT a FROM s[W] ORDER BY a LIMIT 2) UNION ALL (SELECT b FROM r[W] ORDER BY b DESC LIMIT 1)
SELECT a FROM s[W] UNION SELECT a FROM r[W] INTERSECT SELECT b FROM r[W]
SELECT a, b FROM s[W] EXCEPT SELECT a, b FROM r[W]
SELECT a, 1.5 FROM s[W] UNION ALL SELECT e, b FROM r[W]
SELECT NULL AS x FROM s[W] UNION SELECT a FROM s[W]
FROM s[W] |> WHERE a > 1 |> SELECT a, b + 1 AS n |> ORDER BY n DESC |> LIMIT 2
FROM emp[W] |> AGGREGATE count(*) AS n, avg(salary) AS pay GROUP BY dept_id |> WHERE n > 1
FROM emp[W] |> EXTEND salary * 2 AS twice |> DROP salary |> SELECT id, twice
FROM emp[W] |> AS e |> JOIN dept[W] AS d ON e.dept_id = d.dept_id |> AGGREGATE max(e.salary) GROUP BY d.state
FROM s[W] |> SELECT a, b |> EXCEPT DISTINCT SELECT a, b FROM r[W]
FROM w[W] |> SELECT val, cate |> PIVOT (sum(val) FOR cate IN ('a', 'b'))
FROM w[W] |> EXTEND rank() OVER (PARTITION BY cate ORDER BY val) AS rk |> WHERE rk = 1 |> SELECT cate, val
FROM s[W] |> AGGREGATE sum(b) GROUP BY a + 1 |> ORDER BY 1
TABLE dept[W]
TABLE s[W] |> WHERE c = 'x'
SELECT sum(l_extendedprice * (1 - l_discount)) FROM (SELECT tg AS l_extendedprice, CAST(0.05 AS DECIMAL(12, 2)) AS l_discount, ti AS l_shipdate FROM n[W]) WHERE l_shipdate >= DATE'2014-01-01' AND l_shipdate < DATE'2014-01-01' + INTERVAL '1' YEAR
SELECT ta, sum(tg) AS sum_qty, sum(tg * (1 - 0.04)) AS disc, avg(tg) AS avg_qty, count(*) AS n FROM n[W] WHERE ti <= DATE'2014-12-01' - INTERVAL '90' DAY GROUP BY ta ORDER BY ta
SELECT 100.00 * sum(CASE WHEN ta LIKE 'val1a%' THEN tg * (1 - 0.5) ELSE 0 END) / sum(tg * (1 - 0.5)) AS promo FROM n[W]
SELECT * FROM (SELECT avg(tg) b1, count(tg) c1, count(DISTINCT tg) d1 FROM n[W] WHERE tb BETWEEN 0 AND 8) x, (SELECT avg(tg) b2, count(tg) c2, count(DISTINCT tg) d2 FROM n[W] WHERE tb > 8 OR tc > 10) y LIMIT 100
SELECT ta, sum(tg) AS rev, sum(tg) * 100 / sum(sum(tg)) OVER (PARTITION BY tj) AS ratio FROM n[W] GROUP BY ta, tj ORDER BY ta, ratio
SELECT hll_sketch_estimate(hll_sketch_agg(tc)), hll_sketch_estimate(hll_union_agg(sk)) FROM (SELECT tc, hll_sketch_agg(td) AS sk FROM n[W] GROUP BY tc) GROUP BY tc
SELECT theta_sketch_estimate(theta_sketch_agg(tc)) FROM n[W]
SELECT kll_sketch_get_n_bigint(kll_sketch_agg_bigint(td)) FROM n[W]
SELECT approx_top_k(ta) FROM n[W] WHERE ta = 'val1b'
SELECT try_add(tk, 127Y), try_divide(tg, 0), try_multiply(td, 9223372036854775807), try_subtract(ti, 1), try_cast(ta AS INT), try_to_timestamp(ta), try_avg(tc), try_sum(td) FROM n[W] GROUP BY tk, tg, td, ti, ta
SELECT parse_url(concat('http://x.org/', ta, '?q=1'), 'PATH'), url_encode(ta), try_url_decode(ta) FROM n[W]
SELECT xpath_string(concat('<a><b>', tc, '</b></a>'), 'a/b'), xpath_double('<a>1</a>', 'a'), from_xml('<r><a>1</a></r>', 'a INT').a, from_csv(concat(tb, ',', ta), 'x INT, y STRING').y FROM n[W]
SELECT ceil(tf, 1), floor(te, -1), round(tc, -1), bround(tg, 1), rint(tf), truncate_me FROM (SELECT tf, te, tc, tg, tb AS truncate_me FROM n[W] WHERE ta <> 'val1c')
SELECT pow(tb, 2), sqrt(tc), cbrt(td), exp(tk), ln(tc), log(10, tc), log1p(tb), factorial(tk), sign(tk), abs(tk), negative(tb), positive(tc), pmod(-tc, 5), mod(td, 4), hypot(tb, tc), degrees(tf), radians(te) FROM n[W] WHERE tk BETWEEN 0 AND 100
SELECT tb << 2, td >> 1, td >>> 1, ~tc, tc ^ td, tc | tb, bit_count(td), bit_length(ta), shiftleft(tb, 1), getbit(td, 0) FROM n[W]
SELECT CAST(tf AS INT), CAST(te AS BIGINT), CAST(tg AS BOOLEAN), CAST(ti AS STRING), CAST('2014-04-04' AS DATE) = ti, CAST(tj AS DECIMAL(3, 1)), CAST(ts AS BIGINT), CAST(tc AS TIMESTAMP), CAST(th AS STRING), CAST(ta AS DATE) FROM n[W]
SELECT tc = '8', tc > '7', tg = '2000.00', ti = '2014-04-04', ti > '2014', ta > 1, ts > '2024-01-01', tj = 'true', th = '2024-02-04 01:30:00' FROM n[W]
SELECT ta || tc, tc || td, concat(ta, tg), ta + 1, '5' * tc, tc / '2', -'3', tc + '1.5', '2' > 1, ta = 0 FROM n[W]
SELECT array(tb, tc, td), array(tg, tf), map('x', tb, 'y', td), coalesce(tb, td), greatest(tb, tg), CASE WHEN tj THEN tb ELSE tg END, nvl2(tb, tc, tf) FROM n[W]
