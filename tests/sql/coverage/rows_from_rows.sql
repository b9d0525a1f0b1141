-- generators, LATERAL VIEW, PIVOT, UNPIVOT, table functions, TABLE, pipes
SELECT explode(l) FROM r[W]
SELECT a, explode(l) FROM r[W]
SELECT a, explode(l) AS x FROM r[W]
SELECT a, explode_outer(l) AS x FROM r[W]
SELECT a, posexplode(l) FROM r[W]
SELECT a, posexplode(l) AS (p, x) FROM r[W]
SELECT a, posexplode_outer(l) AS (p, x) FROM r[W]
SELECT explode(m) FROM s[W]
SELECT explode(m) AS (k, v) FROM s[W]
SELECT a, explode_outer(m) AS (k, v) FROM s[W]
SELECT inline(array(struct(a, b))) AS (p, q) FROM s[W]
SELECT a, inline_outer(array(struct(b, c))) FROM s[W]
SELECT stack(2, a, b) FROM s[W]
SELECT stack(2, a, b) AS x FROM s[W]
SELECT stack(2, 'a', a, 'b', b) AS (k, v) FROM s[W]
SELECT json_tuple('{"x": 1, "y": 2}', 'x', 'y') FROM s[W]
SELECT a, json_tuple('{"x": 1, "y": 2}', 'x', 'y') AS (p, q) FROM s[W]
SELECT explode(array(a, b)) FROM s[W] WHERE a > 1
SELECT explode(split(c, '')) FROM s[W]
SELECT explode(collect_list(a)) FROM s[W]
SELECT a, x FROM r[W] LATERAL VIEW explode(l) v AS x
SELECT a, x FROM r[W] LATERAL VIEW explode(l) AS x
SELECT a, x FROM r[W] LATERAL VIEW OUTER explode(l) v AS x
SELECT a, p, x FROM r[W] LATERAL VIEW posexplode(l) v AS p, x
SELECT a, k, v FROM s[W] LATERAL VIEW explode(m) e AS k, v
SELECT a, x, y FROM r[W] LATERAL VIEW explode(l) v AS x LATERAL VIEW explode(l) w AS y
SELECT a, x, y FROM r[W] LATERAL VIEW explode(l) v AS x LATERAL VIEW explode(array(x, x + 1)) w AS y
SELECT x, count(*) FROM r[W] LATERAL VIEW explode(l) v AS x GROUP BY x
SELECT v.x, r.a FROM r[W] LATERAL VIEW explode(l) v AS x WHERE v.x > 1
SELECT v.* FROM r[W] LATERAL VIEW explode(l) v AS x
SELECT * FROM r[W] LATERAL VIEW explode(l) v AS x
SELECT a, p, q FROM s[W] LATERAL VIEW inline(array(struct(a, b))) v AS p, q
SELECT a, v.x FROM s[W] LATERAL VIEW stack(2, a, b) v AS x
SELECT a, p, q FROM s[W] LATERAL VIEW json_tuple('{"x": 1}', 'x', 'y') v AS p, q
SELECT a, x FROM s[W] LATERAL VIEW explode(array(1, 2)) v AS x ORDER BY a, x LIMIT 3
SELECT r.a, x FROM r[W], LATERAL explode(l) AS v(x)
SELECT r.a, v.col FROM r[W] JOIN LATERAL explode(r.l) v
SELECT r.a, x FROM r[W] LEFT JOIN LATERAL explode(l) AS v(x)
SELECT * FROM explode(array(1, 2)), s[W]
SELECT id, a FROM range(1, 3), s[W]
SELECT col, a FROM s[W], explode(array(10, 20)) WHERE a = 1
SELECT * FROM s[W] PIVOT (sum(b) FOR a IN (1, 2))
SELECT * FROM (SELECT a, b, c FROM s[W]) PIVOT (sum(b) FOR a IN (1, 2, 3))
SELECT * FROM (SELECT a, b, c FROM s[W]) PIVOT (sum(b) AS total, count(b) AS n FOR a IN (1 AS one, 2 AS two))
SELECT * FROM (SELECT a, b FROM s[W]) PIVOT (max(b) FOR a IN (1, 2))
SELECT * FROM (SELECT a, b, c FROM s[W]) PIVOT (count(*) FOR (a, c) IN ((1, 'x'), (2, 'y')))
SELECT one FROM (SELECT a, b FROM s[W]) PIVOT (sum(b) FOR a IN (1 AS one))
SELECT * FROM (SELECT a, b, c FROM s[W]) UNPIVOT (v FOR k IN (a, b))
SELECT * FROM (SELECT a, b, c FROM s[W]) UNPIVOT INCLUDE NULLS (v FOR k IN (a, b))
SELECT * FROM (SELECT a, b, c FROM s[W]) UNPIVOT (v FOR k IN (a AS 'A', b AS 'B'))
SELECT * FROM (SELECT a, b FROM s[W]) UNPIVOT ((p, q) FOR k IN ((a, b), (b, a)))
TABLE s[W]
SELECT * FROM (TABLE r[W]) WHERE a = 1
SELECT a FROM s[W] WHERE a IN (SELECT a FROM (TABLE t))
FROM s[W]
FROM s[W] |> WHERE a > 1
FROM s[W] |> SELECT a, b
FROM s[W] |> WHERE a > 1 |> SELECT a + 1 AS x
FROM s[W] |> EXTEND a + b AS x
FROM s[W] |> SET a = a + 1
FROM s[W] |> DROP m
FROM s[W] |> AS x |> SELECT x.a
FROM s[W] |> AGGREGATE sum(b) AS x
FROM s[W] |> AGGREGATE sum(b) AS x GROUP BY a
FROM s[W] |> AGGREGATE count(*) GROUP BY a + 1 AS g |> SELECT g
FROM s[W] |> AGGREGATE count(*) AS n GROUP BY a |> WHERE n > 1
FROM s[W] |> JOIN r[W] ON s.a = r.a |> SELECT s.a, r.d
FROM s[W] |> LEFT JOIN t USING (a) |> SELECT a, n
FROM s[W] |> SELECT a |> UNION ALL (SELECT a FROM r[W])
FROM s[W] |> UNION ALL FROM s[W]
FROM s[W] |> SELECT a |> EXCEPT SELECT a FROM r[W]
FROM s[W] |> SELECT a |> INTERSECT DISTINCT SELECT a FROM r[W]
FROM s[W] |> SELECT a, b |> ORDER BY a, b |> LIMIT 2
FROM s[W] |> SELECT a, b |> ORDER BY a, b |> LIMIT 2 OFFSET 1
FROM s[W] |> SELECT a, b, c |> PIVOT (sum(b) FOR a IN (1, 2))
FROM s[W] |> SELECT a, b |> UNPIVOT (v FOR k IN (a, b))
FROM r[W] |> LATERAL VIEW explode(l) v AS x |> SELECT a, x
FROM r[W] |> SELECT a, explode(l) AS x
TABLE s[W] |> WHERE a = 1 |> SELECT b
SELECT a, b FROM s[W] |> WHERE a = 1
FROM s[W] SELECT a
FROM s[W] SELECT a, b WHERE a > 1
FROM s[W] |> SELECT a, sum(b) OVER (PARTITION BY a) AS x
FROM s[W] |> SELECT DISTINCT a
-- Rows made in FROM, placement, and names.
SELECT * FROM (SELECT count(*), sum(a), (b) FROM s[W] GROUP BY b)
SELECT `count(1)` + 1 AS x FROM (SELECT count(*) FROM s[W])
SELECT a, b FROM s[W] SORT BY a
SELECT a, b FROM s[W] DISTRIBUTE BY a SORT BY b DESC LIMIT 2
SELECT a, b FROM s[W] CLUSTER BY a
SELECT c LIKE ALL ('x%', '%x'), c LIKE ANY ('y%', 'x%'), c LIKE SOME ('q') FROM s[W]
SELECT c NOT LIKE ALL ('x%', '%x'), c NOT LIKE ANY ('y%', 'x%') FROM s[W]
SELECT count(*) FROM s[W], s[W]
SELECT a, c, d FROM (SELECT a, c FROM s[W]) NATURAL JOIN (SELECT a, d FROM r[W])
SELECT bitmap_count(X '1010'), x 'ff', X'0a' FROM s[W]
SELECT DISTINCT (a) FROM s[W] ORDER BY a
SELECT a, percentile_cont(0.5) WITHIN GROUP (ORDER BY b) OVER (PARTITION BY a) FROM s[W]
SELECT a, listagg(c, '-') WITHIN GROUP (ORDER BY c DESC) OVER (PARTITION BY a) FROM s[W]
SELECT r.a, x FROM r[W] LEFT JOIN LATERAL explode(l) AS v(x) ON true
SELECT r.a, x FROM r[W] LEFT JOIN LATERAL (SELECT explode(l) AS x)
SELECT r.a, x FROM r[W] LEFT JOIN LATERAL (SELECT explode(l) AS x) AS q ON q.x > 1
SELECT r.a, x FROM r[W] JOIN LATERAL explode(l) AS v(x)
SELECT r.a, x FROM r[W], LATERAL explode_outer(l) AS v(x)
SELECT r.a, z FROM r[W] LEFT JOIN LATERAL (SELECT b + 1 AS z FROM s[W] WHERE s.a = r.a AND s.b > 2) q
SELECT a, id FROM s[W], range(2)
SELECT a, id FROM s[W] JOIN range(5) ON a = id
SELECT id, a FROM range(10, 1, -4) AS t(id), s[W] WHERE a = 3
SELECT id FROM range(-2, 3, 2), (SELECT max(a) FROM s[W])
SELECT t.x, a FROM s[W], explode(array(10, 20)) AS t(x) WHERE a = 1
SELECT a, v.* FROM s[W], stack(2, 1, 'x', 2, 'y') AS v WHERE a = 3
SELECT a, p, c FROM s[W] CROSS JOIN posexplode(array('k', 'l')) AS u(p, c)
SELECT r.a, x FROM r[W] LEFT OUTER JOIN LATERAL (SELECT explode(l) AS x) ON TRUE
SELECT r.a, x FROM r[W] LEFT OUTER JOIN LATERAL (SELECT b + 1 AS x FROM s[W] WHERE r.a = s.a)
