"""Debezium's envelope: each message tells what a row of a table was before a change, and what it is after it.

::

    {"before": null, "after": {"id": 1, "state": "new"}, "op": "c", "ts_ms": 1767225610000}

A stream of such messages has the columns of that table: those of `after` or, where a row was deleted, of `before`. Of
the envelope itself it may have `op` ('c' created, 'u' updated, 'd' deleted, 'r' read at the start) and `ts_ms`, when
the change was noticed, as TIMESTAMP or as a number. The whole may stand in `payload`, beside its schema. What tells of
no row is rejected; a message without a value, as Kafka has one behind each deletion, is none.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from datacell.algebra.definitions import StreamColumn, StreamDefinition
from datacell.algebra.types import TIMESTAMP
from datacell.errors import SourceError, in_backticks
from datacell.receptors.checks import MALFORMED

_CHANGES = ("c", "u", "d", "r")
_OF_ENVELOPE = {"op": "STRING", "ts_ms": "BIGINT"}
_READING = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": MALFORMED}


def messages(spark: SparkSession, stream: StreamDefinition, form: str, options: Mapping[str, str]) -> DataFrame:
    """The messages of a source as text, in its column `value`: the lines of a file, or what Kafka has."""
    if form == "json":
        form, options = "text", {**options, "wholetext": options.get("multiLine", "false")}
    found = spark.readStream.format(form).options(**options).load()
    if "value" not in found.columns:
        raise SourceError(
            f"stream {stream.name}: a source of format {form} has no column value that an envelope could be in",
            hint="an envelope is read of json, of text, of TCP with lines = 'json', or of Kafka",
        )
    value = f.col("value").cast("string")
    return found.select(value.alias("value")).where("trim(value) <> ''")


def unwrapped(frame: DataFrame, stream: StreamDefinition) -> DataFrame:
    """The stream's columns, and `__malformed`, of messages."""
    whole = f.col("message")
    parsed = frame.withColumn("message", f.from_json("value", _schema(stream), _READING))
    stated = f.struct(*(whole[name].alias(name) for name in ("before", "after", *_OF_ENVELOPE)))
    found = parsed.withColumn("change", f.coalesce(whole["payload"], stated))
    op = f.col("change.op")
    image = f.when(op == "d", f.col("change.before")).otherwise(f.col("change.after"))
    of_a_row = f.coalesce(op.isin(*_CHANGES), f.lit(False)) & image.isNotNull()
    malformed = f.when(whole[MALFORMED].isNotNull() | ~of_a_row, f.col("value"))
    return found.select(*(_value(c, image) for c in stream.columns), malformed.alias(MALFORMED))


def _schema(stream: StreamDefinition) -> str:
    """What is read of a message."""
    columns = (c for c in stream.columns if c.name.lower() not in _OF_ENVELOPE)
    row = f"STRUCT<{', '.join(f'{in_backticks(c.name)}: {c.type}' for c in columns)}>"
    change = ", ".join(f"{name}: {kind}" for name, kind in {"before": row, "after": row, **_OF_ENVELOPE}.items())
    return f"STRUCT<payload: STRUCT<{change}>, {change}, {MALFORMED}: STRING>"


def _value(column: StreamColumn, image: Column) -> Column:
    name = column.name.lower()
    if name not in _OF_ENVELOPE:
        return image[column.name].alias(column.name)
    value = f.col(f"change.{name}")
    if name == "ts_ms" and column.type == TIMESTAMP:
        value = f.timestamp_millis(value)
    return value.cast(str(column.type)).alias(column.name)
