"""Functions that no continuous query can use, and why.

A continuous query must give the same answer for the same rows of a window, whenever and wherever a slice is
computed; a function that asks the clock, the dice or the machine does not.
"""

from __future__ import annotations

from collections.abc import Mapping

_CLOCK = "it reads the clock, and a window's answer must depend on its rows alone; use the event time of the stream"
_DICE = "its answer is random, and a window's answer must depend on its rows alone"
_MACHINE = "it depends on how Spark cuts the data into files and partitions, not on the rows of the window"
_CODE = "it calls arbitrary Java code, whose answer need not depend on the rows of the window"
_WINDOW = "the windows of a stream are written after its name: FROM stream [RANGE 5 MINUTES]"
_TABLE = "it is a table of Spark itself, not a function of rows"
_TIME = "this Spark has no functions on the type TIME"
_PACKAGE = "it needs a Spark package that is not part of this system"
_SPATIAL = "this system has no spatial types"
_COLLATION = "text is compared by its bytes here; there are no collations"
_MEASURE = "there are no metric views here; name the aggregate itself"
_NANOS = "this Spark has no timestamps with nanoseconds"

_REASONS: Mapping[str, str] = {
    _CLOCK: "curdate current_date current_time current_timestamp localtime localtimestamp now",
    _DICE: "rand randn random randstr shuffle uniform uuid",
    _MACHINE: "input_file_block_length input_file_block_start input_file_name monotonically_increasing_id "
    "spark_partition_id",
    _CODE: "java_method reflect try_reflect",
    _WINDOW: "session_window window window_time",
    _TABLE: "collations python_worker_logs range sql_keywords",
    _TIME: "make_time time time_diff time_from_micros time_from_millis time_from_seconds time_to_micros "
    "time_to_millis time_to_seconds time_trunc to_time try_to_time",
    _PACKAGE: "from_avro from_protobuf schema_of_avro to_avro to_protobuf",
    _SPATIAL: "st_asbinary st_geogfromwkb st_geomfromwkb st_setsrid st_srid",
    _COLLATION: "collate collation",
    _MEASURE: "measure",
    _NANOS: "timestamp_nanos unix_nanos",
}

OF_WINDOWS: Mapping[str, str] = {
    f"{window}{part}": f"write the window in FROM: {form}, and name window_start and window_end"
    for window, form in (
        ("tumble", "stream [FIXED 5 MINUTES SLIDE 5 MINUTES]"),
        ("hop", "stream [RANGE 5 MINUTES SLIDE 1 MINUTE]"),
        ("session", "stream [SESSION 5 MINUTES PARTITION BY key]"),
    )
    for part in ("", "_start", "_end", "_rowtime")
}
"""What others have as functions, with how it is written here; a user may have functions of these names."""

UNREPEATABLE = frozenset(name for why in (_CLOCK, _DICE, _MACHINE, _CODE) for name in _REASONS[why].split())
"""Those whose answer does not depend on the rows alone: no continuous query can use them, whoever evaluates it."""

REFUSED: Mapping[str, str] = {name: reason for reason, names in _REASONS.items() for name in names.split()}
