-- Pipe syntax: every operator, alone and in chains.
FROM s[W] |> SELECT DISTINCT a
FROM s[W] |> WHERE a > 1 |> SELECT a, b
FROM s[W] |> WHERE a > 1 |> WHERE b < 3 |> SELECT s.a + 1 AS x
FROM s[W] |> EXTEND a + b AS n |> WHERE n > 2
FROM s[W] |> EXTEND a + b AS n, a * 2 AS m |> WHERE s.a < m |> SELECT *
FROM s[W] |> SET a = a + 1
FROM s[W] |> SET a = a + 1, b = a * 2
FROM s[W] |> SET a = a + 1 |> SELECT s.a, a
FROM s[W] |> DROP m, c
FROM s[W] |> DROP a |> SELECT s.a
FROM s[W] |> AS t |> SELECT t.a
FROM s[W] |> AGGREGATE sum(b) AS n GROUP BY a
FROM s[W] |> AGGREGATE sum(b), count(*) AS k GROUP BY a + 1 AS g |> SELECT g, k
FROM s[W] |> AGGREGATE count(*)
FROM s[W] |> AGGREGATE GROUP BY a
FROM s[W] |> AGGREGATE count(*) AS n, max(b) AS x GROUP BY a, c |> WHERE n > 1 |> ORDER BY a
FROM s[W] |> AGGREGATE sum(b) GROUP BY 1
FROM s[W] |> JOIN r[W] ON s.a = r.a |> SELECT s.a, r.b
FROM s[W] |> LEFT OUTER JOIN r[W] USING (a) |> SELECT *
FROM s[W] |> AS x |> JOIN (FROM r[W] |> WHERE b > 1) AS y ON x.a = y.a |> AGGREGATE count(*) AS n GROUP BY x.a
FROM s[W] |> LEFT SEMI JOIN r[W] ON s.a = r.a
FROM s[W] |> UNION ALL FROM s[W]
FROM s[W] |> SELECT a |> UNION ALL (SELECT b FROM r[W])
FROM s[W] |> SELECT a |> UNION SELECT b FROM r[W]
FROM s[W] |> SELECT a, b |> EXCEPT ALL SELECT a, b FROM r[W] |> ORDER BY a
FROM s[W] |> SELECT a, b |> INTERSECT TABLE r[W] |> SELECT a
FROM s[W] |> ORDER BY a DESC, b |> LIMIT 2
FROM s[W] |> ORDER BY a DESC, b LIMIT 2 OFFSET 1
FROM s[W] |> SELECT a, b |> PIVOT (sum(b) FOR a IN (1, 2))
FROM s[W] |> SELECT a, b |> UNPIVOT (v FOR k IN (a, b))
FROM s[W] |> SELECT a, sum(b) OVER w AS x WINDOW w AS (PARTITION BY a ORDER BY ts)
FROM s[W] |> EXTEND sum(b) OVER (PARTITION BY a) AS x |> DROP m
SELECT a, b FROM s[W] |> WHERE a = 1
SELECT a FROM s[W] UNION ALL SELECT a FROM r[W] |> AGGREGATE count(a) AS n
TABLE s[W] |> SELECT a
VALUES (1, 2), (3, 4) AS v(x, y) |> JOIN s[W] ON s.a = x |> SELECT x, y, b
WITH q AS (FROM s[W] |> WHERE a > 1) FROM q |> SELECT a |> AGGREGATE sum(a) AS x
SELECT * FROM (FROM s[W] |> SELECT a |> LIMIT 0) AS e
SELECT a FROM s[W] WHERE a IN (FROM r[W] |> SELECT b)
FROM s[W], r[W] |> WHERE s.a = r.a |> SELECT s.*, r.d |> DROP m
FROM r[W] |> JOIN LATERAL (SELECT r.a + 1 AS z) AS l |> SELECT z
FROM r[W] |> SELECT a |> EXTEND 1 AS one |> AS q |> JOIN q AS p ON true |> SELECT 1
FROM s[W] |> EXTEND a AS k |> AGGREGATE max(k) AS a GROUP BY c
FROM s[W] |> SELECT a, b |> ORDER BY b DESC NULLS LAST |> SELECT a |> LIMIT 3
FROM s[W] LATERAL VIEW explode(map_keys(m)) e AS k |> SELECT a, k
FROM s[W] |> WHERE EXISTS (FROM r[W] |> WHERE r.a = s.a) |> AGGREGATE count(*)
FROM s[W] |> LIMIT 100 |> AGGREGATE count(*)
FROM s[W] |> AGGREGATE count(*) AS n GROUP BY ROLLUP (a, c)
FROM s[W] |> SELECT c, a |> AGGREGATE count(*), sum(a) GROUP BY c AS name |> EXTEND upper(name) AS u
