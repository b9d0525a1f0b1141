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
from datacell.engines import sql
from datacell.engines.arrow import conform, selected
from datacell.engines.known import Known
from datacell.engines.protocol import Input, Inputs, ParquetFiles
from datacell.engines.session import own_session, session
from datacell.errors import EngineError

_VIEW_NUMBERS = count()
_FEW = 10_000
"""Rows up to which an input is worth sending to every task instead of shuffling what it is joined with."""

_ONE_TASK = 1_000_000
"""Rows of input up to which one task is faster than several, because then nothing is shuffled."""

_CAUSE = re.compile(r"^Caused by: ([\w.$]+: )?")
"""How Java begins to tell a cause: with its class."""


class _Prepared:
    """A plan's text, and the views that it reads its inputs from."""

    def __init__(self, plan: Plan, session: SparkSession) -> None:
        self.plan, self.session = plan, session
        self.sources = sql.sources(plan)
        self.views = {name: f"datacell_input_{next(_VIEW_NUMBERS)}" for name in self.sources}
        self.text = sql.text(sql.reading_from(plan, self.views), sql.SPARK)
        self._schemas = {name: cast("StructType", StructType.fromDDL(_ddl(c))) for name, c in self.sources.items()}
        self._empty: dict[str, DataFrame] = {}
        self._lock = Lock()

    def run(self, inputs: Inputs) -> pa.Table:
        with self._lock:
            try:
                alone = _is_for_one_task([inputs[name] for name in self.sources])
                for name, view in self.views.items():
                    frame = self._frame(name, inputs[name])
                    (frame.coalesce(1) if alone else frame).createOrReplaceTempView(view)
                return self.session.sql(self.text).toArrow()
            finally:
                self.close()

    def close(self) -> None:
        """Let go of the inputs."""
        for view in self.views.values():
            self.session.catalog.dropTempView(view)

    def _frame(self, name: str, source: Input) -> DataFrame:
        schema = self._schemas[name]
        if isinstance(source, ParquetFiles):
            return self.session.read.schema(schema).parquet(*source.paths)
        if not len(source) and name in self._empty:
            return self._empty[name]
        table = _without_empty_pieces(selected(source, self.sources[name]))
        frame = self.session.createDataFrame(table, schema=schema)
        frame = broadcast(frame) if len(source) <= _FEW else frame
        if not len(source):
            self._empty[name] = frame
        return frame


class SparkEngine:
    """Runs in a session of its own beside the given one; a session that it started itself ends with it."""

    name = "spark"
    call_worth = 100_000
    covers = False

    def __init__(self, spark: SparkSession | None = None, master: str | None = None) -> None:
        owner = spark or session(master)
        self._owner, self._started = owner, owner if spark is None else None
        self.session = own_session(owner)
        """Ours: with UTC and ANSI mode off, whatever the owner's has."""
        self._prepared = Known(lambda plan: _Prepared(plan, self.session))

    def refusals(self, plan: Plan) -> tuple[str, ...]:  # noqa: ARG002 - Spark defines the answers, so it refuses nothing
        return ()

    def sql(self, plan: Plan) -> str:
        return sql.text(plan, sql.SPARK)

    def run(self, plan: Plan, inputs: Inputs) -> pa.Table:
        before = SparkSession.getActiveSession()
        try:
            return conform(self._prepared(plan).run(inputs), plan.schema)
        except (PySparkException, Py4JError, pa.ArrowException) as error:
            raise EngineError(f"Spark could not run the fragment: {_reason(error)}") from error
        finally:
            if before is not None and self._started is None:
                _make_active(self._owner if before is self.session else before)

    def close(self) -> None:
        if self._started is not None:
            self._started.stop()


def _is_for_one_task(sources: Sequence[Input]) -> bool:
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
    return ", ".join(f"`{f.name.replace('`', '``')}` {f.type}" for f in columns)


def _reason(error: Exception) -> str:
    """Its first line; of an error that only Java knows, what Java said caused it all."""
    lines = str(error).strip().split("\n")
    causes = [line for line in lines if line.startswith("Caused by: ")]
    if causes:
        return _CAUSE.sub("", causes[-1])
    return lines[1].removeprefix(": ") if isinstance(error, Py4JError) and len(lines) > 1 else lines[0]
