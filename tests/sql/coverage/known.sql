-- Wrong answers and crashes of the past, each as it was found.
SELECT a, sum(a) OVER w2 FROM s[W] WINDOW w1 AS (ORDER BY a), w2 AS (w1)
SELECT a, sum(a) OVER w2 FROM s[W] WINDOW w1 AS (ORDER BY a), w2 AS w1
SELECT count(*) FROM s[W] WHERE false GROUP BY GROUPING SETS (())
SELECT sum(a) FROM s[W] WHERE false GROUP BY GROUPING SETS ((), ())
SELECT `all`, count(*) FROM (SELECT a AS `all` FROM s[W]) GROUP BY `all`
SELECT all FROM (SELECT a AS all FROM s[W]) GROUP BY all
SELECT x.all, x.b FROM (SELECT a AS `all`, b FROM s[W]) x ORDER BY all
SELECT nullif(a, 2) IN (SELECT b FROM s[W]) FROM s[W]
SELECT NULL IN (SELECT b FROM s[W] WHERE false) FROM s[W]
SELECT a, b FROM s[W] ORDER BY ALL
SELECT (SELECT x FROM VALUES (1, 2) AS i(all, x) ORDER BY ALL) FROM s[W]
SELECT a FROM s[W] WHERE EXISTS (SELECT a, count(*) FROM r[W] GROUP BY a LIMIT 1)
SELECT a FROM s[W] WHERE EXISTS (SELECT r.a, count(*) FROM r[W] WHERE r.a = s.a GROUP BY r.a LIMIT 1)
SELECT a FROM s[W] WHERE EXISTS (SELECT 1 FROM r[W] WHERE r.a = s.a OFFSET 1)
SELECT a FROM s[W] WHERE NOT EXISTS (SELECT 1 FROM r[W] WHERE r.a = s.a LIMIT 0)
SELECT m FROM s[W] LIMIT 10
SELECT m FROM s[W] WHERE a = 3 LIMIT 1
SELECT a FROM s[W] WHERE EXISTS (SELECT m FROM s[W] x WHERE x.a = s.b)
FROM s[W] |> UNION ALL FROM s[W]
FROM s[W] |> AGGREGATE count(*) GROUP BY a + 1 AS g |> SELECT g
WITH unused AS (SELECT a FROM s[W]) SELECT b FROM r[W]
WITH unused AS (SELECT max(a) FROM s[W]), q AS (SELECT b FROM r[W]) SELECT b FROM q
SELECT listagg(c, lower('-')) WITHIN GROUP (ORDER BY c) FROM s[W]
SELECT listagg(c, concat('<', '>')) WITHIN GROUP (ORDER BY length(c), c) FROM s[W]
SELECT percentile_approx(b, NULL) FROM s[W]
SELECT percentile_approx(b, CAST(NULL AS DOUBLE), 100) FROM s[W]
SELECT a, c, d FROM s[W] JOIN r[W] USING (a), r[W] AS x WHERE x.a = s.a
SELECT s.a, x.b FROM s[W] JOIN r[W] ON s.a = r.a, r[W] AS x WHERE x.b = s.b
SELECT avg(ts) IS NOT NULL, sum(CAST(a AS STRING)), avg(CAST(a AS STRING)) FROM s[W]
SELECT c FROM s[W] GROUP BY c HAVING sum(a) + 1
SELECT bool_and(CAST(a > 0 AS STRING)) FROM s[W]
SELECT count(DISTINCT *), count(DISTINCT x.*) FROM (SELECT a, b FROM s[W]) AS x
SELECT count(DISTINCT *) FILTER (WHERE a > 1) FROM (SELECT a, b FROM s[W])
SELECT listagg(DISTINCT CAST(a AS STRING), ',') WITHIN GROUP (ORDER BY CAST(a AS STRING) DESC) FROM s[W]
SELECT c, listagg(DISTINCT upper(c)) WITHIN GROUP (ORDER BY upper(c)) FROM s[W] GROUP BY c
SELECT count(*) FROM k[W] GROUP BY k.c
SELECT count(*), sum(c.a) FROM k[W] AS c GROUP BY c.st.x
SELECT CAST(tl AS STRING), CAST(X'61FF62' AS STRING) FROM n[W]
SELECT collect_list(x), first(x), listagg(c, '') FROM (SELECT a AS x, c FROM s[W] WHERE a IS NOT NULL ORDER BY a, ts)
SELECT c, array_agg(x) FROM (SELECT a AS x, c FROM s[W] ORDER BY a DESC, b LIMIT 4) WHERE x > 0 GROUP BY c
