"""NULL, conditions, casts spelled as calls, and what a query may ask about itself."""

SCALAR = """
    assert_true(boolean, string?) -> void
    bigint(any) -> bigint
    binary(any) -> binary
    boolean(any) -> boolean
    coalesce(T, T*) -> T
    date(any) -> date
    decimal(any) -> decimal(10,0)
    double(any) -> double
    equal_null(T, T) -> boolean
    float(any) -> float
    if(boolean, T, T) -> T
    ifnull|nvl(T, T) -> T
    int(any) -> int
    isnan(double) -> boolean
    isnotnull|isnull(any) -> boolean
    nullif(any, any) -> 1
    nullifzero(number) -> 1
    nvl2(any, T, T) -> T
    raise_error(string) -> void
    smallint(any) -> smallint
    string(any) -> string
    time(any) -> time
    timestamp(any) -> timestamp
    tinyint(any) -> tinyint
    typeof(any) -> string
    zeroifnull(any) -> @or_zero
    current_catalog|current_database|current_path|current_schema|current_user|session_user|user|version() -> string
"""
