"""NULL, conditions, and casts spelled as calls."""

SCALAR = """
    assert_true(boolean, string?) -> void
    coalesce(T, T*) -> T
    equal_null(any, any) -> @compared
    if(boolean, T, T) -> T
    ifnull|nvl(T, T) -> T
    isnan(double) -> boolean
    isnotnull|isnull(any) -> boolean
    nullif(any, any) -> @first_unless_equal
    nullifzero(any) -> @first_unless_zero
    nvl2(any, T, T) -> T
    raise_error(string) -> void
    bigint|boolean|decimal|double|float|int|smallint|tinyint(any) -> @cast
    binary|date|string|timestamp(any) -> @cast
    typeof(any) -> string
    zeroifnull(any) -> @or_zero
"""
