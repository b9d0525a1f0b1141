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

from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Engine
from datacell.incremental.strategy import Strategy
from datacell.runtime.clock import SystemClock
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.gate import NOTHING_REJECTED
from datacell.sql import script
from datacell.testing import Trial

Batch = Mapping[str, np.ndarray]


class Bed:
    """A query over some streams, on an engine, by a strategy; if it is durable, as with a checkpoint."""

    def __init__(
        self,
        engine: Engine,
        streams: str,
        query: str,
        wanted: Strategy,
        durable: bool = False,
        plans: Plans | None = None,
    ) -> None:
        self._stack = ExitStack()
        directory = Path(self._stack.enter_context(TemporaryDirectory(prefix="datacell-bench-"))) if durable else None
        trial = Trial(streams, directory=directory, engine=engine, strategy=wanted, clock=SystemClock())
        self._stack.callback(trial.close)
        self.directory, self.scheduler = trial.directory, trial.scheduler
        self.factory = trial.add_query("q", script.query(query, trial.catalog), plans)
        self._numbers = dict.fromkeys(trial.scheduler.members.streams, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def deposit(self, stream: str, batch: Batch) -> float:
        """Put a batch in and let the net settle; how many seconds that took."""
        fields = self.scheduler.members.streams[stream].definition.fields
        schema = arrow_schema(Schema(fields))
        return self.put(stream, pa.table([pa.array(batch[f.name], f.type) for f in schema], schema=schema))

    def put(self, stream: str, table: pa.Table) -> float:
        """The same with a table."""
        started = time.perf_counter()
        self.scheduler.deposit(stream, self._numbers[stream], table, NOTHING_REJECTED)
        elapsed = time.perf_counter() - started
        self._numbers[stream] += 1
        self.factory.output.forget(self.factory.output.next_number)
        return elapsed
