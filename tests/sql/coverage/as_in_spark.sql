-- In the style of the queries that Spark is tested with: subqueries over tables of employees, numbers of all types.
SELECT * FROM emp[W] WHERE EXISTS (SELECT 1 FROM dept[W] WHERE dept.dept_id > 10 AND dept.dept_id < 30)
SELECT * FROM emp[W] WHERE EXISTS (SELECT dept.dept_name FROM dept[W] WHERE emp.dept_id = dept.dept_id)
SELECT * FROM emp[W] WHERE EXISTS (SELECT dept.dept_name FROM dept[W] WHERE emp.dept_id = dept.dept_id OR emp.dept_id IS NULL)
SELECT * FROM emp[W] WHERE EXISTS (SELECT dept.dept_name FROM dept[W] WHERE emp.dept_id = dept.dept_id) AND emp.id > 200
SELECT * FROM emp[W] WHERE NOT EXISTS (SELECT dept.dept_name FROM dept[W] WHERE emp.dept_id = dept.dept_id) OR emp.id = 200
SELECT emp.dept_id, avg(salary), sum(salary) FROM emp[W] WHERE EXISTS (SELECT state FROM dept[W] WHERE dept.dept_id = emp.dept_id) GROUP BY dept_id
SELECT emp_name FROM emp[W] WHERE EXISTS (SELECT max(dept.dept_id) a FROM dept[W] WHERE dept.dept_id = emp.dept_id GROUP BY dept.dept_id)
SELECT count(DISTINCT id) FROM emp[W] WHERE EXISTS (SELECT count(*) FROM dept[W] WHERE emp.dept_id = dept.dept_id)
SELECT emp.dept_id, sum(salary) FROM emp[W] WHERE NOT EXISTS (SELECT dept_id, count(*) FROM dept[W] WHERE emp.dept_id = dept.dept_id GROUP BY dept_id HAVING count(*) > 1) GROUP BY emp.dept_id
SELECT dept_id, count(*) FROM emp[W] GROUP BY dept_id HAVING EXISTS (SELECT 1 FROM dept[W] WHERE dept.dept_id = emp.dept_id)
SELECT * FROM dept[W] WHERE EXISTS (SELECT dept_id, count(*) FROM emp[W] GROUP BY dept_id HAVING EXISTS (SELECT 1 FROM dept[W] AS d2 WHERE d2.dept_id < max(emp.dept_id)))
SELECT emp_name, emp.salary FROM emp[W] WHERE EXISTS (SELECT dept_id FROM dept[W] WHERE dept_id > 10 UNION SELECT dept_id FROM dept[W] WHERE dept_id < 30)
SELECT * FROM emp[W] WHERE NOT EXISTS (SELECT dept_id FROM dept[W] WHERE emp.dept_id = dept_id INTERSECT SELECT dept_id FROM dept[W] WHERE emp.dept_id = dept_id AND state = 'CA')
SELECT emp_name, (SELECT dept_name FROM dept[W] WHERE dept.dept_id = emp.dept_id) AS d FROM emp[W] WHERE salary > (SELECT avg(salary) FROM emp[W])
SELECT dept_name, (SELECT count(*) FROM emp[W] WHERE emp.dept_id = dept.dept_id) AS n, (SELECT max(hiredate) FROM emp[W] WHERE emp.dept_id = dept.dept_id) AS last FROM dept[W]
SELECT id, hiredate FROM emp[W] e1 WHERE hiredate = (SELECT min(hiredate) FROM emp[W] e2 WHERE e2.dept_id <=> e1.dept_id)
SELECT * FROM emp[W] WHERE (id, dept_id) IN (SELECT 100, dept_id FROM dept[W])
SELECT * FROM emp[W] WHERE dept_id NOT IN (SELECT dept_id FROM dept[W])
SELECT * FROM emp[W] WHERE dept_id NOT IN (SELECT dept_id FROM dept[W] WHERE dept_id IS NOT NULL)
SELECT * FROM emp[W] WHERE (id, hiredate) NOT IN (SELECT 100, DATE'2005-01-01' FROM dept[W])
SELECT id, dept_id IN (SELECT dept_id FROM dept[W] WHERE state = 'CA') AS in_ca FROM emp[W]
SELECT e.id, d.dept_name FROM emp[W] e LEFT JOIN dept[W] d ON e.dept_id = d.dept_id AND d.state IN ('CA', 'NY')
SELECT e.id, d.dept_name FROM emp[W] e RIGHT JOIN dept[W] d ON e.dept_id = d.dept_id WHERE e.id IS NULL OR e.salary > 100
SELECT e.id, d.dept_id FROM emp[W] e FULL OUTER JOIN dept[W] d ON e.dept_id = d.dept_id AND e.id > 200
SELECT * FROM emp[W] NATURAL JOIN dept[W]
SELECT dept_id, emp_name, state FROM emp[W] NATURAL LEFT OUTER JOIN dept[W]
SELECT * FROM emp[W] LEFT SEMI JOIN dept[W] USING (dept_id)
SELECT * FROM emp[W] LEFT ANTI JOIN dept[W] USING (dept_id, ts)
SELECT d1.dept_id, d2.dept_id FROM dept[W] d1 CROSS JOIN dept[W] d2 WHERE d1.dept_id < d2.dept_id
SELECT year(hiredate) AS y, count(*) AS n, sum(salary) AS s FROM emp[W] GROUP BY y HAVING n > 1 ORDER BY s DESC NULLS LAST, y
SELECT dept_id, percentile_cont(0.25) WITHIN GROUP (ORDER BY salary), percentile_disc(0.5) WITHIN GROUP (ORDER BY salary DESC) FROM emp[W] GROUP BY dept_id
SELECT dept_id, sum(salary) FILTER (WHERE hiredate < DATE'2004-01-01'), count(*) FILTER (WHERE salary > 150 OR id = 700) FROM emp[W] GROUP BY dept_id
SELECT sum(DISTINCT salary), count(DISTINCT id, dept_id), count(DISTINCT id) FILTER (WHERE dept_id IS NOT NULL), avg(DISTINCT salary) FROM emp[W]
SELECT hiredate, id, sum(salary) OVER (PARTITION BY dept_id ORDER BY hiredate ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM emp[W] WHERE dept_id < 30 ORDER BY id, hiredate
SELECT months_between(max(hiredate), min(hiredate)), max(hiredate) - min(hiredate), date_add(min(hiredate), 7) FROM emp[W]
SELECT ta, count(*), sum(tc), avg(td), max(tg), min(ti) FROM n[W] GROUP BY ta
SELECT ta, tb FROM n[W] WHERE ta IN (SELECT ta FROM n[W] WHERE tb > 6 GROUP BY ta HAVING count(*) > 1)
SELECT tg + tc, tg * 1.5, tg / 3, tg % 7, -tg, abs(tg), round(tg, 1), ceil(tg), floor(tg), CAST(tg AS INT), CAST(tg AS DECIMAL(5, 1)) FROM n[W]
SELECT tm + 1, tm * tg, tm / tg, sum(tm) OVER (), CAST(tm AS DOUBLE), CAST(tm AS STRING) FROM n[W]
SELECT sum(tg), avg(tg), max(tm), sum(tm), avg(tm), stddev(tg), sum(tg * tc), sum(DISTINCT tg) FROM n[W]
SELECT te, tf, te + tf, te = 15.0, isnan(te), nanvl(te, 0), coalesce(te, -1), tf > 0, greatest(te, tf), least(te, tf) FROM n[W]
SELECT max(te), min(te), sum(te), avg(te), count(te), max(tf), min(tf) FROM n[W]
SELECT te, count(*) FROM n[W] GROUP BY te ORDER BY te NULLS LAST
SELECT tb + tk, tb * tk, tc + td, tk & 3, tb DIV 3, tc / 0, td % 0, CAST(tk AS STRING), CAST(td AS TINYINT), -tk FROM n[W]
SELECT sum(tb), sum(tk), avg(tk), min(tk), max(tb), bit_xor(tk), bit_or(tb), bit_and(tc) FROM n[W] GROUP BY tj
SELECT tj, bool_and(tj), bool_or(tb > 6), every(tj), some(tj), any(tj), count_if(tj) FROM n[W] GROUP BY tj
SELECT tj AND tb > 6, tj OR NULL, NOT tj, tj = true, tj IS NOT TRUE, tj <=> NULL, CAST(tj AS INT), CAST(tj AS STRING), tj > false FROM n[W]
SELECT tl, hex(tl), length(tl), octet_length(tl), base64(tl), concat(tl, tl), tl = X'61', md5(tl), substring(tl, 1, 1), count(*) OVER (PARTITION BY tl) FROM n[W]
SELECT tl, count(*), max(ta) FROM n[W] GROUP BY tl
SELECT th, hour(th), CAST(th AS DATE), th + INTERVAL 1 HOUR, th > TIMESTAMP_NTZ'2024-02-05 00:00:00', date_trunc('MONTH', th), CAST(th AS STRING), datediff(th, ti), to_timestamp(th) FROM n[W]
SELECT min(th), max(th), count(DISTINCT th), date_format(max(ti), 'yyyy/MM'), min(ti) + INTERVAL 2 MONTH, max(ti) - min(ti) FROM n[W]
SELECT ti, year(ti), ti + 1, ti - DATE'2014-01-01', date_add(ti, tk), next_day(ti, 'FRI'), trunc(ti, 'Q'), ti BETWEEN '2014-04-01' AND '2014-05-04', CAST(ti AS TIMESTAMP) FROM n[W]
SELECT CASE WHEN tb > 6 THEN tc ELSE td END, CASE ta WHEN 'val1a' THEN 1 WHEN 'val1b' THEN 2.5 ELSE NULL END, if(tj, tg, tc), nullif(tg, 2000), decode(tb, 6, 'six', 8, 'eight') FROM n[W]
SELECT ta, tb, row_number() OVER (PARTITION BY ta ORDER BY tb, ts), rank() OVER (ORDER BY tb DESC NULLS LAST), ntile(3) OVER (ORDER BY td, ts), cume_dist() OVER (ORDER BY tc), percent_rank() OVER (ORDER BY tc) FROM n[W]
SELECT x.ta, y.tb FROM n[W] x JOIN n[W] y ON x.tb = y.tc OR x.td = y.td WHERE x.ta < y.ta
SELECT ta, tc FROM n[W] WHERE tc = (SELECT max(tc) FROM n[W] x WHERE x.ta = n.ta) AND td IN (SELECT td FROM n[W])
SELECT ta, sum(tb) AS s, grouping(ta), grouping_id(ta, tj) FROM n[W] GROUP BY CUBE (ta, tj) ORDER BY s NULLS FIRST, 1, 3, 4
SELECT coalesce(ta, 'none') AS k, count(*) FROM n[W] GROUP BY k UNION ALL SELECT 'all', count(*) FROM n[W]
SELECT tb, tc FROM n[W] INTERSECT SELECT tc, tb FROM n[W]
SELECT tb FROM n[W] EXCEPT ALL SELECT tc FROM n[W]
SELECT tb, tg FROM n[W] UNION SELECT tc, tm FROM n[W]
SELECT tb FROM n[W] MINUS SELECT CAST(8 AS SMALLINT)
SELECT mode(tb), mode() WITHIN GROUP (ORDER BY tc DESC), median(tg), percentile(tc, 0.3), percentile_approx(td, 0.5), approx_count_distinct(ta) FROM n[W] WHERE tb = 8
SELECT collect_set(tb), sort_array(collect_list(tc)), array_sort(array_agg(td)), listagg(ta, ',') WITHIN GROUP (ORDER BY ta) FROM n[W] WHERE tb IS NOT NULL
SELECT max_by(ta, tc), min_by(tg, td), first(ta) IS NULL, any_value(tb) IS NOT NULL, max(struct(tc, ta)), min(named_struct('x', td)).x FROM n[W]
SELECT corr(tc, td), covar_pop(tc, td), covar_samp(tb, tc), regr_slope(tc, td), regr_count(tc, td), skewness(tc), kurtosis(td), var_pop(tb), stddev_samp(td) FROM n[W]
SELECT histogram_numeric(tc, 3), count_min_sketch(tc, 0.5D, 0.5D, 1) IS NOT NULL, bitmap_count(bitmap_construct_agg(bitmap_bit_position(tc))) FROM n[W] WHERE tc < 20
SELECT val, cate, count(val) OVER (PARTITION BY cate ORDER BY val ROWS CURRENT ROW) FROM w[W] ORDER BY cate, val
SELECT val, cate, sum(val) OVER (PARTITION BY cate ORDER BY val ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) FROM w[W] ORDER BY cate, val
SELECT val_long, cate, sum(val_long) OVER (PARTITION BY cate ORDER BY val_long ROWS BETWEEN CURRENT ROW AND CAST(1 AS INT) FOLLOWING) FROM w[W] ORDER BY cate, val_long
SELECT val, cate, count(val) OVER (PARTITION BY cate ORDER BY val RANGE 1 PRECEDING) FROM w[W] ORDER BY cate, val
SELECT val, cate, sum(val) OVER (PARTITION BY cate ORDER BY val RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM w[W] ORDER BY cate, val
SELECT val_long, cate, sum(val_long) OVER (PARTITION BY cate ORDER BY val_long RANGE BETWEEN CURRENT ROW AND 2147483648 FOLLOWING) FROM w[W] ORDER BY cate, val_long
SELECT val_double, cate, sum(val_double) OVER (PARTITION BY cate ORDER BY val_double RANGE BETWEEN CURRENT ROW AND 2.5 FOLLOWING) FROM w[W] ORDER BY cate, val_double
SELECT val_date, cate, max(val_date) OVER (PARTITION BY cate ORDER BY val_date RANGE BETWEEN CURRENT ROW AND 2 FOLLOWING) FROM w[W] ORDER BY cate, val_date
SELECT ts, cate, avg(val) OVER (PARTITION BY cate ORDER BY ts RANGE BETWEEN CURRENT ROW AND INTERVAL 23 DAYS 4 HOURS FOLLOWING) FROM w[W] ORDER BY cate, ts
SELECT val_date, cate, avg(unix_date(val_date)) OVER (PARTITION BY cate ORDER BY val_date RANGE BETWEEN CURRENT ROW AND INTERVAL '1-1' YEAR TO MONTH FOLLOWING) FROM w[W]
SELECT val, cate, sum(val) OVER (PARTITION BY cate ORDER BY val DESC RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM w[W] ORDER BY cate, val
SELECT val, cate, max(val) OVER w AS max, min(val) OVER w AS min, count(val) OVER w AS count, sum(val) OVER w AS sum, avg(val) OVER w AS avg, stddev(val) OVER w AS stddev, first_value(val) OVER w AS first_value, first_value(val, true) OVER w AS first_value_ignore_null, last_value(val) OVER w AS last_value, rank() OVER w AS rank, dense_rank() OVER w AS dense_rank, cume_dist() OVER w AS cume_dist, percent_rank() OVER w AS percent_rank, ntile(2) OVER w AS ntile, row_number() OVER w AS row_number, var_pop(val) OVER w AS var_pop, var_samp(val) OVER w AS var_samp, approx_count_distinct(val) OVER w AS approx_count_distinct FROM w[W] WINDOW w AS (PARTITION BY cate ORDER BY val) ORDER BY cate, val
SELECT val, cate, avg(NULL) OVER (PARTITION BY cate ORDER BY val) FROM w[W] ORDER BY cate, val
SELECT sum(val) OVER (), avg(val) OVER () FROM w[W]
SELECT val, cate, first_value(false) OVER w AS f, first_value(true, true) OVER w AS g, last_value(false) OVER w AS h FROM w[W] WINDOW w AS () ORDER BY cate, val
SELECT cate, sum(val) OVER (w) FROM w[W] WHERE val IS NOT NULL WINDOW w AS (PARTITION BY cate ORDER BY val)
SELECT val, cate, count(val) FILTER (WHERE val > 1) OVER (PARTITION BY cate) FROM w[W]
SELECT cate, val, nth_value(val, 2) OVER (PARTITION BY cate ORDER BY val_date, ts), lag(val, 1, -1) OVER (PARTITION BY cate ORDER BY ts), lead(val) IGNORE NULLS OVER (PARTITION BY cate ORDER BY ts), nth_value(val, 1) IGNORE NULLS OVER (PARTITION BY cate ORDER BY ts) FROM w[W]
SELECT cate, collect_list(val) OVER (PARTITION BY cate ORDER BY val, ts), collect_set(val) OVER (PARTITION BY cate), array_agg(val) OVER (PARTITION BY cate ORDER BY ts ROWS 1 PRECEDING) FROM w[W]
SELECT cate, percentile_cont(0.25) WITHIN GROUP (ORDER BY val) OVER (PARTITION BY cate), percentile_disc(0.5) WITHIN GROUP (ORDER BY val) OVER (PARTITION BY cate), median(val) OVER (PARTITION BY cate), percentile(val, 0.5) OVER (ORDER BY ts) FROM w[W]
SELECT max(sum(val)) OVER (PARTITION BY cate), cate, val, sum(val) FROM w[W] GROUP BY cate, val
SELECT cate, rank() OVER (ORDER BY sum(val) DESC) AS rk, sum(val) FROM w[W] GROUP BY cate HAVING count(*) > 1
SELECT * FROM (SELECT cate, val, row_number() OVER (PARTITION BY cate ORDER BY val DESC, ts) AS rn FROM w[W]) WHERE rn <= 2 AND val > 0
SELECT cate, val_date, date_diff(val_date, lag(val_date) OVER (PARTITION BY cate ORDER BY val_date, ts)) AS gap FROM w[W] QUALIFY gap > 0
SELECT * FROM (SELECT val, cate FROM w[W]) PIVOT (count(*) AS n, max(val) AS m FOR cate IN ('a' AS first, 'b'))
SELECT * FROM (SELECT dept_id, year(hiredate) AS y, salary FROM emp[W]) PIVOT (sum(salary) FOR y IN (2001, 2002, 2005))
SELECT * FROM (SELECT dept_id, state, dept_name FROM dept[W]) PIVOT (count(dept_name) FOR (dept_id, state) IN ((10, 'CA') AS x, (20, 'NY') AS y))
SELECT * FROM (SELECT id, salary, CAST(dept_id AS DOUBLE) AS dept FROM emp[W]) UNPIVOT INCLUDE NULLS (value FOR what IN (salary, dept))
SELECT * FROM (SELECT ts, val, CAST(val_long AS INT) AS l FROM w[W]) UNPIVOT ((v) FOR name IN ((val) AS one, (l) AS two))
WITH t1 AS (SELECT dept_id, count(*) AS n FROM emp[W] GROUP BY dept_id), t2 AS (SELECT * FROM t1 WHERE n > 1) SELECT * FROM t2 UNION ALL SELECT * FROM t1
WITH cte(x, y) AS (SELECT id, salary FROM emp[W]) SELECT c1.x, c2.y FROM cte c1 JOIN cte c2 ON c1.x = c2.x
WITH outermost AS (WITH inner_one AS (SELECT id FROM emp[W] WHERE id < 300) SELECT max(id) AS m FROM inner_one) SELECT e.id FROM emp[W] e, outermost WHERE e.id = m
SELECT * FROM (WITH t AS (SELECT id FROM emp[W]) SELECT id + 1 AS i FROM t) WHERE i IN (WITH t AS (SELECT 101 AS k) SELECT k FROM t)
SELECT (WITH t AS (SELECT max(salary) AS s FROM emp[W]) SELECT s FROM t), id FROM emp[W]
SELECT id, x FROM emp[W], LATERAL (SELECT id * 2 AS x)
SELECT e.id, d.n FROM emp[W] e, LATERAL (SELECT count(*) AS n FROM dept[W] d WHERE d.dept_id <= e.dept_id) AS d
SELECT e.id, l.dept_name FROM emp[W] e LEFT JOIN LATERAL (SELECT dept_name FROM dept[W] d WHERE d.dept_id = e.dept_id ORDER BY dept_name LIMIT 1) AS l ON true
SELECT d.dept_id, top.id FROM dept[W] d JOIN LATERAL (SELECT id FROM emp[W] e WHERE e.dept_id = d.dept_id ORDER BY salary DESC, id DESC, ts LIMIT 1) top
SELECT id, v, w FROM emp[W] LATERAL VIEW explode(array(id, dept_id)) a AS v LATERAL VIEW OUTER explode(map('x', v)) b AS kk, w
SELECT id, col FROM emp[W], explode(sequence(1, 2)) AS t(col)
SELECT posexplode(split(emp_name, ' ')) FROM emp[W]
