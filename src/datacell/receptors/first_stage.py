"""The first stage on Spark: what readers want of a micro-batch is made where its rows are, with no Python there.

The slice of a row is arithmetic on its time. How many rows came, how far time has come and which slices have rows is
found out in the same job: aggregates that make rows few count beside what they do (`incremental.metered`), for the
others Spark observes it, the slices as a bitmap. Rows that were rejected, and rows that come too late, are looked for
only if there are any. Nothing in a plan changes from batch to batch, so nothing is compiled twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, reduce
from math import gcd
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as f

from datacell.algebra import tree
from datacell.algebra.definitions import REASON, StreamDefinition
from datacell.algebra.positions import FOREVER, Positions
from datacell.engines.arrow import shaped
from datacell.engines.protocol import Csv, Files, Frame
from datacell.engines.spark import SparkEngine, write, written
from datacell.engines.spelling import Spelled, csv_columns
from datacell.engines.transfers import Account, to_driver
from datacell.errors import in_backticks
from datacell.incremental.cuts import Cuts
from datacell.incremental.inputs import TIME, BasketRows
from datacell.incremental.metered import COUNT, LATEST, PASSES, metered
from datacell.incremental.relations import SLICE
from datacell.receptors.ahead import barred, spans
from datacell.receptors.receptor import ReadWholeError
from datacell.runtime.streams.ahead import first_jump, may_jump
from datacell.runtime.streams.first_stage import ANY_SLICE, NO_TIME, Made, MadeOf, Staged, Wanted
from datacell.runtime.streams.gate import NOTHING_REJECTED, TEXT, Gate
from datacell.runtime.streams.side_output import MOST_ROWS

LITTLE = 200_000
"""Rows that come to the driver before it is known how many there will be; if there are more, executors write them."""

MUCH = 0.2
"""Rows made of a row, from which on it costs less to observe than to bring counts along with them."""

_BITS = 32_768
"""Slices that a bitmap of Spark's has room for."""


@dataclass(frozen=True)
class Metrics:
    """What is known of the rows of a micro-batch; none of them is before the earliest time."""

    count: int
    rejected: int
    earliest: int
    latest: int


class FirstStage:
    """What the readers of a stream want, prepared once and run on every micro-batch.

    `account` has what comes to the driver beside what was made: rejected and late rows, and slices if there are many.
    """

    def __init__(self, gate: Gate, wanted: Sequence[Wanted], engine: SparkEngine, account: Account) -> None:
        self.stream, self.gate, self.wanted, self.account = gate.stream, gate, wanted, account
        self._prepared = [engine.prepare(w.plan) for w in wanted]
        counting = [metered(w.plan) if w.cuts is not None else None for w in wanted]
        self._metered = [engine.prepare(plan) for plan in counting if plan is not None]
        self._made_of_a_row = 0.0
        self._ended = 0.0
        """When the last run did: of runs that overlap, each is told to have taken so long after the one before."""
        self._read = [_columns(self.stream, columns_of([w])) for w in wanted]
        self._counting = [
            _marked(self.stream, w.cuts, read) for w, read in zip(wanted, self._read, strict=True) if w.cuts
        ]
        self._asked = [_sliced(self.stream, w, read) for w, read in zip(wanted, self._read, strict=True)]
        """What plans read of a micro-batch, said once: every word to Java takes its time."""
        self._spelled: dict[int, Spelled | None] = {}
        self._enters = f.col(REASON).isNull()
        self._seen = [*self._metrics()]

    def run(self, frame: DataFrame, batch: int, now: datetime, before: int = -FOREVER) -> Staged:
        """Everything that is wanted of a micro-batch, the `batch`-th of the receptor; time had come to `before`.

        If it is found that time has leapt further than was declared, it is made again without the rows beyond.
        """

        def tried() -> tuple[Metrics, list[MadeOf]]:
            with _kept(frame, len(self.wanted) > 1) as rows:
                return self._counted(rows) or self._observed(self._timed(rows), batch)

        started = perf_counter()
        found, made = tried()
        since, ended = max(started, self._ended), perf_counter()
        self._ended = ended
        ahead = self.stream.ahead
        may_be = ahead is not None and found.count and may_jump(found.earliest, found.latest, before, ahead)
        if (
            may_be
            and ahead
            and (jump := first_jump(spans(frame, _time(self.stream), ahead, self.account), before, ahead))
        ):
            frame = barred(frame, self.stream, _time(self.stream), jump.until - 1)
            found, made = tried()
        for wanted, one in made:
            count = len(one.rows) if isinstance(one.rows, pa.Table) else one.rows.count
            wanted.learn(found.count, count, (ended - since) / len(made))
            self._made_of_a_row = count / max(1, found.count)
        return Staged(
            found.count,
            found.earliest,
            found.latest,
            found.rejected,
            self._dead_letters(frame, now) if found.rejected else NOTHING_REJECTED,
            made,
            lambda until: self._times(self._timed(frame), until),
            lambda until: self._rows_before(self._timed(frame), until),
            lambda width: spans(frame, _time(self.stream), width, self.account),
        )

    # Counted by the aggregates themselves

    def _counted(self, rows: DataFrame) -> tuple[Metrics, list[MadeOf]] | None:
        """If all plans count, and what they make is little and on its way to the driver; else None."""
        stay = [wanted.stays() for wanted in self.wanted]
        if len(self._metered) < len(self.wanted) or self._made_of_a_row > MUCH or any(stay):
            return None
        found: list[MadeOf] = []
        earliest = -FOREVER
        for number, wanted in enumerate(self.wanted):
            groups = self._groups(number, rows, None if stay[number] is False else LITTLE)
            if groups is None:
                return None
            metrics, made = _apart(groups)
            found.append((wanted, made))
            earliest = max(earliest, metrics.earliest)
        return replace(metrics, earliest=earliest), found

    def _groups(self, number: int, rows: DataFrame, most: int | None) -> pa.Table | None:
        """What a plan that counts makes; None if that is more than there may be."""
        wanted, prepared = self.wanted[number], self._metered[number]
        inputs = _inputs(self.stream, wanted, rows.select(*self._counting[number]))

        def fetched(made: DataFrame) -> pa.Table:
            return to_driver(made if most is None else made.limit(most + 1), wanted.account)

        groups = prepared.over(inputs, fetched)
        return None if most is not None and len(groups) > most else shaped(groups, prepared.schema)

    # Observed by Spark

    def _observed(self, rows: DataFrame, batch: int) -> tuple[Metrics, list[MadeOf]]:
        found = _Observed(Observation())
        first = rows.observe(found.observation, *self._seen)
        given = [self._make(n, rows if n else first, batch, None if n else found) for n in range(len(self.wanted))]
        made = [
            (wanted, Made(made, _times_of(made, wanted.time) if wanted.time else self._occupied(wanted, found, rows)))
            for wanted, made in zip(self.wanted, given, strict=True)
        ]
        return Metrics(found.count, found.rejected, found.earliest, found.latest), made

    def _metrics(self) -> Iterator[Column]:
        enters, time = f.col(REASON).isNull(), f.col(TIME)
        yield f.count(f.lit(1)).alias("count")
        yield f.count(REASON).alias("rejected")
        if self._prepared[0].passes is not None:
            yield f.count_if(enters & self._prepared[0].passes).alias("made")
        if self.stream.event_time is None:
            return
        yield f.min(f.when(enters, time)).alias("earliest")
        yield f.max(f.when(enters, time)).alias("latest")
        for number, cuts in enumerate(self._all_cuts()):
            position = f.pmod(_ordinal(cuts, _slice(cuts, time)), f.lit(_BITS))
            yield f.bitmap_construct_agg(f.when(enters, position)).alias(f"slices {number}")

    def _all_cuts(self) -> list[Cuts]:
        if self.stream.event_time is None:
            return []
        return list(dict.fromkeys(w.cuts for w in self.wanted if w.cuts is not None))

    def _make(self, number: int, rows: DataFrame, batch: int, seen: _Observed | None) -> pa.Table | Files:
        """What is wanted of the rows; `seen` has counted them, if they are observed and each is answered by itself."""
        wanted, prepared = self.wanted[number], self._prepared[number]
        entered = rows.where(self._enters)
        reads_columns = prepared.passes is not None and wanted.cuts is None and wanted.time is None
        asked = entered if reads_columns else entered.select(*self._asked[number])
        inputs = _inputs(self.stream, wanted, asked)
        if wanted.stays() is False or (self.stream.event_time is None and wanted.cuts is not None):
            return shaped(prepared.over(inputs, lambda made: to_driver(made, wanted.account)), prepared.schema)
        directory = wanted.directory(batch)
        if seen is None or prepared.passes is None:
            return prepared.over(inputs, lambda made: written(made, directory, self._csv(number, made)))
        prepared.over(inputs, lambda made: write(made, directory, self._csv(number, made)))
        return Files((directory,), seen.made, wanted.form() if self._spelled.get(number) else None)

    def _csv(self, number: int, made: DataFrame) -> tuple[Csv, Spelled] | None:
        """How the rows are written, if that is csv."""
        form = self.wanted[number].form()
        if form is not None and number not in self._spelled:
            self._spelled[number] = csv_columns(made.schema)
        columns = self._spelled.get(number)
        return None if form is None or columns is None else (form, columns)

    def _timed(self, rows: DataFrame) -> DataFrame:
        return rows if self.stream.event_time is None else rows.withColumn(TIME, _time(self.stream))

    def _occupied(self, wanted: Wanted, found: _Observed, rows: DataFrame) -> Positions:
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
        distinct = rows.where(f.col(REASON).isNull()).select(_slice(cuts, f.col(TIME)).alias(SLICE)).distinct()
        return np.sort(to_driver(distinct, self.account)[SLICE].to_numpy())

    def _dead_letters(self, frame: DataFrame, now: datetime) -> pa.Table:
        _require(TEXT, frame)
        rejected = frame.where(f.col(REASON).isNotNull()).select(REASON, TEXT).limit(MOST_ROWS)
        return self.gate.dead_letters(to_driver(rejected, self.account), now)

    def _times(self, timed: DataFrame, until: int) -> tuple[Positions, Positions]:
        early = timed.where(f.col(REASON).isNull() & (f.col(TIME) < until))
        found = to_driver(early.groupBy(TIME).agg(f.count("*").alias("count")), self.account)
        return found[TIME].to_numpy(), found["count"].to_numpy()

    def _rows_before(self, timed: DataFrame, until: int) -> tuple[pa.Table, Positions]:
        _require(TEXT, timed)
        early = timed.where(f.col(REASON).isNull() & (f.col(TIME) < until)).limit(MOST_ROWS)
        columns = [f.col(in_backticks(c.name)) for c in self.stream.columns]
        found = to_driver(early.select(*columns, TIME), self.account)
        return shaped(found.drop_columns([TIME]), self.gate.schema), found[TIME].to_numpy()


def _columns(stream: StreamDefinition, read: frozenset[str]) -> list[Column]:
    """These columns, or one that says nothing: a frame has at least one."""
    return [f.col(in_backticks(c.name)) for c in stream.columns if c.name in read] or [f.col(REASON)]


def _time(stream: StreamDefinition) -> Column:
    """A row's time in microseconds; its arrival is the same for all, and found out when they are taken."""
    if stream.event_time is None:
        return f.lit(ANY_SLICE).cast("bigint")
    return f.unix_micros(f.col(in_backticks(stream.event_time)).cast("timestamp"))


def _sliced(stream: StreamDefinition, wanted: Wanted, read: Sequence[Column]) -> list[Column]:
    """What a plan reads that does not count: columns, slice and time where it asks for them."""
    columns, at_arrival = [*read], stream.event_time is None
    if wanted.cuts is not None:
        columns.append((_time(stream) if at_arrival else _slice(wanted.cuts, f.col(TIME))).alias(SLICE))
    if wanted.time is not None:
        columns.append(_time(stream).alias(TIME))
    return columns


def _marked(stream: StreamDefinition, cuts: Cuts, read: Sequence[Column]) -> list[Column]:
    """What a plan that counts reads: columns, slice, whether a row enters, and its time."""
    enters, time = f.col(REASON).isNull(), _time(stream)
    slice_ = time if stream.event_time is None else _slice(cuts, time)
    marks = enters.alias(PASSES), f.when(enters, time).alias(TIME)
    return [*read, f.when(enters, slice_).alias(SLICE), *marks]


def _inputs(stream: StreamDefinition, wanted: Wanted, rows: DataFrame) -> dict[Any, Any]:
    return {BasketRows(stream.name): Frame(rows), **wanted.tables()}


def _apart(groups: pa.Table) -> tuple[Metrics, Made]:
    """What a plan that counts has counted, and what it has made."""
    inside = groups.filter(pc.is_valid(groups[SLICE]))
    count, everything = (int(pc.sum(g[COUNT]).as_py() or 0) for g in (inside, groups))
    slices = np.unique(inside[SLICE].to_numpy())
    earliest, latest = (int(slices[0]), int(pc.max(inside[LATEST]).as_py())) if count else NO_TIME
    made = inside.filter(inside[PASSES]).drop_columns([PASSES, COUNT, LATEST])
    return Metrics(count, everything - count, earliest, latest), Made(made, slices)


class _Observed:
    """What was observed of a micro-batch, once the job has ended that reads its rows."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        return self.observation.get

    @property
    def made(self) -> int:
        return int(self._values["made"])

    @property
    def rejected(self) -> int:
        return int(self._values["rejected"])

    @property
    def count(self) -> int:
        return int(self._values["count"]) - self.rejected

    @property
    def earliest(self) -> int:
        return self._time("earliest", 0)

    @property
    def latest(self) -> int:
        return self._time("latest", 1)

    def slices(self, number: int) -> bytes:
        return bytes(self._values[f"slices {number}"])

    def _time(self, name: str, which: int) -> int:
        if not self.count:
            return NO_TIME[which]
        return int(self._values.get(name, ANY_SLICE))


def _times_of(made: pa.Table | Files, column: str) -> Positions:
    """The times of rows that came to the driver."""
    assert isinstance(made, pa.Table)
    return np.unique(made[column].to_numpy())


def columns_of(wanted: Sequence[Wanted]) -> frozenset[str]:
    """The columns of the stream that plans read."""
    nodes = [node for w in wanted for node in tree.inputs(w.plan) if isinstance(node.slot, BasketRows)]
    return frozenset(field.name for node in nodes for field in node.columns if field.name not in (SLICE, TIME))


def _require(column: str, frame: DataFrame) -> None:
    """Rows that are kept as they came need all of their columns, which are read when there are such rows."""
    if column not in frame.columns:
        raise ReadWholeError


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
