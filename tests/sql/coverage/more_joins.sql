-- joins, in combinations that a stranger would try.
SELECT s.a, r.d FROM s[W] JOIN r[W] ON s.a = r.a AND s.b < r.b
SELECT s.a, r.d FROM s[W] LEFT JOIN r[W] ON s.a = r.a AND r.b > 1
SELECT s.a, r.d FROM s[W] RIGHT JOIN r[W] ON s.a = r.a AND s.b = 2
SELECT s.a, r.a FROM s[W] FULL OUTER JOIN r[W] ON s.a = r.a
SELECT s.a, r.a FROM s[W] FULL JOIN r[W] ON s.a = r.a AND s.b > r.b
SELECT * FROM s[W] LEFT ANTI JOIN r[W] USING (a)
SELECT * FROM s[W] LEFT SEMI JOIN r[W] ON s.a <=> r.a
SELECT a, d FROM s[W] JOIN r[W] USING (a, b)
SELECT * FROM s[W] CROSS JOIN (SELECT max(b) AS m FROM r[W])
SELECT x.a, y.a, z.a FROM s[W] x JOIN r[W] y ON x.a = y.a LEFT JOIN t z ON z.a = y.b
SELECT x.a, count(*) FROM s[W] x, s[W] y WHERE x.a = y.b AND x.ts <> y.ts GROUP BY x.a
SELECT s.a, u.k FROM s[W] JOIN (VALUES (1, 'one'), (2, 'two')) AS u(n, k) ON s.a = u.n
SELECT a, t.n FROM s[W] NATURAL JOIN t
SELECT s.a, t.n FROM s[W] LEFT JOIN t ON s.a = t.a WHERE t.n IS NULL
SELECT s.c, x.n FROM s[W], LATERAL (SELECT count(*) AS n FROM r[W] WHERE r.a = s.a) x
SELECT s.c, x.d FROM s[W], LATERAL (SELECT d FROM r[W] WHERE r.a = s.a ORDER BY d LIMIT 1) x
SELECT s.a, x.m FROM s[W] LEFT JOIN LATERAL (SELECT max(b) AS m FROM r[W] WHERE r.a < s.a GROUP BY r.d) x ON true
SELECT s.a, l.v FROM s[W], LATERAL (SELECT s.a + s.b) AS l(v)
SELECT s.a, l.v, k.w FROM s[W], LATERAL (SELECT s.a * 2 AS v) l, LATERAL (SELECT l.v + 1 AS w) k
SELECT s.a, l.x FROM s[W], LATERAL (SELECT r.b AS x FROM r[W] WHERE r.a = s.a UNION ALL SELECT s.b) l
SELECT r.a, v.col FROM r[W], LATERAL explode(r.l) v
SELECT k, v FROM s[W] LATERAL VIEW OUTER explode(m) e AS k, v
SELECT a, p, v FROM r[W] LATERAL VIEW posexplode(l) e AS p, v WHERE v IS NOT NULL
SELECT a, x, y FROM r[W] LATERAL VIEW explode(l) e1 AS x LATERAL VIEW explode(l) e2 AS y
SELECT a, inline(array(struct(1 AS p, 'u' AS q), struct(2, 'v'))) FROM s[W] WHERE a = 3
SELECT a, x FROM s[W] LATERAL VIEW stack(2, a, b) e AS x
SELECT a, explode_outer(l) FROM r[W]
SELECT a, posexplode_outer(l) AS (p, v) FROM r[W]
SELECT count(*) FROM s[W] x JOIN s[W] y ON x.a = y.a JOIN s[W] z ON y.b = z.b
SELECT x.a FROM s[W] x JOIN r[W] y ON x.a = y.a OR x.b = y.b
SELECT x.a, y.a FROM s[W] x LEFT JOIN r[W] y ON x.a > y.a AND x.c = y.d
SELECT x.a FROM s[W] x WHERE x.a = (SELECT max(y.a) FROM r[W] y WHERE y.b = x.b)
SELECT s.a, r.a FROM s[W] JOIN r[W] ON upper(s.c) = upper(r.d)
SELECT * FROM (SELECT a FROM s[W]) x FULL OUTER JOIN (SELECT a FROM r[W]) y USING (a) FULL OUTER JOIN (SELECT a FROM t) z USING (a)
SELECT s.*, r.e FROM s[W] JOIN r[W] ON s.a = r.a WHERE r.e BETWEEN 1 AND 2
SELECT s.a, r.st.x FROM s[W] JOIN r[W] ON s.a = r.st.x
SELECT s.a, element_at(s.m, r.b) FROM s[W] JOIN r[W] ON s.a = r.a
SELECT /*+ BROADCAST(r) */ s.a FROM s[W] JOIN r[W] ON s.a = r.a
SELECT s.a FROM s[W] JOIN r[W] ON s.ts = r.ts
SELECT s.a FROM s[W] JOIN r[W] ON s.ts BETWEEN r.ts - INTERVAL 1 SECOND AND r.ts + INTERVAL 1 SECOND
SELECT count(*) FROM s[W] LEFT JOIN r[W] ON false
SELECT count(*) FROM s[W] JOIN r[W] ON NULL
SELECT s.a, r.b FROM (s[W] JOIN r[W] ON s.a = r.a)
SELECT x.a FROM ((SELECT a FROM s[W]) x JOIN (SELECT a FROM r[W]) y ON x.a = y.a)
SELECT s.a FROM s[W] INNER JOIN r[W] JOIN t ON s.a = r.a AND r.a = t.a
SELECT s.a, t.a, r.a FROM s[W] JOIN t JOIN r[W] ON r.a = t.a ON s.a = t.a
SELECT coalesce(s.a, r.a) AS k, count(s.ts), count(r.ts) FROM s[W] FULL JOIN r[W] ON s.a = r.a AND s.b = r.b GROUP BY 1
