"""What a row must satisfy: it parses, it is in range, it keeps NOT NULL and CHECK, and it has its event time."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.definitions import StreamColumn, StreamDefinition

MALFORMED, REASON, ROW = "__malformed", "__reason", "__row"

FILE_ORDER = ("__file_time", "__file_path", "__file_start")
"""Columns by which the rows of one micro-batch of files are put in order; rows of one stretch of a file are in it."""

LONGEST_TEXT = 400
"""Characters that are kept of a rejected row."""

_RANGES = {
    types.TIMESTAMP: ("TIMESTAMP '0001-01-01 00:00:00Z'", "TIMESTAMP '9999-12-31 23:59:59.999999Z'"),
    types.TIMESTAMP_NTZ: ("TIMESTAMP_NTZ '0001-01-01 00:00:00'", "TIMESTAMP_NTZ '9999-12-31 23:59:59.999999'"),
    types.DATE: ("DATE '0001-01-01'", "DATE '9999-12-31'"),
}
"""What Spark documents as the range of its times. Its readers let more through, which clients cannot represent."""


def checked(frame: DataFrame, stream: StreamDefinition) -> DataFrame:
    """The rows with the reason why each is rejected, NULL if it is taken, and the text of the rejected ones."""
    reasons = [(f.col(MALFORMED).isNotNull(), "it cannot be parsed"), *_broken(stream)]
    reason = f.lit(None).cast("string")
    for broken, why in reversed(reasons):
        reason = f.when(broken, f.lit(why)).otherwise(reason)
    columns = [f.col(quoted(c.name)) for c in stream.columns]
    text = f.coalesce(f.col(MALFORMED), f.to_json(f.struct(*columns)))
    cut = f.make_valid_utf8(f.substring(text, 1, LONGEST_TEXT))
    with_reason = frame.withColumn(REASON, reason)
    return with_reason.withColumn(ROW, f.when(f.col(REASON).isNotNull(), cut)).drop(MALFORMED)


def _broken(stream: StreamDefinition) -> Iterator[tuple[Column, str]]:
    for column in stream.columns:
        value = f.col(quoted(column.name))
        if column.type in _RANGES:
            least, most = map(f.expr, _RANGES[column.type])
            yield (value < least) | (value > most), f"{column.name} is out of range: years 1 to 9999"
        if column.name == stream.event_time:
            yield value.isNull(), f"{column.name}, its event time, is NULL"
        elif not column.nullable:
            yield value.isNull(), f"{column.name} is NULL"
        if column.check is not None:
            yield ~_holds(column), f"it breaks CHECK ({scalar.show(column.check)})"


def _holds(column: StreamColumn) -> Column:
    """As in SQL, a check that is unknown is not broken."""
    assert isinstance(column.check, exp.Expr)
    return f.coalesce(f.expr(column.check.sql(dialect="spark")), f.lit(True))


def quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
