"""One value from many rows.

Sums of doubles may differ in the last digits, and of equally good values another may be the one that `min_by` or
`any_value` gives, as between two runs of Spark.
"""

_FINITE = "CASE WHEN isfinite({0}) IS FALSE THEN error('not finite') ELSE {0} END"
"""Of one value that is not finite, DuckDB says that the variance is zero; of more it raises."""

AGGREGATE = f"""
    any|bool_or|some(boolean) -> boolean = bool_or({{0}})
    any_value(T) -> T = first({{0}})
    avg|mean(integer) -> double = avg(CAST({{0}} AS DOUBLE))
    avg|mean(fraction) -> double = avg(CAST({{0}} AS DOUBLE))
    bit_and(integer) -> 1 = bit_and({{0}})
    bit_or(integer) -> 1 = bit_or({{0}})
    bit_xor(integer) -> 1 = bit_xor({{0}})
    bool_and|every(boolean) -> boolean = bool_and({{0}})
    count_if(boolean) -> bigint = count(CASE WHEN {{0}} THEN 1 END)
    covar_pop(double, double) -> double = covar_pop({{0}}, {{1}})
    covar_samp(double, double) -> double = covar_samp({{0}}, {{1}})
    max(orderable) -> 1 = max({{0}})
    max_by(any, orderable) -> 1 = arg_max_null({{0}}, {{1}})
    median(number) -> double = quantile_cont(CAST({{0}} AS DOUBLE), 0.5)
    min(orderable) -> 1 = min({{0}})
    min_by(any, orderable) -> 1 = arg_min_null({{0}}, {{1}})
    regr_avgx(double, double) -> double = regr_avgx({{0}}, {{1}})
    regr_avgy(double, double) -> double = regr_avgy({{0}}, {{1}})
    regr_count(double, double) -> bigint = regr_count({{0}}, {{1}})
    std|stddev|stddev_samp(double) -> double = stddev_samp({{0}})
    stddev_pop(double) -> double = stddev_pop({_FINITE})
    sum(integer) -> bigint = sum({{0}})
    sum(decimal) -> longer = sum({{0}})
    sum(fraction) -> double = sum(CAST({{0}} AS DOUBLE))
    var_pop(double) -> double = var_pop({_FINITE})
    var_samp|variance(double) -> double = var_samp({{0}})
"""

RANKING = """
    cume_dist() -> double = cume_dist()
    dense_rank() -> int = dense_rank()
    first_value|first(T) -> T = first_value({0})
    last_value|last(T) -> T = last_value({0})
    lag(T) -> T = lag({0})
    lag(T, int) -> T = lag({0}, {1})
    lag(T, int, T) -> T = lag({0}, {1}, {2})
    lead(T) -> T = lead({0})
    lead(T, int) -> T = lead({0}, {1})
    lead(T, int, T) -> T = lead({0}, {1}, {2})
    nth_value(T, int) -> T = nth_value({0}, {1})
    ntile(int) -> int = ntile({0})
    percent_rank() -> double = percent_rank()
    rank() -> int = rank()
    row_number() -> int = row_number()
"""
