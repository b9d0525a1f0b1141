-- subq, in combinations that a stranger would try.
SELECT a FROM s[W] WHERE a IN (SELECT a FROM r[W] WHERE r.b = s.b)
SELECT a FROM s[W] WHERE a NOT IN (SELECT a FROM r[W] WHERE a IS NOT NULL)
SELECT a FROM s[W] WHERE (a, b) IN (SELECT a, b FROM r[W])
SELECT a FROM s[W] WHERE (a, b) NOT IN (SELECT b, a FROM r[W] WHERE a IS NOT NULL AND b IS NOT NULL)
SELECT a FROM s[W] WHERE EXISTS (SELECT 1 FROM r[W] WHERE r.a = s.a AND r.b > s.b)
SELECT a FROM s[W] WHERE NOT EXISTS (SELECT * FROM r[W] WHERE r.a = s.a)
SELECT a FROM s[W] WHERE EXISTS (SELECT 1 FROM r[W] WHERE r.a = s.a) OR b = 1
SELECT a FROM s[W] WHERE EXISTS (SELECT 1 FROM r[W] WHERE r.a = s.a) AND NOT EXISTS (SELECT 1 FROM t WHERE t.a = s.b)
SELECT a FROM s[W] WHERE EXISTS (SELECT count(*) FROM r[W] WHERE r.a = s.a)
SELECT a FROM s[W] WHERE EXISTS (SELECT max(b) FROM r[W] WHERE r.a = s.a GROUP BY d HAVING max(b) > 1)
SELECT a FROM s[W] WHERE EXISTS (SELECT 1 FROM r[W] WHERE r.a = s.a LIMIT 1)
SELECT a FROM s[W] WHERE EXISTS (SELECT 1 FROM r[W] WHERE r.a = s.a ORDER BY b LIMIT 1 OFFSET 1)
SELECT a FROM s[W] WHERE EXISTS (SELECT a, count(*) FROM r[W] GROUP BY a LIMIT 2)
SELECT a, (SELECT max(b) FROM r[W] WHERE r.a = s.a) AS m FROM s[W]
SELECT a, (SELECT count(*) FROM r[W] WHERE r.a = s.a) AS n FROM s[W]
SELECT a, (SELECT count(*) FROM r[W] WHERE r.b > s.b) AS n FROM s[W]
SELECT a, (SELECT sum(r.b) + s.b FROM r[W] WHERE r.a = s.a) FROM s[W]
SELECT a, (SELECT d FROM r[W] WHERE r.a = s.a AND r.b = 3) FROM s[W]
SELECT a, (SELECT max(b) FROM (SELECT b FROM r[W] WHERE r.a = s.a UNION ALL SELECT 0)) FROM s[W]
SELECT a FROM s[W] WHERE b > (SELECT avg(b) FROM r[W])
SELECT a FROM s[W] WHERE b = (SELECT min(b) FROM s[W] x WHERE x.a = s.a)
SELECT a FROM s[W] WHERE a + 1 IN (SELECT b FROM r[W]) AND b IN (SELECT a FROM r[W])
SELECT a FROM s[W] WHERE a IN (SELECT max(a) FROM r[W] GROUP BY b)
SELECT a FROM s[W] WHERE a IN (SELECT a FROM r[W] UNION SELECT a FROM t)
SELECT a FROM s[W] WHERE a IN (SELECT a FROM r[W] INTERSECT SELECT a FROM t)
SELECT a FROM s[W] WHERE a IN (SELECT a FROM r[W] ORDER BY b LIMIT 2)
SELECT a FROM s[W] WHERE a IN (SELECT DISTINCT a FROM r[W] WHERE b IN (SELECT a FROM t))
SELECT a FROM s[W] WHERE a NOT IN (1, 2) AND b NOT IN (SELECT b FROM r[W] WHERE false)
SELECT a FROM s[W] WHERE a IN (1, NULL) OR c IN ('x', 'y')
SELECT a FROM s[W] WHERE a IN (SELECT row_number() OVER (ORDER BY b) FROM r[W])
SELECT CASE WHEN a IN (SELECT a FROM r[W]) THEN 'in' ELSE 'out' END AS x, count(*) FROM s[W] GROUP BY 1
SELECT CASE WHEN EXISTS (SELECT 1 FROM r[W] WHERE r.a = s.a) THEN 1 ELSE 0 END FROM s[W]
SELECT sum(CASE WHEN a IN (SELECT a FROM t) THEN 1 ELSE 0 END) FROM s[W]
SELECT a FROM (SELECT a, b FROM s[W]) x WHERE x.b > (SELECT min(y.b) FROM r[W] y WHERE y.a = x.a)
SELECT c, max(a) FROM s[W] GROUP BY c HAVING max(a) > (SELECT avg(a) FROM r[W])
SELECT c, sum(b) FROM s[W] GROUP BY c HAVING sum(b) > ALL (SELECT 1)
SELECT a FROM s[W] ORDER BY (SELECT max(b) FROM r[W] WHERE r.a = s.a) NULLS FIRST, a LIMIT 3
SELECT (SELECT max(a) FROM s[W]) + (SELECT min(b) FROM r[W]) AS x
SELECT (SELECT count(*) FROM s[W]) AS n, (SELECT count(*) FROM r[W]) AS m FROM t WHERE a = 1
SELECT a FROM s[W] WHERE (SELECT count(*) FROM r[W] WHERE r.a = s.a) > 1
SELECT a FROM s[W] WHERE (SELECT max(d) FROM r[W] WHERE r.a = s.a) IS NULL
SELECT a, coalesce((SELECT sum(b) FROM r[W] WHERE r.a = s.a), 0) FROM s[W]
SELECT a FROM s[W] x WHERE EXISTS (SELECT 1 FROM r[W] y WHERE y.a = x.a AND EXISTS (SELECT 1 FROM t z WHERE z.a = y.b))
SELECT a FROM s[W] x WHERE b IN (SELECT b FROM r[W] y WHERE y.a = x.a AND y.b IN (SELECT a FROM t z WHERE z.a = x.b))
WITH x AS (SELECT a, count(*) AS n FROM s[W] GROUP BY a) SELECT a FROM x WHERE n = (SELECT max(n) FROM x)
WITH x AS (SELECT a FROM s[W]), y AS (SELECT a FROM x WHERE a > 1) SELECT (SELECT count(*) FROM x), (SELECT count(*) FROM y)
WITH x(k, v) AS (SELECT a, b FROM s[W]) SELECT k, sum(v) FROM x GROUP BY k
WITH x AS (WITH y AS (SELECT a FROM s[W]) SELECT a + 1 AS a FROM y) SELECT * FROM x
WITH s AS (SELECT a + 10 AS a FROM s[W]) SELECT a FROM s
SELECT a FROM (WITH q AS (SELECT a FROM s[W]) SELECT a FROM q) WHERE a > 1
SELECT a, b FROM s[W] WHERE struct(a, b) IN (SELECT struct(a, b) FROM r[W])
SELECT a FROM s[W] WHERE array_contains((SELECT collect_list(b) FROM r[W]), a)
SELECT a, (SELECT array_sort(collect_list(b)) FROM r[W] WHERE r.a = s.a) FROM s[W]
SELECT a, (SELECT named_struct('m', max(b), 'n', count(*)) FROM r[W] WHERE r.a = s.a).m FROM s[W]
SELECT a FROM s[W] WHERE a <=> (SELECT NULL)
SELECT a FROM s[W] WHERE b BETWEEN (SELECT min(b) FROM r[W]) AND (SELECT max(b) FROM r[W])
SELECT a FROM s[W] WHERE NOT (a = 1 AND b IN (SELECT b FROM r[W]))
SELECT a FROM s[W] WHERE (a IN (SELECT a FROM r[W])) = (b IN (SELECT b FROM r[W]))
SELECT x.a, (SELECT max(z.b) FROM r[W] z WHERE z.a = x.a AND z.b < y.b) FROM s[W] x JOIN r[W] y ON x.a = y.a
