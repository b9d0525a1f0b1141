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
