"""Functions that stay on Spark, and why. A function that is in no table stays there too: nobody has compared it."""

from __future__ import annotations

from collections.abc import Mapping

_REASONS: Mapping[str, str] = {
    "pattern letters differ": "date_format from_unixtime to_char to_varchar to_number try_to_number format_number "
    "format_string printf",
    "the order of the rows decides": "first last collect_list array_agg listagg string_agg mode",
    "the last digits depend on the mathematical library": "acos acosh asin asinh atan atan2 atanh cbrt cos cosh cot "
    "csc degrees exp expm1 hypot ln log log10 log1p log2 pow power radians sec sin sinh tan tanh",
    "the sketches differ": "approx_count_distinct approx_percentile percentile_approx approx_top_k count_min_sketch "
    "histogram_numeric",
    "NULL or NaN where nothing varies": "corr regr_r2 regr_slope regr_intercept",
    "the hash functions differ": "hash xxhash64 crc32",
    "only Spark has its collations": "collate",
    "the definitions differ": "kurtosis skewness soundex jaro_winkler_similarity bround",
    "DuckDB has no such function": "initcap substring_index find_in_set elt overlay sentences conv luhn_check mask "
    "width_bucket str_to_map parse_url months_between next_day quote",
    "Spark's shifts count modulo the width": "shiftleft shiftright shiftrightunsigned bit_get getbit",
    "it must fail on Spark": "raise_error assert_true",
    "time zones": "from_utc_timestamp to_utc_timestamp convert_timezone",
    "JSON is read and written differently": "from_json to_json get_json_object json_array_length json_object_keys "
    "schema_of_json parse_json try_parse_json",
    "Java's regular expressions differ": "regexp_count regexp_extract_all regexp_instr regexp_substr split",
    "it tells about the engine": "version typeof current_catalog current_database current_schema current_user user "
    "current_timezone",
}

REFUSED: Mapping[str, str] = {name: reason for reason, names in _REASONS.items() for name in names.split()}
UNKNOWN = "not compared yet"
