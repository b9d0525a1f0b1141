"""Text and bytes."""

SCALAR = """
    ascii(string) -> int
    base64(binary) -> string
    bin(bigint) -> string
    bit_length|octet_length(string|binary) -> int
    btrim(string, string?) -> string
    char|chr(bigint) -> string
    char_length|character_length|len|length(string|binary) -> int
    concat(any*) -> @concatenated
    concat_ws(string, string|array<string>*) -> string
    contains|endswith|startswith(string, string) -> boolean
    contains|endswith|startswith(binary, binary) -> boolean
    decode(binary, string) -> string
    decode(any, any, any, any*) -> @decoded
    elt(int, string, string*) -> string
    elt(int, binary, binary*) -> binary
    encode(string, string) -> binary
    find_in_set(string, string) -> int
    format_string|printf(string, any*) -> string
    from_base32|unbase64(string) -> binary
    hex(bigint|binary|string) -> string
    ilike|like(string, string, string?) -> boolean
    initcap(string) -> string
    instr(string, string, int?, int?) -> int
    is_valid_utf8(string) -> boolean
    jaro_winkler_similarity(string, string) -> double
    lcase|lower|ucase|upper(string) -> string
    left(string|binary, int) -> 1
    levenshtein(string, string, int?) -> int
    locate|position(string, string, int?) -> int
    lpad|rpad(string, int, string?) -> string
    lpad|rpad(binary, int, binary?) -> binary
    ltrim|rtrim|trim(string, string?) -> string
    luhn_check(string) -> boolean
    make_valid_utf8|try_validate_utf8|validate_utf8(string) -> string
    mask(string!, string!?, string!?, string!?, string!?) -> string
    overlay(string, string, int, int?) -> string
    overlay(binary, binary, int, int?) -> binary
    parse_url|try_parse_url(string!, string!, string!?) -> string
    quote(string) -> string
    regexp|regexp_like|rlike(string, string) -> boolean
    regexp_count(string, string) -> int
    regexp_extract(string, string, int?) -> string
    regexp_extract_all(string, string, int?) -> array<string>
    regexp_instr(string, string, int?) -> int
    regexp_replace(string, string, string, int?) -> string
    regexp_substr(string, string) -> string
    repeat(string, int) -> string
    replace(string, string, string?) -> string
    right(string, int) -> string
    sentences(string, string?, string?) -> array<array<string>>
    soundex(string!) -> string
    space(int) -> string
    split(string, string, int?) -> array<string>
    split_part(string, string, int) -> string
    str_to_map(string!, string!?, string!?) -> map<string,string>
    substr|substring(string|binary, int, int?) -> 1
    substring_index(string, string, int) -> string
    to_base32(binary) -> string
    to_binary|try_to_binary(string, string?) -> binary
    to_char|to_varchar(number, string) -> string
    to_char|to_varchar(date|instant|binary, string) -> string
    translate(string, string, string) -> string
    try_url_decode|url_decode|url_encode(string) -> string
    unhex(string) -> binary
"""
