"""What a row must satisfy, as columns of a receptor's frame: checking is part of the job that reads."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from sqlglot import exp

from datacell.algebra.definitions import REASON, StreamDefinition
from datacell.errors import in_backticks
from datacell.receptors.tcp import TOO_LONG
from datacell.runtime.streams.conditions import conditions, reason, shortened, text
from datacell.runtime.streams.gate import TEXT

MALFORMED = "__malformed"
"""The column in which a source says what it could not parse; NULL for the other rows."""

UNPARSED = "it cannot be parsed"


def checked(frame: DataFrame, stream: StreamDefinition) -> DataFrame:
    """The rows with the reason why each is rejected, NULL if it enters, and the text of the rejected ones."""
    parsed = f.col(MALFORMED).isNull()
    what = f.when(parsed, _column(text(stream))).otherwise(_column(shortened(exp.column(MALFORMED))))
    with_reason = frame.withColumn(REASON, _why(stream))
    return with_reason.withColumn(TEXT, f.when(f.col(REASON).isNotNull(), what)).drop(MALFORMED)


def checked_columns(frame: DataFrame, stream: StreamDefinition, names: Iterable[str]) -> DataFrame:
    """Some columns of the rows, with the reason why each is rejected, NULL if it enters."""
    return frame.select(*map(in_backticks, names), _why(stream).alias(REASON))


def _why(stream: StreamDefinition) -> Column:
    parsed, broken = f.col(MALFORMED).isNull(), _column(reason(conditions(stream)))
    why = f.when(f.col(MALFORMED).contains(TOO_LONG), f.lit("its line is too long")).otherwise(f.lit(UNPARSED))
    return f.when(parsed, broken).otherwise(why)


def with_text(frame: DataFrame, stream: StreamDefinition) -> DataFrame:
    """Checked rows, of which more have got a reason since, with the text of these too, if the others have theirs."""
    if TEXT not in frame.columns:
        return frame
    now = f.when(f.col(REASON).isNotNull(), _column(text(stream)))
    return frame.withColumn(TEXT, f.coalesce(f.col(TEXT), now))


def _column(value: exp.Expr) -> Column:
    return f.expr(value.sql(dialect="spark", comments=False, normalize_functions=False))
