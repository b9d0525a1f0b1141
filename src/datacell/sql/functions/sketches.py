"""Sketches: small summaries of many rows that can be merged and asked for estimates."""

SCALAR = """
    approx_top_k_estimate(any, int?) -> @top_items
    hll_sketch_estimate(binary!) -> bigint
    hll_union(binary!, binary!, boolean?) -> binary
    kll_sketch_get_n_bigint|kll_sketch_get_n_double|kll_sketch_get_n_float(binary) -> bigint
    kll_sketch_get_quantile_bigint(binary, double) -> bigint
    kll_sketch_get_quantile_bigint(binary, array<double>) -> array<bigint>
    kll_sketch_get_quantile_double(binary, double) -> double
    kll_sketch_get_quantile_double(binary, array<double>) -> array<double>
    kll_sketch_get_quantile_float(binary, double) -> float
    kll_sketch_get_quantile_float(binary, array<double>) -> array<float>
    kll_sketch_get_rank_bigint(binary, bigint) -> double
    kll_sketch_get_rank_bigint(binary, array<bigint>) -> array<double>
    kll_sketch_get_rank_double(binary, double) -> double
    kll_sketch_get_rank_double(binary, array<double>) -> array<double>
    kll_sketch_get_rank_float(binary, float) -> double
    kll_sketch_get_rank_float(binary, array<float>) -> array<double>
    kll_sketch_merge_bigint|kll_sketch_merge_double|kll_sketch_merge_float(binary, binary) -> binary
    kll_sketch_to_string_bigint|kll_sketch_to_string_double|kll_sketch_to_string_float(binary) -> string
    theta_difference|theta_intersection(binary!, binary!) -> binary
    theta_sketch_estimate(binary!) -> bigint
    theta_union(binary!, binary!, int?) -> binary
    tuple_difference_double|tuple_difference_integer(binary!, binary!) -> binary
    tuple_difference_theta_double|tuple_difference_theta_integer(binary!, binary!) -> binary
    tuple_intersection_double|tuple_intersection_integer(binary!, binary!, string?) -> binary
    tuple_intersection_theta_double|tuple_intersection_theta_integer(binary!, binary!, string?) -> binary
    tuple_sketch_estimate_double|tuple_sketch_estimate_integer(binary!) -> double
    tuple_sketch_summary_double(binary!, string?) -> double
    tuple_sketch_summary_integer(binary!, string?) -> bigint
    tuple_sketch_theta_double|tuple_sketch_theta_integer(binary!) -> double
    tuple_union_double|tuple_union_integer(binary!, binary!, int?, string?) -> binary
    tuple_union_theta_double|tuple_union_theta_integer(binary!, binary!, int?, string?) -> binary
"""

AGGREGATE = """
    approx_top_k_accumulate(countable, int?) -> @top_sketch
    approx_top_k_combine(any, int?) -> 1
    hll_sketch_agg(int!|bigint!|string!|binary!, int!?) -> binary
    hll_union_agg(binary!, boolean?) -> binary
    kll_merge_agg_bigint|kll_merge_agg_double|kll_merge_agg_float(binary!, int?) -> binary
    kll_sketch_agg_bigint(integer!, int!?) -> binary
    kll_sketch_agg_double(fraction!, int!?) -> binary
    kll_sketch_agg_float(float!, int!?) -> binary
    theta_intersection_agg(binary!) -> binary
    theta_sketch_agg(int!|bigint!|float!|double!|string!|binary!|array<int!>|array<bigint!>, int!?) -> binary
    theta_union_agg(binary!, int?) -> binary
    tuple_intersection_agg_double|tuple_intersection_agg_integer(binary, string?) -> binary
    tuple_sketch_agg_double(any, double, int?, string?) -> binary
    tuple_sketch_agg_integer(any, int, int?, string?) -> binary
    tuple_union_agg_double|tuple_union_agg_integer(binary, int?, string?) -> binary
"""
