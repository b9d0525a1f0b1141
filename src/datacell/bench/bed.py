"""A test bed: one query in a net without sources, fed batch by batch, timed slide by slide."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa

from datacell.algebra.definitions import REJECTED
from datacell.algebra.query import Timing
from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Engine
from datacell.incremental import strategy
from datacell.incremental.strategy import Strategy
from datacell.intervals.translate import translate
from datacell.rewrite.rules import optimized
from datacell.runtime.clock import SystemClock
from datacell.runtime.net.factory import Description
from datacell.runtime.net.running import RunningFactory
from datacell.runtime.net.scheduler import Scheduler
from datacell.runtime.storage import files
from datacell.runtime.storage.output import Output
from datacell.sql import script
from datacell.sql.catalog import Catalog
from datacell.sql.statements.statement import after

Batch = Mapping[str, np.ndarray]
_NOTHING_REJECTED = arrow_schema(Schema(REJECTED)).empty_table()


class Bed:
    """A query over some streams, on an engine, by a strategy; if it is durable, as with a checkpoint."""

    def __init__(self, engine: Engine, streams: str, query: str, wanted: Strategy, durable: bool = False) -> None:
        self._stack = ExitStack()
        if durable:
            self.directory = Path(self._stack.enter_context(TemporaryDirectory(prefix="datacell-bench-")))
        else:
            self.directory = self._stack.enter_context(files.temporary_directory())
        self.scheduler = Scheduler(SystemClock())
        known = Catalog()
        for placed in script.read(streams):
            known = after(known, placed.statement)
        for stream in known.streams.values():
            self.scheduler.add_stream(stream, self.directory / stream.name, engine.run)
        best = optimized(script.query(query, known))
        output = Output(self.directory / "query", arrow_schema(best.result))
        if best.timing is Timing.EVERY_CHANGE:
            description = Description("q", best, engine, program=translate(best))
        else:
            description = Description("q", best, engine, strategy.choose(best, wanted).split)
        self.running: RunningFactory = self.scheduler.add_factory(description, output, _no_table, engine)
        self._numbers = dict.fromkeys(known.streams, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def deposit(self, stream: str, batch: Batch) -> float:
        """Put a batch in and let the net settle; how many seconds that took."""
        fields = self.scheduler.streams[stream].definition.fields
        schema = arrow_schema(Schema(fields))
        return self.put(stream, pa.table([pa.array(batch[f.name], f.type) for f in schema], schema=schema))

    def put(self, stream: str, table: pa.Table) -> float:
        """The same with a table."""
        started = time.perf_counter()
        self.scheduler.deposit(stream, self._numbers[stream], table, _NOTHING_REJECTED)
        elapsed = time.perf_counter() - started
        self._numbers[stream] += 1
        self.running.output.forget(self.running.output.next_number)
        return elapsed


def _no_table(name: str) -> pa.Table:
    raise KeyError(name)
