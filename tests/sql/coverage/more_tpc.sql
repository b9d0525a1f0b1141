-- tpc, in combinations that a stranger would try.
SELECT c, sum(a * (1 - b / 10.0)) AS revenue, count(*) AS n, avg(a) AS mean FROM s[W] WHERE ts <= TIMESTAMP'2024-01-01 00:00:10' - INTERVAL 1 SECOND GROUP BY c ORDER BY revenue DESC, c
SELECT x.c, x.a, y.d FROM s[W] x, r[W] y, t WHERE x.a = y.a AND y.a = t.a AND y.b = (SELECT min(z.b) FROM r[W] z WHERE z.a = x.a) ORDER BY x.c LIMIT 100
SELECT s.c, sum(CASE WHEN r.d = 'p' THEN r.e ELSE 0 END) / nullif(sum(r.e), 0) AS share FROM s[W] JOIN r[W] ON s.a = r.a GROUP BY s.c
SELECT n, count(*) FROM (SELECT s.a, count(r.b) AS n FROM s[W] LEFT OUTER JOIN r[W] ON s.a = r.a AND r.d NOT LIKE '%z%' GROUP BY s.a) AS o GROUP BY n ORDER BY 2 DESC, n
WITH revenue AS (SELECT a AS supplier, sum(b) AS total FROM s[W] GROUP BY a) SELECT t.n, total FROM t, revenue WHERE t.a = supplier AND total = (SELECT max(total) FROM revenue)
SELECT sum(b) / 7.0 AS yearly FROM s[W], t WHERE t.a = s.a AND b < (SELECT 0.9 * avg(b) FROM s[W] x WHERE x.a = t.a)
SELECT c, a FROM s[W] WHERE a IN (SELECT a FROM r[W] GROUP BY a HAVING sum(b) > 3) ORDER BY a, c
WITH ssr AS (SELECT a AS id, sum(b) AS sales, 0 AS returns FROM s[W] GROUP BY a UNION ALL SELECT a, 0, sum(b) FROM r[W] GROUP BY a) SELECT id, sum(sales) AS sales, sum(returns) AS returns, sum(sales - returns) AS profit FROM ssr GROUP BY ROLLUP (id) ORDER BY id LIMIT 100
SELECT c, a, sum(b) AS total, rank() OVER (PARTITION BY c ORDER BY sum(b) DESC) AS r FROM s[W] GROUP BY c, a
SELECT * FROM (SELECT c, a, sum(b) AS total, avg(sum(b)) OVER (PARTITION BY c) AS mean FROM s[W] GROUP BY c, a) x WHERE CASE WHEN mean > 0 THEN abs(total - mean) / mean ELSE NULL END >= 0.1 ORDER BY total - mean, c
WITH x AS (SELECT c, a, sum(b) AS v, rank() OVER (PARTITION BY c ORDER BY a) AS rn FROM s[W] GROUP BY c, a) SELECT p.c, p.a, p.v, q.v AS before, n.v AS after FROM x p JOIN x q ON p.c = q.c AND p.rn = q.rn + 1 LEFT JOIN x n ON p.c = n.c AND p.rn = n.rn - 1
SELECT a, grouping(a) + grouping(c) AS lochierarchy, rank() OVER (PARTITION BY grouping(a) + grouping(c), CASE WHEN grouping(c) = 0 THEN a END ORDER BY sum(b) DESC) AS r FROM s[W] GROUP BY ROLLUP (a, c) ORDER BY lochierarchy DESC, r
SELECT count(*) FROM (SELECT DISTINCT a FROM s[W] INTERSECT SELECT DISTINCT a FROM r[W] EXCEPT SELECT a FROM t WHERE n = 'two') AS cool
SELECT sum(CASE WHEN b BETWEEN 1 AND 1 THEN 1 ELSE 0 END) AS q1, sum(CASE WHEN b BETWEEN 2 AND 3 THEN 1 ELSE 0 END) AS q2, CASE WHEN count(*) > 3 THEN avg(a) ELSE avg(b) END AS bucket FROM s[W]
SELECT CASE WHEN (SELECT count(*) FROM s[W] WHERE b BETWEEN 1 AND 2) > 2 THEN (SELECT avg(a) FROM s[W]) ELSE (SELECT avg(b) FROM s[W]) END AS bucket1 FROM t WHERE a = 1
SELECT s1.c FROM (SELECT c, sum(b) AS n FROM s[W] GROUP BY c) s1, (SELECT avg(n) AS mean FROM (SELECT c, sum(b) AS n FROM s[W] GROUP BY c)) s2 WHERE s1.n > s2.mean
SELECT a FROM s[W] ctr1 WHERE b > (SELECT avg(b) * 1.2 FROM s[W] ctr2 WHERE ctr1.c = ctr2.c) ORDER BY a
SELECT i.c, sum(i.b) FROM s[W] i WHERE EXISTS (SELECT 1 FROM r[W] WHERE r.a = i.a) AND (EXISTS (SELECT 1 FROM t WHERE t.a = i.a) OR EXISTS (SELECT 1 FROM r[W] y WHERE y.b = i.a)) GROUP BY i.c
SELECT substr(c, 1, 1) AS p, count(*), sum(a) OVER () IS NULL FROM s[W] GROUP BY substr(c, 1, 1), a ORDER BY p NULLS FIRST
WITH all_sales AS (SELECT year(ts) AS y, a, b FROM s[W] UNION SELECT year(ts), a, b FROM r[W]) SELECT prev.y, curr.a, curr.b - prev.b AS diff FROM all_sales curr, all_sales prev WHERE curr.a = prev.a AND curr.b > prev.b AND CAST(curr.b AS DECIMAL(17,2)) / CAST(prev.b AS DECIMAL(17,2)) > 0.9 ORDER BY diff, curr.a LIMIT 100
SELECT c, d, channel, sum(n) FROM (SELECT 's' AS channel, c, NULL AS d, count(*) AS n FROM s[W] GROUP BY c UNION ALL SELECT 'r', NULL, d, count(*) FROM r[W] GROUP BY d) x GROUP BY GROUPING SETS ((c, d, channel), (channel), ()) ORDER BY channel NULLS LAST, c NULLS LAST, d NULLS LAST
SELECT asceding.rnk, i1.n AS best, i2.n AS worst FROM (SELECT a, rank() OVER (ORDER BY mean ASC) AS rnk FROM (SELECT a, avg(b) AS mean FROM s[W] WHERE a IS NOT NULL GROUP BY a HAVING avg(b) > 0.9 * (SELECT avg(b) FROM s[W]))) asceding, (SELECT a, rank() OVER (ORDER BY mean DESC) AS rnk FROM (SELECT a, avg(b) AS mean FROM s[W] WHERE a IS NOT NULL GROUP BY a)) descending, t i1, t i2 WHERE asceding.rnk = descending.rnk AND i1.a = asceding.a AND i2.a = descending.a
SELECT concat(coalesce(c, ''), ', ', coalesce(CAST(a AS STRING), '')) AS name, datediff(max(ts), min(ts)) AS days FROM s[W] GROUP BY c, a ORDER BY name
SELECT a, b, sum(b) OVER (PARTITION BY a ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS cume FROM s[W] x WHERE NOT EXISTS (SELECT 1 FROM r[W] y WHERE y.a = x.a AND y.b > 100)
SELECT 'web' AS channel, item, ratio FROM (SELECT item, ratio, rank() OVER (ORDER BY ratio) AS rr FROM (SELECT s.a AS item, CAST(sum(coalesce(r.b, 0)) AS DECIMAL(15,4)) / CAST(sum(coalesce(s.b, 0)) AS DECIMAL(15,4)) AS ratio FROM s[W] LEFT OUTER JOIN r[W] ON s.a = r.a WHERE s.b > 0 GROUP BY s.a) in_web) web WHERE rr <= 10 ORDER BY 1, 2
