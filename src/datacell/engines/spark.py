"""Spark: the stream engine and the relational kernel. It runs every plan; its answers define what is right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import broadcast

from datacell.algebra.plan import Plan
from datacell.algebra.schema import Schema
from datacell.engines import sql
from datacell.engines.arrow import conform, selected
from datacell.engines.protocol import Input, Inputs, ParquetFiles
from datacell.engines.session import own_session, session
from datacell.errors import EngineError

_VIEW_NUMBERS = count()
_FEW = 10_000
"""Rows up to which an input is worth sending to every task instead of shuffling what it is joined with."""

_ONE_TASK = 1_000_000
"""Rows of input up to which one task is faster than several, because then nothing is shuffled."""


class SparkEngine:
    """Runs in a session of its own beside the given one; a session that it started itself ends with it."""

    name = "spark"
    call_worth = 200_000

    def __init__(self, spark: SparkSession | None = None, master: str | None = None) -> None:
        owner = spark or session(master)
        self._started = owner if spark is None else None
        self.session = own_session(owner)
        """Ours: with UTC and ANSI mode off, whatever the owner's has."""

    def refusals(self, plan: Plan) -> tuple[str, ...]:  # noqa: ARG002 - Spark defines the answers, so it refuses nothing
        return ()

    def sql(self, plan: Plan) -> str:
        return sql.text(plan, sql.SPARK)

    def run(self, plan: Plan, inputs: Inputs) -> pa.Table:
        before = SparkSession.getActiveSession()
        sources = sql.sources(plan)
        views = {name: f"datacell_input_{next(_VIEW_NUMBERS)}" for name in sources}
        try:
            alone = _is_for_one_task([inputs[name] for name in sources])
            for name, columns in sources.items():
                frame = self._frame(inputs[name], columns)
                (frame.coalesce(1) if alone else frame).createTempView(views[name])
            answer = self.session.sql(sql.text(sql.reading_from(plan, views), sql.SPARK)).toArrow()
            return conform(answer, plan.schema)
        except (PySparkException, Py4JError, pa.ArrowException) as error:
            raise EngineError(f"Spark could not run the fragment: {_reason(error)}") from error
        finally:
            for view in views.values():
                self.session.catalog.dropTempView(view)
            if before is not None and self._started is None:
                _make_active(before)

    def close(self) -> None:
        if self._started is not None:
            self._started.stop()

    def _frame(self, source: Input, columns: Schema) -> DataFrame:
        if isinstance(source, ParquetFiles):
            return self.session.read.schema(_ddl(columns)).parquet(*source.paths)
        frame = self.session.createDataFrame(_without_empty_pieces(selected(source, columns)), schema=_ddl(columns))
        return broadcast(frame) if len(source) <= _FEW else frame


def _is_for_one_task(sources: Sequence[Input]) -> bool:
    tables = [source for source in sources if not isinstance(source, ParquetFiles)]
    return len(tables) == len(sources) and sum(map(len, tables)) <= _ONE_TASK


def _make_active(owner: SparkSession) -> None:
    """PySpark makes a session the active one when it creates a frame, and has no other public way to say so."""
    owner.createDataFrame([], "nothing int")


def _without_empty_pieces(table: pa.Table) -> pa.Table:
    """Spark takes an empty piece for the end of a table, and would lose what comes after it."""
    return pa.Table.from_batches([b for b in table.to_batches() if len(b)], table.schema)


def _ddl(columns: Schema) -> str:
    return ", ".join(f"`{f.name.replace('`', '``')}` {f.type}" for f in columns)


def _reason(error: Exception) -> str:
    """Its first line; of an error that only Java knows, what Java said."""
    lines = str(error).strip().split("\n")
    return lines[1].removeprefix(": ") if isinstance(error, Py4JError) and len(lines) > 1 else lines[0]
