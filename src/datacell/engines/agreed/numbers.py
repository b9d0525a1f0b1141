"""Numbers and bits."""

_REST = "({0} % nullif({1}, 0))"
_POSITIVE_REST = f"CASE WHEN {_REST} < 0 THEN ({_REST} + {{1}}) % nullif({{1}}, 0) ELSE {_REST} END"

SCALAR = f"""
    abs(number) -> 1 = abs({{0}})
    bin(bigint) -> string = bin({{0}})
    bit_count(bigint) -> int = bit_count({{0}})
    ceil|ceiling(integer) -> bigint = {{0}}
    ceil|ceiling(decimal) -> whole = ceil({{0}})
    ceil|ceiling(fraction) -> bigint = ceil({{0}})
    e() -> double = 2.718281828459045e0
    factorial(int) -> bigint = CASE WHEN {{0}} BETWEEN 0 AND 20 THEN factorial({{0}}) END
    floor(integer) -> bigint = {{0}}
    floor(decimal) -> whole = floor({{0}})
    floor(fraction) -> bigint = floor({{0}})
    greatest(T, T, T*) -> T = greatest({{*}})
    least(T, T, T*) -> T = least({{*}})
    mod(N, N) -> N = {_REST}
    negative(number) -> 1 = (-{{0}})
    pi() -> double = pi()
    pmod(N, N) -> N = {_POSITIVE_REST}
    positive(number) -> 1 = {{0}}
    rint(double) -> double = round_even({{0}}, 0)
    sign|signum(double) -> double = CASE WHEN isnan({{0}}) THEN {{0}} ELSE sign({{0}}) END
    sqrt(double) -> double = CASE WHEN {{0}} < 0 THEN CAST('NaN' AS DOUBLE) ELSE sqrt({{0}}) END
"""
