-- scalars, in combinations that a stranger would try.
SELECT a + b, a - b, a * b, a / b, a % b, a DIV b, -a, +b FROM s[W]
SELECT a & b, a | b, a ^ b, ~a, a << 2, b >> 1, shiftleft(a, 1), shiftrightunsigned(b, 1) FROM s[W]
SELECT bit_count(a), bit_get(b, 0), getbit(b, 1), bit_length(c), octet_length(c), char_length(c) FROM s[W]
SELECT a = b, a <> b, a != b, a <=> b, a < b, a >= b, NOT a = b, a == b FROM s[W]
SELECT a BETWEEN 1 AND 2, a NOT BETWEEN b AND 3, a IN (1, 3), a NOT IN (1, b) FROM s[W]
SELECT c LIKE 'x%', c LIKE '_', c NOT LIKE '%y', c ILIKE 'Y', c RLIKE '^x', c REGEXP 'y$', c LIKE 'x\\_%' ESCAPE '\\' FROM s[W]
SELECT a IS NULL, b IS NOT NULL, a IS DISTINCT FROM b, a IS NOT DISTINCT FROM b, (a > 1) IS TRUE, (a > 1) IS NOT FALSE, (a > 1) IS UNKNOWN FROM s[W]
SELECT CASE a WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'many' END, CASE WHEN b > 1 THEN b END, if(a > 1, 'y', 'n'), iff(a > 1, 1, 0) FROM s[W]
SELECT coalesce(a, b, 0), nvl(a, -1), nvl2(a, b, 0), ifnull(b, 9), nullif(a, 1), nullifzero(a), zeroifnull(b), greatest(a, b, 2), least(a, b) FROM s[W]
SELECT CAST(a AS STRING), CAST(c AS INT), CAST('1.5' AS DOUBLE), CAST(a AS BOOLEAN), CAST(ts AS DATE), CAST('2020-01-01' AS TIMESTAMP), a::STRING, TRY_CAST(c AS DOUBLE), CAST(b AS DECIMAL(5,2)) FROM s[W]
SELECT abs(-a), ceil(a / 2), floor(b / 2), round(a / 3, 2), bround(2.5), sign(a - 2), sqrt(a), cbrt(b), power(a, 2), exp(a), ln(b), log10(b), log2(a), log(2, b), mod(a, 2), pmod(-a, 3) FROM s[W]
SELECT sin(a), cos(a), tan(a), asin(1), acos(1), atan(a), atan2(a, b), sinh(a), cosh(a), tanh(a), degrees(a), radians(a), pi(), e(), hypot(a, b) FROM s[W]
SELECT factorial(a), bin(a), hex(a), unhex('41'), conv(a, 10, 2), width_bucket(a, 0, 10, 5), rint(a / 2), expm1(a), log1p(a), csc(a), sec(a), cot(a) FROM s[W]
SELECT upper(c), lower(c), initcap('ab cd'), length(c), trim('  x '), ltrim('xxa', 'x'), rtrim('axx'), btrim('xax', 'x'), reverse(c), repeat(c, 2), concat(c, '-', a), c || b, concat_ws(',', c, a, b) FROM s[W]
SELECT substring(c, 1, 1), substr(c, 2), left(c, 1), right(c, 1), lpad(c, 3, '*'), rpad(c, 3, '-'), locate('y', c), instr(c, 'y'), position('y' IN c), charindex('x', c), overlay(c PLACING 'z' FROM 1 FOR 1) FROM s[W]
SELECT replace(c, 'x', 'z'), translate(c, 'xy', 'ab'), regexp_replace(c, '[xy]', '#'), regexp_extract(c, '(x)(y)?', 1), regexp_extract_all('a1b2', '(\\d)', 1), regexp_count(c, 'x'), regexp_instr(c, 'y'), regexp_substr(c, 'y') FROM s[W]
SELECT split(c, ''), split_part('a,b,c', ',', 2), ascii(c), chr(65 + a), char(66), base64(CAST(c AS BINARY)), unbase64('QQ=='), md5(c), sha1(c), sha2(c, 256), crc32(c), hash(a, c), xxhash64(c, b) FROM s[W]
SELECT soundex(c), levenshtein(c, 'xyz'), levenshtein(c, 'xyz', 1), startswith(c, 'x'), endswith(c, 'y'), contains(c, 'x'), find_in_set(c, 'a,x,y'), format_string('%s-%d', c, a), printf('%03d', b), format_number(a * 1000.5, 2) FROM s[W]
SELECT elt(a, 'p', 'q'), field_at, space(2) || c, sentences('Hi there. Bye.'), encode(c, 'UTF-8'), decode(encode(c, 'UTF-8'), 'UTF-8'), decode(a, 1, 'one', 2, 'two', 'else') FROM (SELECT a, c, b AS field_at FROM s[W])
SELECT to_char(a, '999'), to_number('12', '99'), to_varchar(b, '$9'), try_to_number('x', '9'), mask('Ab1-'), luhn_check('79927398713'), quote(c), is_valid_utf8(c), validate_utf8(c) FROM s[W]
SELECT year(ts), month(ts), day(ts), dayofmonth(ts), dayofweek(ts), dayofyear(ts), weekofyear(ts), weekday(ts), quarter(ts), hour(ts), minute(ts), second(ts), dayname(ts), monthname(ts) FROM s[W]
SELECT extract(YEAR FROM ts), extract(second FROM ts), extract(week FROM ts), date_part('doy', ts), extract(DAY FROM INTERVAL '3 4' DAY TO HOUR), EXTRACT(dow FROM ts) FROM s[W]
SELECT date_add(DATE'2024-01-30', a), date_sub(ts, b), datediff(DATE'2024-02-01', ts), add_months(DATE'2024-01-31', a), months_between(DATE'2024-03-01', ts), last_day(ts), next_day(ts, 'MON'), trunc(ts, 'YEAR'), date_trunc('HOUR', ts) FROM s[W]
SELECT ts + INTERVAL 1 DAY, ts - INTERVAL '1 2:3:4' DAY TO SECOND, ts + make_interval(0, 1), DATE'2024-01-01' + 5, DATE'2024-01-31' + INTERVAL 1 MONTH, ts + INTERVAL 2 HOURS 30 MINUTES, DATE'2024-03-01' - DATE'2024-01-01' FROM s[W]
SELECT date_format(ts, 'yyyy-MM-dd HH:mm:ss'), date_format(ts, 'EEEE, d MMM yy'), to_date('2024-05-06'), to_timestamp('06/05/2024', 'dd/MM/yyyy'), unix_timestamp(ts), from_unixtime(a), to_unix_timestamp('2024-01-01', 'yyyy-MM-dd'), unix_micros(ts), timestamp_seconds(a), timestamp_millis(a), unix_date(DATE'2024-01-01'), date_from_unix_date(a) FROM s[W]
SELECT make_date(2024, a, b), make_timestamp(2024, a, 1, 0, 0, 0), make_dt_interval(a, b), make_timestamp_ntz(2024, 1, 1, 1, 1, a), try_make_timestamp(2024, 13, 1, 0, 0, 0), to_timestamp_ntz('2024-01-01'), to_timestamp_ltz('2024-01-01') FROM s[W]
SELECT from_utc_timestamp(ts, 'Asia/Tokyo'), to_utc_timestamp(ts, 'Europe/Berlin'), convert_timezone('UTC', 'America/New_York', TIMESTAMP_NTZ'2024-01-01'), date_diff(DAY, DATE'2024-01-01', ts), timestampadd(MONTH, a, ts), timestampdiff(HOUR, ts, ts + INTERVAL 5 HOURS), dateadd(DAY, a, DATE'2024-01-01') FROM s[W]
SELECT INTERVAL '1' DAY * a, INTERVAL '2' HOUR / 2, -INTERVAL '1' DAY, INTERVAL '1' DAY > INTERVAL '23' HOUR, abs(INTERVAL '-1' DAY), sum(INTERVAL '1' SECOND * a) OVER () FROM s[W]
SELECT INTERVAL '1-2' YEAR TO MONTH + INTERVAL '3' MONTH AS i, INTERVAL 2 YEARS > INTERVAL '1' YEAR, extract(MONTH FROM INTERVAL '1-2' YEAR TO MONTH) FROM s[W]
SELECT DATE'2024-01-01' < ts, ts = TIMESTAMP'2024-01-01 00:00:01', ts BETWEEN '2024-01-01' AND '2024-01-02', ts > '2024-01-01 00:00:03' FROM s[W]
SELECT a || NULL, NULL + 1, NULL = NULL, NULL <=> NULL, NOT NULL, NULL AND false, NULL OR true, (NULL IS NULL) FROM s[W]
SELECT 1.5 + a, 1.10 * 2.25, 10 / 3, 10.0 / 3, 1e2, 1.5D, 2.5BD, 3L, 4S, 5Y, 6F, .5, 1e-3 FROM s[W]
SELECT CAST(1 AS DECIMAL(38,18)) * CAST(a AS DECIMAL(38,18)), CAST(a AS DECIMAL(10,3)) / CAST(3 AS DECIMAL(5,2)), CAST(9.995 AS DECIMAL(5,2)) FROM s[W]
SELECT 2147483647 + a, CAST(300 AS TINYINT), 9223372036854775807 + a, 1 / 0, 1 % 0, CAST('x' AS INT), CAST(1e20 AS INT) FROM s[W]
SELECT array(a, b, 3), array(a, b)[0], array()[0], map('k', a)['k'], map('k', a).k, struct(a, b).a, named_struct('x', a).x, (a, b).col1 FROM s[W]
SELECT size(array(1, 2)), cardinality(m), array_contains(array(a, b), 1), array_position(array(a, b), 2), array_distinct(array(a, b, a)), array_union(array(a), array(b)), array_except(array(1, 2), array(a)), array_intersect(array(1, 2), array(a, b)), arrays_overlap(array(a), array(1)) FROM s[W]
SELECT array_join(array('x', NULL, c), '-', '?'), array_max(array(a, b)), array_min(array(a, b)), array_remove(array(a, b), 1), array_repeat(c, 2), array_sort(array(3, a, b)), sort_array(array(b, a), false), reverse(array(a, b)), slice(array(1, 2, 3), 2, 2), flatten(array(array(a), array(b))), sequence(1, a), array_append(array(a), b), array_prepend(array(a), b), array_insert(array(1, 2), 2, a), array_compact(array(a, NULL)), arrays_zip(array(a), array(b)) FROM s[W]
SELECT transform(l, x -> x + 1), filter(l, x -> x > 1), exists(l, x -> x IS NULL), forall(l, x -> x > 0), aggregate(l, 0, (acc, x) -> acc + coalesce(x, 0)), reduce(l, 1, (acc, x) -> acc * coalesce(x, 1), acc -> acc * 10), zip_with(l, array(1, 2), (x, y) -> x * y), transform(l, (x, i) -> x + i), array_sort(l, (x, y) -> y - x) FROM r[W]
SELECT map_keys(m), map_values(m), map_entries(m), map_concat(m, map(9, 9)), map_filter(m, (k, v) -> v > 1), transform_values(m, (k, v) -> k + v), transform_keys(m, (k, v) -> k * 10), map_contains_key(m, 1), element_at(m, 2), try_element_at(m, 9), m[1], map_from_arrays(array(a), array(b)), map_zip_with(m, m, (k, v, w) -> v + w), str_to_map('a:1,b:2') FROM s[W] WHERE a IS NOT NULL
SELECT st.x, st.y, st, struct(st.*, a), st.x + a, to_json(st), named_struct('p', st).p.x FROM r[W]
SELECT get_json_object('{"a": {"b": 1}}', '$.a.b'), from_json('{"x": 1, "y": "u"}', 'x INT, y STRING'), from_json('[1, 2]', 'ARRAY<INT>'), to_json(named_struct('a', a, 'l', array(b))), json_array_length('[1, 2]'), json_object_keys('{"k": 1}'), schema_of_json('{"a": 1}') FROM s[W]
SELECT from_csv('1,x', 'p INT, q STRING'), to_csv(struct(a, c)), schema_of_csv('1,a'), from_xml('<p><a>1</a></p>', 'a INT'), to_xml(struct(a, c)), xpath('<a><b>1</b><b>2</b></a>', 'a/b/text()'), xpath_int('<a>1</a>', 'a'), xpath_string('<a>t</a>', 'a') FROM s[W]
SELECT parse_url('http://h.com/p?q=1', 'HOST'), parse_url('http://h.com/p?q=1', 'QUERY', 'q'), url_encode('a b&c'), url_decode('a%20b'), try_url_decode('%zz'), try_parse_url('inva lid://x', 'HOST') FROM s[W]
SELECT typeof(a), typeof(array(c)), typeof(1.5), assert_true(true), equal_null(a, b), try_add(a, b), try_subtract(a, b), try_multiply(a, b), try_divide(a, 0), try_mod(a, 0), try_remainder(a, 0) FROM s[W]
SELECT variant_get(parse_json('{"a": [1, {"b": "x"}]}'), '$.a[1].b', 'string'), parse_json('{"a": 1}'):a::INT, is_variant_null(parse_json('null')), schema_of_variant(parse_json('[1]')), try_variant_get(parse_json('1'), '$.x', 'int') FROM s[W]
SELECT current_database(), current_catalog() IS NOT NULL, version() IS NOT NULL FROM s[W]
SELECT a AS `a b`, b AS `select`, c AS `x.y`, a AS `Ünï` FROM s[W]
SELECT s.a, `s`.`b`, S.C, TS FROM s[W]
SELECT * EXCEPT (m, ts) FROM s[W]
SELECT s.* EXCEPT (m), a AS again FROM s[W]
SELECT a AS x, x + 1 AS y, y * 2 AS z FROM s[W]
SELECT a + 1 AS a, a + 2 AS b FROM s[W] WHERE a > 1
SELECT DISTINCT a, b IS NULL FROM s[W] ORDER BY 1 DESC NULLS LAST, 2
SELECT ALL a FROM s[W]
SELECT a, b FROM s[W] ORDER BY a ASC NULLS LAST, b DESC NULLS FIRST LIMIT 3 OFFSET 1
SELECT a FROM s[W] ORDER BY a + b DESC, length(c), ts LIMIT 1 + 1
SELECT a FROM s[W] ORDER BY ts LIMIT ALL OFFSET 4
SELECT a FROM s[W] LIMIT 0
SELECT a, b FROM s[W] WHERE a > 0 AND (b < 3 OR c = 'x') AND NOT (a = 2 AND b = 2)
SELECT a FROM s[W] WHERE c = 'x' AND ts > '2024-01-01 00:00:00' AND a BETWEEN 0 AND 10
SELECT count(*) FROM s[W] WHERE a = '1'
SELECT a FROM s[W] WHERE c > 0
SELECT a = '2', c = 1, a || 1, '3' + a, '2' * '3', -'4', 'a' < 'b' FROM s[W]
SELECT a FROM s[W] WHERE m[1] = 1 OR size(m) = 0
SELECT date'2024-01-01' AS d, timestamp'2024-01-01 10:00:00' AS t, x'41' AS h, INTERVAL 3 DAYS AS i, true AS b, 'it''s' AS s, "double" AS q, r'raw\n' AS r FROM s[W] LIMIT 1
SELECT a UNION_ALL FROM s[W]
SELECT a x, b AS "y" FROM s[W]
SELECT IDENTIFIER('a') FROM s[W]
SELECT to_binary('41', 'hex'), try_to_binary('zz', 'hex'), to_binary('QQ==', 'base64'), substring(CAST(c AS BINARY), 1, 1), CAST(CAST(c AS BINARY) AS STRING) FROM s[W]
SELECT nanvl(CAST('NaN' AS DOUBLE), a), isnan(CAST('NaN' AS DOUBLE)), CAST('Infinity' AS DOUBLE), CAST('NaN' AS DOUBLE) = CAST('NaN' AS DOUBLE), -0.0D = 0.0D FROM s[W]
SELECT window_end FROM s[W]
SELECT zip_with(array(a), array(b), (x, y) -> struct(x, y)), transform(array(struct(a, b)), t -> t.a), filter(map_entries(m), e -> e.value > 1) FROM s[W]
SELECT transform(array(1, 2), x -> transform(array(10, 20), y -> x * y + a)) FROM s[W]
SELECT array(struct(a, b)).a, array(array(a, b))[0][1], map('x', array(a))['x'][0] FROM s[W]
SELECT try_to_timestamp('bad'), try_to_date('bad'), try_make_interval(a), to_time('10:00') IS NULL FROM s[W]
SELECT stack(2, a, b, c, 'z') FROM s[W]
SELECT concat(array(a), array(b)), concat(CAST('a' AS BINARY), CAST('b' AS BINARY)), array(a) || array(b), array(1) = array(a), struct(a, b) = struct(1, 2), struct(a) < struct(2), array(a, b) > array(1, 1) FROM s[W]
SELECT a, b FROM s[W] WHERE (a, b) = (1, 2) OR (a, b) > (2, 1)
SELECT a, b FROM s[W] WHERE (a, b) IN ((1, 2), (2, 1))
SELECT hash(struct(a, b), array(c)), xxhash64(m IS NULL), murmur FROM (SELECT a, b, c, m, hash(a) AS murmur FROM s[W])
SELECT collation(c) FROM s[W]
SELECT c COLLATE UTF8_LCASE = 'X' FROM s[W]
SELECT count(*) FROM s[W] GROUP BY c COLLATE UTF8_LCASE
SELECT position('x', c), locate('x', c, 1), substring(c FROM 1 FOR 1), substr(c, -1), trim(BOTH 'x' FROM c), trim(LEADING 'x' FROM c), trim(TRAILING FROM ' x ') FROM s[W]
SELECT ceil(2.345, 1), floor(-2.345, 2), round(a * 1.255, 1), bround(b / 2.0, 0), truncate FROM (SELECT a, b, trunc(ts, 'MM') AS truncate FROM s[W])
