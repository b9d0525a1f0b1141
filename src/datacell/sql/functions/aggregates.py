"""One value from many rows."""

AGGREGATE = """
    any|bool_and|bool_or|every|some(boolean) -> boolean
    any_value|first|first_value|last|last_value(T, boolean?) -> T
    approx_count_distinct(any, double?) -> bigint
    approx_percentile|percentile_approx(number|date|instant|ansi_interval, double, integer?) -> 1
    approx_percentile|percentile_approx(number, array<double>, integer?) -> @array_of_first
    approx_percentile|percentile_approx(date|instant|ansi_interval, array<double>, integer?) -> @array_of_first
    approx_top_k(countable, int?, int?) -> @top_array
    array_agg|collect_list(T) -> array<T>
    collect_set(hashable) -> @array_of_first
    avg|mean|try_avg(integer|fraction) -> double
    avg|mean|try_avg(decimal(p,s)) -> decimal(p+4,s+4)
    avg|mean|try_avg(yearmonth) -> interval year to month
    avg|mean|try_avg(daytime) -> interval day to second
    bit_and|bit_or|bit_xor(integer) -> 1
    bitmap_and_agg|bitmap_or_agg(binary) -> binary
    bitmap_construct_agg(bigint) -> binary
    collect_union(array<T>) -> array<T>
    corr|covar_pop|covar_samp(double, double) -> double
    count(any*) -> bigint
    count_if(boolean) -> bigint
    count_min_sketch(integer!|string!|binary!, double!, double!, int!|bigint!) -> binary
    grouping(any) -> tinyint
    grouping_id(any*) -> bigint
    histogram_numeric(number|date!|instant!|ansi_interval!, int) -> @histogram
    kurtosis|skewness|std|stddev|stddev_pop|stddev_samp|var_pop|var_samp|variance(double) -> double
    listagg|string_agg(string, string?) -> string
    listagg|string_agg(binary, binary?) -> binary
    max|min(orderable) -> 1
    max_by|min_by(T, orderable) -> T
    max_by|min_by(T, orderable, int) -> array<T>
    median(number) -> double
    median(yearmonth) -> interval year to month
    median(daytime) -> interval day to second
    mode(T, boolean?) -> T
    percentile(number, double, bigint?) -> double
    percentile(number, array<double>, bigint?) -> array<double>
    percentile(yearmonth, double, bigint?) -> interval year to month
    percentile(yearmonth, array<double>, bigint?) -> array<interval year to month>
    percentile(daytime, double, bigint?) -> interval day to second
    percentile(daytime, array<double>, bigint?) -> array<interval day to second>
    percentile_cont|percentile_disc(double, number) -> double
    percentile_cont|percentile_disc(double, yearmonth) -> interval year to month
    percentile_cont|percentile_disc(double, daytime) -> interval day to second
    regr_intercept|regr_r2|regr_slope|regr_sxx|regr_sxy|regr_syy(double, double) -> double
    regr_avgx(double, integer|fraction) -> double
    regr_avgx(double, decimal(p,s)) -> decimal(p+4,s+4)
    regr_avgy(integer|fraction, double) -> double
    regr_avgy(decimal(p,s), double) -> decimal(p+4,s+4)
    regr_count(double, double) -> bigint
    schema_of_variant_agg(variant) -> string
    sum|try_sum(fraction) -> double
    sum|try_sum(integer) -> bigint
    sum|try_sum(decimal(p,s)) -> decimal(p+10,s)
    sum|try_sum(ansi_interval) -> 1
    vector_avg|vector_sum(array<float!>) -> array<float>
"""
