-- Causes of refusals, of opaque queries and of wrong answers that Spark's own test queries have brought up.
-- subqueries in the ON of outer, semi and anti joins
SELECT * FROM s[W] LEFT JOIN r[W] ON s.a = r.a AND EXISTS (SELECT * FROM dept[W] d WHERE d.dept_id = 10 * r.b)
SELECT s.a, s.c, r.b FROM s[W] LEFT JOIN r[W] ON s.a = r.a AND s.b NOT IN (SELECT x.b FROM r[W] x WHERE x.a = s.a)
SELECT s.a, s.c, r.b FROM s[W] RIGHT JOIN r[W] ON s.a = r.a AND s.b IN (SELECT x.b FROM r[W] x WHERE x.a = s.a)
SELECT s.a, s.c FROM s[W] SEMI JOIN r[W] ON s.a = r.a AND EXISTS (SELECT 1 FROM r[W] x WHERE x.b = s.b)
SELECT s.a, s.c FROM s[W] ANTI JOIN r[W] ON s.a = r.a AND r.b IN (SELECT x.b FROM r[W] x WHERE x.b > 1)
SELECT s.a, r.b FROM s[W] LEFT JOIN r[W] ON s.a = r.a OR EXISTS (SELECT 1 FROM r[W] x WHERE x.b = s.b + 2)
SELECT s.a, r.b FROM s[W] FULL JOIN r[W] ON s.a = r.a AND EXISTS (SELECT 1 FROM r[W] x WHERE x.b = s.b)
SELECT count(*), sum(r.b) FROM s[W] LEFT JOIN r[W] ON s.a = r.a AND r.b >= (SELECT max(b) FROM r[W])
-- the type in which values are compared
SELECT a, c IN (1.0, 2), CAST(a AS STRING) IN (CAST(1 AS DOUBLE)), CAST(a AS STRING) IN ('1', 2.0), a IN ('1', '02') FROM s[W]
SELECT a FROM s[W] WHERE CAST(a AS STRING) IN (1, 2.5)
SELECT ta IN ('val1a', ti), ti IN ('2014-04-04', th), th IN ('2014-04-04 01:30:00', ti) FROM n[W]
SELECT tf, tf IN (15, 2.5, '25.0'), tb IN (6, '8'), td IN (10, 19.0) FROM n[W]
SELECT tg = '2000.000001', tg BETWEEN '1999.999' AND '2000.5', tg IN ('2000.00', '2000.5') FROM n[W]
SELECT a BETWEEN '0.5' AND 1.5, b BETWEEN '1' AND '2.5', CAST(a AS STRING) BETWEEN 1 AND '2' FROM s[W]
SELECT count(*) FROM n[W] JOIN (SELECT CAST(tg AS STRING) || '001' AS t FROM n[W]) AS x ON n.tg = x.t
SELECT a FROM s[W] WHERE a NOT IN ('1', NULL) OR a NOT BETWEEN '1' AND 2.5
SELECT CASE CAST(a AS STRING) WHEN 1.0 THEN 'x' WHEN 2 THEN 'y' END FROM s[W]
-- PIVOT
SELECT * FROM (SELECT c, a, b FROM s[W]) PIVOT (sum(b), avg(b) FOR a IN (1, 2))
SELECT * FROM (SELECT c, a, b FROM s[W]) PIVOT (sum(b), count(*) AS n, max(b + 1) FOR (a, c) IN ((1, 'x'), (2, 'y') AS two_y, (NULL, 'xy')))
SELECT * FROM (SELECT c, a, b FROM s[W]) PIVOT (collect_list(b) FOR a IN (1, 2))
SELECT * FROM (SELECT c, a, b FROM s[W]) PIVOT (max(c) AS m, count(b) AS n FOR a IN (1, 3, -4))
SELECT * FROM (SELECT c, a, b FROM s[W]) PIVOT (max(c) AS m, sum(b) AS n FOR a IN (1, 3, -4))
SELECT * FROM (SELECT c, a, b FROM s[W]) PIVOT (count(b) AS n, count(c) AS m FOR a IN (1, 3, NULL))
SELECT `1_sum(b)` AS x FROM (SELECT c, a, b FROM s[W]) PIVOT (sum(b), avg(b) FOR a IN (1, 2))
SELECT * FROM (SELECT ti, tb, tj FROM n[W]) PIVOT (count(*) FOR ti IN (DATE'2014-04-04' AS d1, DATE'2014-05-04' AS d2))
SELECT * FROM (SELECT tj, tb, ta FROM n[W]) PIVOT (sum(tb) FOR tj IN (true, false))
SELECT * FROM (SELECT tg, tb FROM n[W]) PIVOT (sum(tb) FOR tg IN (0.00 AS z, 2000 AS y))
-- what is grouped and cannot be sorted
SELECT m, count(*) FROM s[W] WHERE a < 3 GROUP BY m
SELECT count(*) FROM s[W] GROUP BY array(m)
SELECT struct(m) AS k, sum(b), max(a) FROM s[W] WHERE a < 3 GROUP BY struct(m)
-- columns that have the names of functions
SELECT current_user FROM (SELECT c AS current_user FROM s[W])
SELECT current_user, current_user = current_user(), count(*) FROM (SELECT c AS current_user FROM s[W]) GROUP BY current_user
SELECT current_date + 1 FROM (SELECT a AS current_date FROM s[W])
SELECT 'abc' AS current_user, current_user = current_user() AS won, user = session_user FROM s[W]
SELECT (SELECT current_user) = current_user() AS won FROM (SELECT c AS current_user FROM s[W])
SELECT count(*) FROM s[W] WHERE current_user <> c GROUP BY session_user
WITH t1 AS (SELECT 1 AS current_time FROM s[W]) SELECT current_time FROM t1 ORDER BY current_time
-- joins in parentheses with a name
SELECT t.x, z FROM (s[W] AS v) AS t(w, x, y, z, u)
SELECT dst.* FROM (s[W] s1 INNER JOIN dept[W] s2 ON s1.a * 10 = s2.dept_id) dst(a1, a2, a3, a4, a5, b1, b2, b3, b4)
SELECT q.a, q.d FROM ((SELECT a FROM s[W]) x JOIN (SELECT a AS e, d FROM r[W]) y ON x.a = y.e) q ORDER BY 1, 2
SELECT count(*) FROM (s[W]) t WHERE t.a > 1
SELECT a FROM (s[W] JOIN r[W] USING (a)) WHERE s.b = 1
-- what was not spelled as Spark reads it
SELECT explode(collection => l) FROM r[W]
SELECT posexplode(collection => array(a, b)) FROM s[W]
SELECT hour(TIME'10:11:12') + a FROM s[W]
SELECT make_timestamp(DATE'2014-12-28', TIME'06:30:45.887'), a FROM s[W]
SELECT sum(v), avg(v) FROM (SELECT tg AS v FROM n[W] UNION ALL SELECT CAST(b AS DECIMAL(10, 2)) FROM s[W])
SELECT sum(v) FROM (SELECT x.tg AS v FROM n[W] x JOIN s[W] ON x.tb = s.a UNION ALL SELECT y.tg FROM n[W] y JOIN r[W] ON y.tc = r.a)
-- a relation's own star after a join by names
SELECT r.* FROM s[W] NATURAL LEFT JOIN r[W]
SELECT s.*, r.* FROM s[W] FULL JOIN r[W] USING (a, ts)
SELECT r.*, * FROM s[W] RIGHT JOIN r[W] USING (b, ts)
SELECT s.*, r.*, x.* FROM s[W] JOIN r[W] USING (ts) NATURAL JOIN (SELECT a, ts FROM s[W]) x
TABLE s[W] |> NATURAL JOIN r[W] x |> SELECT s.*, x.d
-- samples that are the same every time
SELECT x.a FROM s[W] TABLESAMPLE (100 PERCENT) REPEATABLE (3) x, r[W] TABLESAMPLE (100 PERCENT) WHERE r.a = x.a
SELECT count(*) FROM s[W] TABLESAMPLE (2 ROWS)
SELECT count(*) FROM s[W] TABLESAMPLE (0 PERCENT) x
TABLE s[W] |> TABLESAMPLE (BUCKET 1 OUT OF 1) |> SELECT a
-- aggregates that pass over NULLs, of groups that may be empty
SELECT first_value(c) IGNORE NULLS, last_value(d) RESPECT NULLS FROM s[W], r[W] WHERE s.a > 100
SELECT any_value(c) IGNORE NULLS FROM s[W] WHERE c = 'y'
-- functions that make rows in LATERAL with a condition
SELECT s.a, v FROM s[W] LEFT JOIN LATERAL explode(array(a, a + 1)) e(v) ON v = s.a
SELECT s.a, p, v FROM s[W] JOIN LATERAL posexplode(array(a, a + 1)) e(p, v) ON p = 0 AND v > 1
SELECT s.a, id FROM s[W], LATERAL range(2)
SELECT * FROM LATERAL (SELECT a FROM s[W]) x JOIN r[W] ON r.b = x.a
-- sorted and distributed in a pipe
TABLE s[W] |> SORT BY a |> DISTRIBUTE BY b |> SELECT a
-- names of tables before a pipe
TABLE s[W] |> JOIN LATERAL (SELECT s.a + x.a FROM r[W] x)
TABLE dept[W] |> JOIN LATERAL (SELECT dept.*, x.a FROM r[W] x)
-- stars that leave something out
SELECT concat_ws(',', * EXCEPT (ts, m)) FROM s[W]
SELECT struct(t.* EXCEPT (ts)) FROM dept[W] t
SELECT * EXCEPT (s.a, r.b) FROM s[W] JOIN r[W] ON s.a = r.a
SELECT * EXCEPT (st.x) FROM (SELECT st, a AS x FROM r[W])
-- a name of the select list is nearer than a column of the query around
SELECT a FROM s[W] WHERE (12, 13) IN (SELECT max(r.b + 8) AS a, a + 1 FROM (SELECT b FROM r[W]) r)
SELECT a, (SELECT max(c) FROM (SELECT b + 1 AS a, a + 1 AS c FROM (SELECT b FROM r[W]))) FROM s[W]
-- structs whose fields have odd names, many fields, or two of one name
SELECT struct(*) FROM (SELECT a, count(*), max(b + 1) FROM s[W] GROUP BY a) t
SELECT struct(*) FROM (SELECT a, explode(collect_list(b)), count(*) FROM s[W] GROUP BY a) t
SELECT count(DISTINCT struct(t.*)) FROM (SELECT s.a, r.a FROM s[W] JOIN r[W] ON s.a = r.a) t
SELECT struct(*).td FROM (SELECT *, 1 AS c1, 2 AS c2, 3 AS c3, 4 AS c4, 5 AS c5, 6 AS c6, 7 AS c7, 8 AS c8, 9 AS c9, 10 AS c10, 11 AS c11, 12 AS c12, 13 AS c13, explode(array(1)) AS x FROM n[W]) t
-- parentheses before TABLE
SELECT * FROM ((TABLE s[W] |> SELECT a) UNION ALL SELECT b FROM s[W]) AS x
-- VALUES of which not every column is read
SELECT v.x FROM VALUES (1, 2) v(x, y), s[W]
SELECT a FROM s[W] WHERE EXISTS (SELECT * FROM VALUES (1, 2), (3, 4) v(x, y) WHERE x = a)
SELECT a, (SELECT max(y) FROM VALUES (1, 2, 3) v(x, y, z)) FROM s[W]
WITH c1 AS (VALUES (0, 'abc') tab(x, y) |> UNION ALL (SELECT a, c FROM s[W])) SELECT * FROM c1 WHERE EXISTS (SELECT * FROM c1)
