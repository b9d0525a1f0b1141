-- Text that is compared otherwise than by its bytes.
SELECT a, count(*) FROM k[W] GROUP BY a
SELECT c, count(*) FROM k[W] WHERE a < 2 GROUP BY c
SELECT count(*) FROM k[W] GROUP BY c
SELECT count(*), sum(k.a) FROM k[W] GROUP BY k.st.x
SELECT a FROM k[W] WHERE c = 'X' ORDER BY a
SELECT a FROM k[W] WHERE c IN ('X', 'z') OR st.x = 'a'
SELECT a FROM k[W] WHERE c LIKE 'x%' OR contains(c, 'Y')
SELECT x.a, y.a FROM k[W] x JOIN k[W] y ON x.c = y.c
SELECT count(DISTINCT c), count(DISTINCT st) FROM k[W]
SELECT a, rank() OVER (ORDER BY c) FROM k[W]
SELECT a, row_number() OVER (PARTITION BY c ORDER BY a) FROM k[W]
SELECT * FROM k[W]
SELECT a, collation(c), c COLLATE UTF8_BINARY = 'X' FROM k[W]
SELECT array_contains(l, 'P'), array_distinct(l), l[0] = 'P' FROM k[W]
SELECT a FROM k[W] WHERE c > 'x' COLLATE UNICODE_CI
SELECT lower(c), count(*) FROM (SELECT c COLLATE UTF8_BINARY AS c FROM k[W]) GROUP BY lower(c)
SELECT ta COLLATE UTF8_LCASE AS t, count(*) FROM n[W] GROUP BY t ORDER BY t
SELECT max(ta COLLATE UNICODE) FROM n[W]
SELECT count(*) FROM n[W] WHERE ta = 'VAL1A' COLLATE UTF8_LCASE
SELECT a, st.y FROM k[W] WHERE a > 1
-- what is done to each row by itself
SELECT a, c FROM k[W]
SELECT * FROM k[W] WHERE c = 'X'
SELECT c LIKE 'X%', contains(c, 'X'), replace(c, 'X', 'z'), position('X' IN c), c || 'a' FROM k[W]
SELECT upper(c), c IN ('X', 'q'), nullif(c, 'X'), CASE WHEN c = 'X' THEN 1 ELSE 2 END FROM k[W] WHERE c BETWEEN 'X' AND 'Y'
SELECT c COLLATE UTF8_BINARY = 'X', c = 'X' COLLATE UTF8_LCASE, 'x' COLLATE UNICODE_CI = 'X' FROM k[W]
SELECT count(*), sum(a) FROM k[W] WHERE c = 'X' OR startswith(c, 'Y')
SELECT is_x, count(*) FROM (SELECT c = 'X' AS is_x FROM k[W]) GROUP BY is_x
SELECT c FROM k[W] UNION SELECT 'X'
SELECT c FROM k[W] WHERE c IN (SELECT 'X')
SELECT DISTINCT c COLLATE UNICODE_CI FROM k[W]
SELECT concat(c, 'X') AS x FROM k[W] ORDER BY x DESC LIMIT 1
SELECT map(c, 1), named_struct('a', c) FROM k[W] WHERE a < 4
