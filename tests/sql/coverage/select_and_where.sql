-- SELECT, WHERE, expressions
SELECT * FROM s[W]
SELECT a, b FROM s[W]
SELECT a, a FROM s[W]
SELECT *, a FROM s[W]
SELECT s.* FROM s[W]
SELECT s.*, s.a + 1 FROM s[W]
SELECT x.* FROM s[W] AS x
SELECT x.a FROM s[W] x WHERE x.b > 1
SELECT a AS x, x + 1 AS y FROM s[W]
SELECT a + b, a - b, a * b, a / b, a % b, a DIV b FROM s[W]
SELECT -a, +a, ~a, a & b, a | b, a ^ b FROM s[W]
SELECT a << 1, a >> 1, a >>> 1 FROM s[W]
SELECT a = b, a <> b, a != b, a < b, a <= b, a > b, a >= b, a <=> b FROM s[W]
SELECT a == b, NOT a = b, !(a = b) FROM s[W]
SELECT a > 1 AND b > 1, a > 1 OR b > 1, NOT a > 1 FROM s[W]
SELECT a IS NULL, a IS NOT NULL, a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b FROM s[W]
SELECT (a > 1) IS TRUE, (a > 1) IS NOT FALSE, (a > 1) IS UNKNOWN FROM s[W]
SELECT a BETWEEN 1 AND 2, a NOT BETWEEN 1 AND 2 FROM s[W]
SELECT a IN (1, 2), a NOT IN (1, NULL), c IN ('x', 'y') FROM s[W]
SELECT c LIKE 'x%', c NOT LIKE '%y', c RLIKE 'x|y', c ILIKE 'X%', c REGEXP '^x' FROM s[W]
SELECT c LIKE ALL ('x%', '%x'), c LIKE ANY ('y%', 'x%'), c LIKE SOME ('q') FROM s[W]
SELECT c NOT LIKE ALL ('x%', '%x'), c NOT LIKE ANY ('y%', 'x%') FROM s[W]
SELECT c ILIKE ANY ('X', 'y'), c ILIKE ALL ('X', '%') FROM s[W]
SELECT c LIKE 'a\_b' ESCAPE '\\', c LIKE 'x#%' ESCAPE '#' FROM s[W]
SELECT c || 'z', c || a, concat(c, 'y') FROM s[W]
SELECT CASE WHEN a > 1 THEN 'big' ELSE 'small' END FROM s[W]
SELECT CASE a WHEN 1 THEN 'one' WHEN 2 THEN 'two' END FROM s[W]
SELECT if(a > 1, b, c) FROM s[W]
SELECT CAST(a AS STRING), CAST(c AS INT), a::DOUBLE, TRY_CAST(c AS INT) FROM s[W]
SELECT CAST(a AS DECIMAL(10, 2)), CAST(a AS BIGINT) + 1L, DOUBLE(a), string(a) FROM s[W]
SELECT 1, 1L, 1S, 1Y, 1.5, 1.5D, 1.5F, 1.5BD, 1e3, 'x', "y", X'1F', true, NULL FROM s[W]
SELECT DATE '2024-01-01', TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP_NTZ '2024-01-01 00:00:00' FROM s[W]
SELECT INTERVAL 1 DAY, INTERVAL '1 02:03:04' DAY TO SECOND, INTERVAL 5 MINUTES FROM s[W]
SELECT ts + INTERVAL 1 DAY, ts - INTERVAL '2' HOUR FROM s[W]
SELECT date(ts), year(ts), month(ts), EXTRACT(DAY FROM ts), EXTRACT(HOUR FROM ts) FROM s[W]
SELECT m[1], m[a], element_at(m, 1) FROM s[W]
SELECT l[0], l[1], element_at(l, 1), size(l) FROM r[W]
SELECT st.x, st.y, st FROM r[W]
SELECT st.* FROM r[W]
SELECT r.st.x + 1 FROM r[W]
SELECT r.st.* FROM r[W]
SELECT struct(a, b), struct(a AS x, b AS y), named_struct('p', a, 'q', c) FROM s[W]
SELECT STRUCT(s.*) FROM s[W] WHERE a = 1
SELECT struct(*) FROM r[W]
SELECT array(a, b), map('x', a, 'y', b), array(c) FROM s[W]
SELECT * EXCEPT (m) FROM s[W]
SELECT * EXCEPT (a, m) FROM s[W]
SELECT s.* EXCEPT (m), a AS z FROM s[W]
SELECT DISTINCT a FROM s[W]
SELECT DISTINCT a, b FROM s[W] WHERE c IS NOT NULL
SELECT ALL a FROM s[W]
SELECT DISTINCT (a) FROM s[W] ORDER BY a
SELECT a FROM s[W] WHERE a > 1 AND b IS NOT NULL
SELECT a FROM s[W] WHERE c = 'x' OR c IS NULL
SELECT a FROM s[W] WHERE (a, b) IN ((1, 2), (2, 1))
SELECT a FROM s[W] WHERE a = '1'
SELECT a FROM s[W] WHERE c > 1
SELECT a FROM s[W] WHERE true
SELECT a FROM s[W] WHERE NULL
SELECT a FROM s[W] WHERE a > ANY (SELECT b FROM r[W])
SELECT a FROM s[W] WHERE exists(array(a, b), x -> x > 1)
SELECT transform(l, x -> x + 1), filter(l, x -> x > 1), aggregate(l, 0, (acc, x) -> acc + x) FROM r[W]
SELECT transform(l, (x, i) -> x * i), zip_with(l, l, (x, y) -> x + y), forall(l, x -> x > 0) FROM r[W]
SELECT map_filter(m, (k, v) -> v > 1), transform_keys(m, (k, v) -> k + 1), transform_values(m, (k, v) -> v * 2) FROM s[W]
SELECT a AS `a b`, b AS `x.y`, c AS `select` FROM s[W]
SELECT `a` FROM s[W]
SELECT a all FROM s[W]
SELECT s.a AS `all` FROM s[W]
SELECT -1, - 1, a-1, a -1, 1-a FROM s[W]
SELECT nullif(a, 2), coalesce(a, b, 0), nvl(a, 0), ifnull(a, 0), nvl2(a, 1, 2), greatest(a, b), least(a, b) FROM s[W]
SELECT substring(c, 1, 1), substring(c FROM 1 FOR 1), trim(BOTH 'x' FROM c), overlay(c PLACING 'z' FROM 1), position('x' IN c) FROM s[W]
SELECT trim(c), ltrim(c), rtrim(c), upper(c), lower(c), length(c), reverse(c), initcap(c) FROM s[W]
SELECT a FROM s[W] WHERE c LIKE concat('x', '%')
SELECT 'a' 'b', 'it''s', "it's", r'a\n' FROM s[W]
SELECT a b FROM s[W]
SELECT (a) FROM s[W]
SELECT ((a + b)) * 2 FROM s[W]
SELECT s.a, (s.b) FROM s[W]
SELECT a > 1 FROM s[W]
SELECT count(*) FROM s[W]
SELECT count(s.*) FROM s[W]
SELECT a, b FROM s[W] WHERE a > b OR NOT b > 1
SELECT a IN (SELECT b FROM r[W]) FROM s[W]
SELECT nullif(a, 2) IN (SELECT b FROM r[W]) FROM s[W]
SELECT a, NULL IN (SELECT b FROM r[W] WHERE false) FROM s[W]
SELECT (a, b) FROM s[W]
SELECT named_struct('x', a).x FROM s[W]
SELECT c COLLATE UTF8_LCASE = 'X' FROM s[W]
SELECT /*+ BROADCAST(s) */ a FROM s[W]
SELECT a FROM s[W] AS x(ts2, a, b2, c2, m2)
SELECT 1 + '2', '3' * 2, a + c FROM s[W]
SELECT if(a = 1, 1, 2.5), CASE WHEN a = 1 THEN 1 ELSE 'x' END FROM s[W]
SELECT ts > '2024-01-01', date(ts) = '2024-01-01' FROM s[W]
SELECT cast(ts AS DATE), cast(ts AS STRING), cast(a AS BOOLEAN) FROM s[W]
SELECT a FROM s[W] WHERE a
SELECT try_add(a, b), try_divide(a, 0), try_element_at(m, 1) FROM s[W]
SELECT window.start, count(*) FROM s[W] GROUP BY window(ts, '1 minute')
SELECT a, x FROM s[W], (SELECT 1 AS x)
SELECT IDENTIFIER('a') FROM s[W]
