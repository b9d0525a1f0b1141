"""Spark: the stream engine and the relational kernel. It runs every plan; its answers define what is right."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from threading import Lock
from typing import cast

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import broadcast
from pyspark.sql.types import StructType

from datacell.algebra.plan import Plan
from datacell.algebra.schema import Schema
from datacell.algebra.tree import Key
from datacell.engines import sql
from datacell.engines.arrow import conform, selected
from datacell.engines.protocol import Inputs, ParquetFiles, Source
from datacell.engines.session import own_session, session
from datacell.errors import EngineError, in_backticks

_VIEW_NUMBERS = count()
_FEW = 10_000
"""Rows up to which an input is worth sending to every task instead of shuffling what it is joined with."""

_ONE_TASK = 1_000_000
"""Rows of input up to which one task is faster than several, because then nothing is shuffled."""

_CAUSE = re.compile(r"^Caused by: ([\w.$]+: )?")
"""How Java begins to tell a cause: with its class."""


class PreparedText:
    """A plan's text, and the views that it reads its inputs from."""

    def __init__(self, engine: SparkEngine, plan: Plan) -> None:
        self._engine, self._schema = engine, plan.schema
        self._sources = sql.sources(plan)
        self._views = {key: f"datacell_input_{next(_VIEW_NUMBERS)}" for key in self._sources}
        self._text = sql.text(plan, sql.SPARK, self._views)
        self._schemas = {key: cast("StructType", StructType.fromDDL(_ddl(c))) for key, c in self._sources.items()}
        self._empty: dict[Key, DataFrame] = {}
        self._lock = Lock()

    def run(self, inputs: Inputs) -> pa.Table:
        before = SparkSession.getActiveSession()
        try:
            with self._lock:
                return conform(self._run(inputs), self._schema)
        except (PySparkException, Py4JError, pa.ArrowException) as error:
            raise EngineError(f"Spark could not run the fragment: {_reason(error)}") from error
        finally:
            self._engine.leave(before)

    def _run(self, inputs: Inputs) -> pa.Table:
        try:
            alone = _is_for_one_task([inputs[key] for key in self._sources])
            for key, view in self._views.items():
                frame = self._frame(key, inputs[key])
                (frame.coalesce(1) if alone else frame).createOrReplaceTempView(view)
            return self._engine.session.sql(self._text).toArrow()
        finally:
            for view in self._views.values():
                self._engine.session.catalog.dropTempView(view)

    def close(self) -> None:
        self._empty.clear()

    def _frame(self, key: Key, source: Source) -> DataFrame:
        session, schema = self._engine.session, self._schemas[key]
        if isinstance(source, ParquetFiles):
            return session.read.schema(schema).parquet(*source.paths)
        if not len(source) and key in self._empty:
            return self._empty[key]
        table = _without_empty_pieces(selected(source, self._sources[key]))
        frame = session.createDataFrame(table, schema=schema)
        frame = broadcast(frame) if len(source) <= _FEW else frame
        if not len(source):
            self._empty[key] = frame
        return frame


class SparkEngine:
    """Runs in a session of its own beside the given one; a session that it started itself ends with it."""

    name = "spark"

    def __init__(self, spark: SparkSession | None = None, master: str | None = None) -> None:
        owner = spark or session(master)
        self._owner, self._started = owner, owner if spark is None else None
        self.session = own_session(owner)
        """Ours: with UTC and ANSI mode off, whatever the owner's has."""

    def refusals(self, plan: Plan) -> tuple[str, ...]:  # noqa: ARG002 - Spark defines the answers, so it refuses nothing
        return ()

    def prepare(self, plan: Plan) -> PreparedText:
        return PreparedText(self, plan)

    def leave(self, before: SparkSession | None) -> None:
        """Make the session active again that was before a run."""
        if before is not None and self._started is None:
            _make_active(self._owner if before is self.session else before)

    def close(self) -> None:
        if self._started is not None:
            self._started.stop()


def _is_for_one_task(sources: Sequence[Source]) -> bool:
    tables = [source for source in sources if not isinstance(source, ParquetFiles)]
    return len(tables) == len(sources) and sum(map(len, tables)) <= _ONE_TASK


def _make_active(owner: SparkSession) -> None:
    """As PySpark does it itself whenever it creates a frame, which is its only public way and takes far longer."""
    SparkSession._activeSession = owner
    SparkSession._get_j_spark_session_class(owner._jvm).setActiveSession(owner._jsparkSession)


def _without_empty_pieces(table: pa.Table) -> pa.Table:
    """Spark takes an empty piece for the end of a table, and would lose what comes after it; but one it needs."""
    pieces = [b for b in table.to_batches() if len(b)]
    return pa.Table.from_batches(pieces) if pieces else table.schema.empty_table()


def _ddl(columns: Schema) -> str:
    return ", ".join(f"{in_backticks(f.name)} {f.type}" for f in columns)


def _reason(error: Exception) -> str:
    """Its first line; of an error that only Java knows, what Java said caused it all."""
    lines = str(error).strip().split("\n")
    causes = [line for line in lines if line.startswith("Caused by: ")]
    if causes:
        return _CAUSE.sub("", causes[-1])
    return lines[1].removeprefix(": ") if isinstance(error, Py4JError) and len(lines) > 1 else lines[0]
