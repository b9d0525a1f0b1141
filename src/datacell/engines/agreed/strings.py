"""Text."""

_COUNT = "CASE WHEN {1} < 0 THEN 0 ELSE {1} END"


def _part(length: str) -> str:
    """Spark counts from 1, from the end if negative, and takes 0 for 1; what lies before the text counts as taken."""
    position = "CAST({1} AS BIGINT)"
    end = f"length({{0}}) + {position}"
    start = f"(CASE WHEN {{1}} > 0 THEN {position} - 1 WHEN {{1}} < 0 THEN {end} WHEN {{1}} = 0 THEN 0 END)"
    first = f"(CASE WHEN {start} < 0 THEN 0 ELSE {start} END)"
    taken = f"({start} + {length} - {first})"
    nothing = f"{taken} <= 0 OR ({taken} IS NOT NULL AND {start} >= length({{0}}))"
    return f"CASE WHEN {nothing} THEN left({{0}}, 0) ELSE substring({{0}}, {first} + 1, {taken}) END"


_SPLIT = (
    "CASE WHEN {2} = 0 THEN error('part 0') WHEN {1} = '' AND {2} IN (1, -1) THEN {0} "
    "WHEN {1} = '' THEN left({0}, {2} * 0) ELSE split_part({0}, {1}, {2}) END"
)

SCALAR = f"""
    ascii(string) -> int = CASE WHEN {{0}} = '' THEN 0 ELSE unicode({{0}}) END
    bit_length(string) -> int = 8 * strlen({{0}})
    btrim(string) -> string = trim({{0}}, ' ')
    btrim(string, string) -> string = trim({{0}}, {{1}})
    char_length|character_length|len|length(string) -> int = length({{0}})
    concat(string*) -> string = ({{||}})
    concat_ws(string, string*) -> string = concat_ws({{*}})
    contains(string, string) -> boolean = contains({{0}}, {{1}})
    endswith(string, string) -> boolean = ends_with({{0}}, {{1}})
    hex(bigint) -> string = hex({{0}})
    hex(string) -> string = hex({{0}})
    ilike(string, string) -> boolean = ascii ({{0}} ILIKE {{1}} ESCAPE '\\')
    instr(string, string) -> int = instr({{0}}, {{1}})
    lcase|lower(string) -> string = ascii lower({{0}})
    left(string, int) -> string = substring({{0}}, 1, {_COUNT})
    levenshtein(string, string) -> int = ascii levenshtein({{0}}, {{1}})
    like(string, string) -> boolean = ({{0}} LIKE {{1}} ESCAPE '\\')
    locate|position(string, string) -> int = instr({{1}}, {{0}})
    lpad(string, int, string) -> string = lpad({{0}}, {_COUNT}, {{2}})
    lpad(string, int) -> string = lpad({{0}}, {_COUNT}, ' ')
    ltrim(string) -> string = ltrim({{0}}, ' ')
    ltrim(string, string) -> string = ltrim({{1}}, {{0}})
    md5(string) -> string = md5({{0}})
    octet_length(string) -> int = strlen({{0}})
    repeat(string, int) -> string = repeat({{0}}, {_COUNT})
    replace(string, string) -> string = replace({{0}}, {{1}}, '')
    replace(string, string, string) -> string = replace({{0}}, {{1}}, {{2}})
    reverse(string) -> string = ascii reverse({{0}})
    right(string, int) -> string = CASE WHEN {{1}} <= 0 THEN left({{0}}, 0) ELSE right({{0}}, {{1}}) END
    rpad(string, int, string) -> string = rpad({{0}}, {_COUNT}, {{2}})
    rpad(string, int) -> string = rpad({{0}}, {_COUNT}, ' ')
    rtrim(string) -> string = rtrim({{0}}, ' ')
    rtrim(string, string) -> string = rtrim({{1}}, {{0}})
    sha|sha1(string) -> string = sha1({{0}})
    space(int) -> string = repeat(' ', CASE WHEN {{0}} < 0 THEN 0 ELSE {{0}} END)
    split_part(string, string, int) -> string = {_SPLIT}
    startswith(string, string) -> boolean = starts_with({{0}}, {{1}})
    substr|substring(string, int) -> string = {_part("2147483647")}
    substr|substring(string, int, int) -> string = {_part("CAST({2} AS BIGINT)")}
    translate(string, string, string) -> string = translate({{0}}, {{1}}, {{2}})
    trim(string) -> string = trim({{0}}, ' ')
    trim(string, string) -> string = trim({{1}}, {{0}})
    ucase|upper(string) -> string = ascii upper({{0}})
"""
