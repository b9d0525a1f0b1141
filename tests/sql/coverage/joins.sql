-- FROM: joins, several relations
SELECT s.a, r.d FROM s[W] JOIN r[W] ON s.a = r.a
SELECT s.a, r.d FROM s[W] INNER JOIN r[W] ON s.a = r.a AND s.b > 1
SELECT s.a, r.d FROM s[W] LEFT JOIN r[W] ON s.a = r.a
SELECT s.a, r.d FROM s[W] LEFT OUTER JOIN r[W] ON s.a = r.a AND r.b > 1
SELECT s.a, r.d FROM s[W] RIGHT JOIN r[W] ON s.a = r.a
SELECT s.a, r.d FROM s[W] FULL OUTER JOIN r[W] ON s.a = r.a
SELECT s.a, r.d FROM s[W] CROSS JOIN r[W]
SELECT s.a, r.d FROM s[W], r[W]
SELECT s.a, r.d FROM s[W], r[W] WHERE s.a = r.a
SELECT s.a FROM s[W] LEFT SEMI JOIN r[W] ON s.a = r.a
SELECT s.a FROM s[W] SEMI JOIN r[W] ON s.a = r.a
SELECT s.a FROM s[W] LEFT ANTI JOIN r[W] ON s.a = r.a
SELECT s.a FROM s[W] ANTI JOIN r[W] ON s.a = r.a
SELECT a, c, d FROM s[W] JOIN r[W] USING (a)
SELECT * FROM s[W] JOIN r[W] USING (a)
SELECT a, b, c, d FROM s[W] JOIN r[W] USING (a, b)
SELECT a, c, d FROM s[W] LEFT JOIN r[W] USING (a)
SELECT a, c, d FROM s[W] FULL JOIN r[W] USING (a)
SELECT a, c, d FROM s[W] RIGHT JOIN r[W] USING (a)
SELECT s.a, r.a FROM s[W] JOIN r[W] USING (a)
SELECT a, c, d FROM (SELECT a, c FROM s[W]) NATURAL JOIN (SELECT a, d FROM r[W])
SELECT a, c, d FROM (SELECT a, c FROM s[W]) NATURAL LEFT JOIN (SELECT a, d FROM r[W])
SELECT a, c, d FROM (SELECT a, c FROM s[W]) NATURAL FULL OUTER JOIN (SELECT a, d FROM r[W])
SELECT * FROM s[W] JOIN r[W] ON s.a = r.a
SELECT x.a, y.b FROM s[W] x JOIN s[W] y ON x.a = y.b
SELECT x.a, y.a FROM s[W] x, s[W] y WHERE x.a < y.a
SELECT count(*) FROM s[W], s[W]
SELECT s.a, t.n FROM s[W] JOIN t ON s.a = t.a
SELECT s.a, t.n FROM s[W] LEFT JOIN t ON s.a = t.a
SELECT s.a, t.n FROM t RIGHT JOIN s[W] ON s.a = t.a
SELECT s.a, t.n, r.d FROM s[W] JOIN t ON s.a = t.a JOIN r[W] ON r.a = s.a
SELECT s.a, x.d FROM s[W] JOIN r[W] ON s.a = r.a, r[W] AS x
SELECT s.a, x.d FROM s[W] JOIN r[W] USING (a), r[W] AS x WHERE x.a = 1
SELECT s.a, r.d FROM (s[W] JOIN r[W] ON s.a = r.a)
SELECT s.a, t.n FROM s[W] JOIN (r[W] JOIN t ON r.a = t.a) ON s.a = r.a
SELECT s.a, r.d FROM s[W] JOIN r[W] ON s.a < r.a
SELECT s.a, r.d FROM s[W] JOIN r[W] ON s.a = r.a OR s.b = r.b
SELECT s.a, r.d FROM s[W] JOIN r[W] ON s.a <=> r.a
SELECT s.a, r.d FROM s[W] JOIN r[W]
SELECT s.a FROM s[W] LEFT SEMI JOIN r[W]
SELECT s.a FROM s[W] LEFT ANTI JOIN r[W] ON false
SELECT s.a, r.d FROM s[W] LEFT JOIN r[W] ON true
SELECT s.a, r.d FROM s[W] JOIN r[W] ON s.a = r.a AND s.b IN (SELECT a FROM t)
SELECT s.a, r.d FROM s[W] JOIN r[W] ON s.a = r.a AND EXISTS (SELECT 1 FROM t WHERE t.a = s.b)
SELECT s.a, r.d FROM s[W] LEFT JOIN r[W] ON s.a = r.a AND s.b IN (SELECT b FROM r[W])
SELECT s.a, r.d FROM s[W] JOIN r[W] ON s.a = (SELECT max(b) FROM r[W])
SELECT s.a, count(*) FROM s[W] JOIN r[W] ON s.a = r.a GROUP BY s.a
SELECT s.a, sum(r.e), max(s.b) FROM s[W] JOIN r[W] ON s.a = r.a GROUP BY s.a
SELECT s.a, count(r.d) FROM s[W] LEFT JOIN r[W] ON s.a = r.a GROUP BY s.a
SELECT x.a FROM s[W] x JOIN s[W] y USING (a) JOIN s[W] z USING (a)
SELECT q.a, r.d FROM (SELECT a, max(b) AS m FROM s[W] GROUP BY a) q JOIN r[W] ON q.a = r.a
SELECT q.n FROM (SELECT count(*) AS n FROM s[W]) q CROSS JOIN (SELECT count(*) AS n2 FROM r[W]) p
SELECT s.a, l.n FROM s[W], LATERAL (SELECT count(*) AS n FROM r[W] WHERE r.a = s.a) l
SELECT s.a, l.d FROM s[W] JOIN LATERAL (SELECT d FROM r[W] WHERE r.a = s.a) l
SELECT s.a, l.d FROM s[W] LEFT JOIN LATERAL (SELECT d FROM r[W] WHERE r.a = s.a) l ON true
SELECT s.a, l.x FROM s[W], LATERAL (SELECT s.a + s.b AS x) l
SELECT s.a, l.x FROM s[W] JOIN LATERAL (SELECT s.a + 1 AS x) AS l ON l.x > 2
SELECT a, v.x FROM s[W] CROSS JOIN (VALUES (1), (2)) AS v(x)
SELECT a, x FROM s[W] JOIN (VALUES (1, 'p'), (2, 'q')) AS v(y, x) ON a = y
SELECT a, x FROM s[W], VALUES (1), (2) AS v(x)
SELECT a, id FROM s[W], range(2)
SELECT a, id FROM s[W] JOIN range(5) ON a = id
SELECT s.c, t.n FROM s[W] ANTI JOIN r[W] USING (a) JOIN t ON true
SELECT s.a, r.a FROM s[W] LEFT JOIN r[W] ON s.a = r.a WHERE r.a IS NULL
SELECT s.a, r.a FROM s[W] FULL JOIN r[W] ON s.a = r.a WHERE s.a > 1 OR s.a IS NULL
SELECT x.a, y.a, z.a FROM s[W] x LEFT JOIN r[W] y ON x.a = y.a LEFT JOIN t z ON y.a = z.a
SELECT * FROM (SELECT a, b FROM s[W]) x JOIN (SELECT a, d FROM r[W]) y ON x.a = y.a
SELECT x.* , y.d FROM (SELECT a, b FROM s[W]) x JOIN (SELECT a, d FROM r[W]) y ON x.a = y.a
SELECT /*+ BROADCAST(r) */ s.a FROM s[W] JOIN r[W] ON s.a = r.a
SELECT s.a, r.l[0] FROM s[W] JOIN r[W] ON s.a = r.l[0]
SELECT s.a, r.a FROM s[W] JOIN r[W] ON s.a = r.a + 1 AND s.b BETWEEN 1 AND r.b
SELECT s.a, r.a FROM s[W] JOIN r[W] ON abs(s.a - r.a) <= 1
SELECT s.a, t.a FROM s[W] FULL JOIN t ON s.a = t.a
SELECT count(*) FROM s[W] x JOIN s[W] y ON x.a = y.a JOIN s[W] z ON y.b = z.b
