"""What a row must satisfy: it parses, it keeps NOT NULL and CHECK, and it has its event time."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from sqlglot import exp

from datacell.algebra import scalar
from datacell.sql.catalog import StreamColumn, StreamDefinition

MALFORMED, REASON, ROW = "__malformed", "__reason", "__row"


def checked(frame: DataFrame, stream: StreamDefinition) -> DataFrame:
    """The rows with the reason why each is rejected, NULL if it is taken, and the text of the rejected ones."""
    reasons = [(f.col(MALFORMED).isNotNull(), "it cannot be parsed")]
    reasons += [(~_ok(c), why) for c in stream.columns for _ok, why in _demands(stream, c)]
    reason = f.lit(None).cast("string")
    for broken, why in reversed(reasons):
        reason = f.when(broken, f.lit(why)).otherwise(reason)
    columns = [f.col(_quoted(c.name)) for c in stream.columns]
    text = f.coalesce(f.col(MALFORMED), f.to_json(f.struct(*columns)))
    with_reason = frame.withColumn(REASON, reason)
    return with_reason.withColumn(ROW, f.when(f.col(REASON).isNotNull(), text)).drop(MALFORMED)


def _demands(stream: StreamDefinition, column: StreamColumn):  # type: ignore[no-untyped-def]
    if column.name == stream.event_time:
        yield (lambda c: f.col(_quoted(c.name)).isNotNull()), f"{column.name}, its event time, is NULL"
    elif not column.nullable:
        yield (lambda c: f.col(_quoted(c.name)).isNotNull()), f"{column.name} is NULL"
    if column.check is not None:
        yield _holds, f"it breaks CHECK ({scalar.show(column.check)})"


def _holds(column: StreamColumn) -> Column:
    """As in SQL, a check that is unknown is not broken."""
    assert isinstance(column.check, exp.Expr)
    return f.coalesce(f.expr(column.check.sql(dialect="spark")), f.lit(True))


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
