"""NULL and conditions."""

SCALAR = """
    coalesce(T, T*) -> T = coalesce({*})
    equal_null(T, T) -> boolean = ({0} IS NOT DISTINCT FROM {1})
    if(boolean, T, T) -> T = CASE WHEN {0} THEN {1} ELSE {2} END
    ifnull|nvl(T, T) -> T = coalesce({0}, {1})
    isnan(fraction) -> boolean = coalesce(isnan({0}), false)
    isnotnull(any) -> boolean = ({0} IS NOT NULL)
    isnull(any) -> boolean = ({0} IS NULL)
    nanvl(double, double) -> double = CASE WHEN isnan({0}) THEN {1} ELSE {0} END
    nullif(T, T) -> T = nullif({0}, {1})
    nullifzero(number) -> 1 = nullif({0}, 0)
    nvl2(any, T, T) -> T = CASE WHEN {0} IS NOT NULL THEN {1} ELSE {2} END
"""
