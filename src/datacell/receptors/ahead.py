"""Rows too far ahead, on the executors: looked for only if time may have leapt, and then barred."""

from __future__ import annotations

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from datacell.algebra.definitions import REASON, StreamDefinition
from datacell.engines.transfers import Account, to_driver
from datacell.receptors.checks import with_text
from datacell.runtime.streams.ahead import Spans
from datacell.runtime.streams.conditions import too_far_ahead


def spans(rows: DataFrame, time: Column, width: int, account: Account) -> Spans:
    """The times of the rows that enter, in spans shorter than `width`; this takes a job."""
    entering = rows.where(f.col(REASON).isNull()).select(time.alias("at"))
    within = entering.groupBy(f.floor(f.col("at") / f.lit(width)).alias("span"))
    found = within.agg(f.min("at").alias("first"), f.max("at").alias("last"), f.count("*").alias("count"))
    table = to_driver(found, account).sort_by("first")
    firsts, lasts, counts = (np.asarray(table[name].to_numpy(), dtype=np.int64) for name in ("first", "last", "count"))
    return Spans(firsts, lasts, counts)


def barred(frame: DataFrame, stream: StreamDefinition, time: Column, until: int) -> DataFrame:
    """The same rows; those after an instant come with the reason why they must not enter."""
    beyond = f.col(REASON).isNull() & (time > _as_data(until, time))
    marked = frame.withColumn(REASON, f.when(beyond, f.lit(too_far_ahead(stream))).otherwise(f.col(REASON)))
    return with_text(marked, stream)


def _as_data(value: int, beside: Column) -> Column:
    """A number that changes from batch to batch. In an array it is data of the program and not text, which is compiled.

    The place in the array is computed from a row, or Spark would evaluate it beforehand.
    """
    return f.get(f.array(f.lit(value).cast("bigint")), (beside - beside).cast("int"))
