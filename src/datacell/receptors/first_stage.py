"""The first stage on Spark: what readers want of a micro-batch is made where its rows are, with no Python there.

The slice of a row is arithmetic on its time. How many rows came and how far time has come are metrics of the first job;
which slices have rows is a bitmap beside them. Rows that were rejected, and rows that come too late, are looked for
only if there are any. Nothing in a plan changes from batch to batch, so nothing is compiled twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from math import gcd
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as f

from datacell.algebra import tree
from datacell.algebra.definitions import REASON, StreamDefinition
from datacell.algebra.positions import Positions
from datacell.engines.arrow import shaped
from datacell.engines.protocol import Frame, ParquetFiles
from datacell.engines.spark import PreparedText, SparkEngine, written
from datacell.engines.transfers import Account, to_driver
from datacell.errors import in_backticks
from datacell.incremental.cuts import Cuts
from datacell.incremental.inputs import BasketRows
from datacell.incremental.relations import SLICE
from datacell.receptors.receptor import ReadDifferentlyError, Reading
from datacell.runtime.streams.first_stage import ANY_SLICE, NO_TIME, Made, Staged, Wanted
from datacell.runtime.streams.gate import NOTHING_REJECTED, TEXT, Gate
from datacell.runtime.streams.side_output import MOST_ROWS

_TIME = "time′"
_BITS = 32_768
"""Slices that a bitmap of Spark's has room for."""


@dataclass(frozen=True, eq=False)
class FirstStage:
    """What the readers of a stream want, prepared once and run on every micro-batch.

    `account` has what comes to the driver beside what was made: rejected and late rows, and slices if there are many.
    """

    stream: StreamDefinition
    gate: Gate
    wanted: Sequence[Wanted]
    prepared: Sequence[PreparedText]
    account: Account

    @classmethod
    def of(cls, gate: Gate, wanted: Sequence[Wanted], engine: SparkEngine, account: Account) -> FirstStage:
        return cls(gate.stream, gate, wanted, [engine.prepare(w.plan) for w in wanted], account)

    def run(self, frame: DataFrame, batch: int, now: Any) -> Staged:
        """Everything that is wanted of a micro-batch, the `batch`-th of the stream."""
        timed = frame.withColumn(_TIME, self._time())
        with _kept(timed, len(self.wanted) > 1) as rows:
            seen = Observation()
            first = rows.observe(seen, *self._metrics())
            given = [self._make(n, first if not n else rows, batch) for n in range(len(self.wanted))]
            found = _Metrics(seen.get)
            made = [
                (wanted, Made(made, self._occupied(wanted, found, rows)))
                for wanted, made in zip(self.wanted, given, strict=True)
            ]
        for wanted, one in made:
            wanted.learn(found.count, len(one.rows) if isinstance(one.rows, pa.Table) else one.rows.count)
        letters = self._dead_letters(frame, now) if found.rejected else NOTHING_REJECTED
        return Staged(
            found.count,
            found.earliest,
            found.latest,
            found.rejected,
            letters,
            made,
            lambda until: self._times(timed, until),
            lambda until: self._rows_before(timed, until),
        )

    def _time(self) -> Column:
        """A row's time in microseconds; its arrival is the same for all, and found out when they are taken."""
        if self.stream.event_time is None:
            return f.lit(ANY_SLICE).cast("bigint")
        return f.unix_micros(f.col(in_backticks(self.stream.event_time)).cast("timestamp"))

    def _metrics(self) -> Iterator[Column]:
        enters, time = f.col(REASON).isNull(), f.col(_TIME)
        yield f.count_if(enters).alias("count")
        yield f.count_if(~enters).alias("rejected")
        yield f.min(f.when(enters, time)).alias("earliest")
        yield f.max(f.when(enters, time)).alias("latest")
        for number, cuts in enumerate(self._all_cuts()):
            position = f.pmod(_ordinal(cuts, _slice(cuts, time)), f.lit(_BITS))
            yield f.bitmap_construct_agg(f.when(enters, position)).alias(f"slices {number}")

    def _all_cuts(self) -> list[Cuts]:
        if self.stream.event_time is None:
            return []
        return list(dict.fromkeys(w.cuts for w in self.wanted if w.cuts is not None))

    def _make(self, number: int, rows: DataFrame, batch: int) -> pa.Table | ParquetFiles:
        wanted, prepared = self.wanted[number], self.prepared[number]
        columns = [f.col(in_backticks(c.name)) for c in self.stream.columns if c.name in rows.columns]
        if wanted.cuts is not None:
            columns.append(self._slice_of(wanted.cuts).alias(SLICE))
        entering = Frame(rows.where(f.col(REASON).isNull()).select(*columns))
        inputs: Mapping[Any, Any] = {BasketRows(self.stream.name): entering, **wanted.tables()}
        if wanted.stays():
            return prepared.over(inputs, lambda made: written(made, wanted.directory(batch)))
        return shaped(prepared.over(inputs, lambda made: to_driver(made, wanted.account)), prepared.schema)

    def _slice_of(self, cuts: Cuts) -> Column:
        return f.col(_TIME) if self.stream.event_time is None else _slice(cuts, f.col(_TIME))

    def _occupied(self, wanted: Wanted, found: _Metrics, rows: DataFrame) -> Positions:
        if wanted.cuts is None or not found.count:
            return np.empty(0, dtype=np.int64)
        cuts = wanted.cuts
        if self.stream.event_time is None:
            return np.array([ANY_SLICE], dtype=np.int64)
        step, base = _step(cuts)
        first, last = ((cuts.slice(at) - base) // step for at in (found.earliest, found.latest))
        if last - first < _BITS:
            bits = np.frombuffer(found.slices(self._all_cuts().index(cuts)), np.uint8)
            here = np.flatnonzero(np.unpackbits(bits, bitorder="little"))
            return np.asarray(np.sort(first + (here - first) % _BITS) * step + base, dtype=np.int64)
        distinct = rows.where(f.col(REASON).isNull()).select(_slice(cuts, f.col(_TIME)).alias(SLICE)).distinct()
        return np.sort(to_driver(distinct, self.account)[SLICE].to_numpy())

    def _dead_letters(self, frame: DataFrame, now: Any) -> pa.Table:
        _require(TEXT, frame)
        rejected = frame.where(f.col(REASON).isNotNull()).select(REASON, TEXT).limit(MOST_ROWS)
        return self.gate.dead_letters(to_driver(rejected, self.account), now)

    def _times(self, timed: DataFrame, until: int) -> tuple[Positions, Positions]:
        early = timed.where(f.col(REASON).isNull() & (f.col(_TIME) < until))
        found = to_driver(early.groupBy(_TIME).agg(f.count("*").alias("count")), self.account)
        return found[_TIME].to_numpy(), found["count"].to_numpy()

    def _rows_before(self, timed: DataFrame, until: int) -> tuple[pa.Table, Positions]:
        _require(TEXT, timed)
        early = timed.where(f.col(REASON).isNull() & (f.col(_TIME) < until)).limit(MOST_ROWS)
        columns = [f.col(in_backticks(c.name)) for c in self.stream.columns]
        found = to_driver(early.select(*columns, _TIME), self.account)
        return shaped(found.drop_columns([_TIME]), self.gate.schema), found[_TIME].to_numpy()


class _Metrics:
    """What was observed of a micro-batch."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self.count, self.rejected = int(values["count"]), int(values["rejected"])
        self.earliest: int = values["earliest"] if self.count else NO_TIME[0]
        self.latest: int = values["latest"] if self.count else NO_TIME[1]

    def slices(self, number: int) -> bytes:
        return bytes(self._values[f"slices {number}"])


def columns_of(wanted: Sequence[Wanted]) -> frozenset[str]:
    """The columns of the stream that plans read."""
    nodes = [node for w in wanted for node in tree.inputs(w.plan) if isinstance(node.slot, BasketRows)]
    return frozenset(field.name for node in nodes for field in node.columns if field.name != SLICE)


def _require(column: str, frame: DataFrame) -> None:
    """Rows that are kept as they came need all of their columns, which are read when there are such rows."""
    if column not in frame.columns:
        raise ReadDifferentlyError(Reading())


@contextmanager
def _kept(frame: DataFrame, often: bool) -> Iterator[DataFrame]:
    """A frame that is read more than once is read from its source only once."""
    if not often:
        yield frame
        return
    kept = frame.persist()
    try:
        yield kept
    finally:
        kept.unpersist()


def _slice(cuts: Cuts, time: Column) -> Column:
    """The slice a time is in: the last cut that is not after it."""
    latest = [time - f.pmod(time - f.lit(p.offset), f.lit(p.period)) for p in cuts.progressions]
    latest += [f.when(time >= point, f.lit(point)) for point in cuts.points]
    return latest[0] if len(latest) == 1 else f.greatest(*latest)


def _step(cuts: Cuts) -> tuple[int, int]:
    """All cuts are multiples of a step away from one of them."""
    base = cuts.progressions[0].offset
    apart = [p.period for p in cuts.progressions] + [p.offset - base for p in cuts.progressions]
    return reduce(gcd, [*apart, *(point - base for point in cuts.points)]), base


def _ordinal(cuts: Cuts, slice_: Column) -> Column:
    step, base = _step(cuts)
    return f.floor((slice_ - f.lit(base)) / f.lit(step))
