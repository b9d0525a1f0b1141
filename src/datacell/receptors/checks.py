"""The gate as columns of a receptor's frame: no row leaves Spark unchecked, and checking is no job of its own."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from sqlglot import exp

from datacell.algebra.definitions import REASON, StreamDefinition
from datacell.runtime.streams.gate import TEXT, Gate, shortened

MALFORMED = "__malformed"
"""The column in which a source says what it could not parse; NULL for the other rows."""

UNPARSED = "it cannot be parsed"


def checked(frame: DataFrame, stream: StreamDefinition) -> DataFrame:
    """The rows with the reason why each is rejected, NULL if it enters, and the text of the rejected ones."""
    gate = Gate(stream)
    parsed = f.col(MALFORMED).isNull()
    reason = f.when(parsed, _column(gate.reason)).otherwise(f.lit(UNPARSED))
    text = f.when(parsed, _column(gate.text)).otherwise(_column(shortened(exp.column(MALFORMED))))
    with_reason = frame.withColumn(REASON, reason)
    return with_reason.withColumn(TEXT, f.when(f.col(REASON).isNotNull(), text)).drop(MALFORMED)


def _column(value: exp.Expr) -> Column:
    return f.expr(value.sql(dialect="spark", comments=False, normalize_functions=False))
