"""DuckDB: the columnar database beside Spark, embedded and locked down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from datacell.algebra.plan import Plan
from datacell.algebra.schema import Schema
from datacell.engines import sql
from datacell.engines.agreed import DUCKDB, refusals
from datacell.engines.agreed.spelled import RefusedError
from datacell.engines.arrow import arrow_schema, shaped
from datacell.engines.known import Known
from datacell.engines.protocol import Input, Inputs, ParquetFiles
from datacell.engines.slots import ReadAgain, ReadOnce, Slot
from datacell.errors import EngineError

_LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "disabled_optimizers": "build_side_probe_side,join_filter_pushdown",
    "lock_configuration": "true",
}
"""It knows nothing of how large its inputs are: what it guesses about the sides of a join is worse than our order."""

_LIGHT = 50_000
"""Rows of input up to which one thread is faster than several."""

_LEAST_ROOM, _MOST_ROOM = 1 << 11, 1 << 20
"""Answers come in chunks, and a chunk takes its memory whether it is full or not."""


class _Opened(NamedTuple):
    """A cursor in which a statement is prepared, and the call of it, parsed."""

    cursor: duckdb.DuckDBPyConnection
    execute: duckdb.Statement


class _Prepared:
    """A plan's text, what it reads, and a cursor in each database it was run in, where the text is a statement."""

    def __init__(self, plan: Plan, text: str, sources: Mapping[str, Schema]) -> None:
        self.plan, self.text = plan, text
        self.sources = [(name, _naive(arrow_schema(columns))) for name, columns in sources.items()]
        self.schema = arrow_schema(plan.schema)
        self._slots: list[Slot] = [ReadOnce() for _ in sources]
        self._lock = Lock()
        self._opened: dict[int, _Opened] = {}
        self._room = _LEAST_ROOM
        """Rows that there is room for in a chunk of the answer: as many as last time, or nearly as before."""

    def run(self, database: duckdb.DuckDBPyConnection, tables: Sequence[pa.Table]) -> pa.Table:
        """Where the database turns out to read an input twice, which it may decide by itself, it can from then on."""
        with self._lock:
            try:
                return self._run(database, tables)
            except duckdb.InvalidInputException:
                if all(isinstance(slot, ReadAgain) for slot in self._slots):
                    raise
                self.close()
                self._slots = [ReadAgain() for _ in self._slots]
                return self._run(database, tables)

    def _run(self, database: duckdb.DuckDBPyConnection, tables: Sequence[pa.Table]) -> pa.Table:
        for slot, table in zip(self._slots, tables, strict=True):
            slot.put(table)
        try:
            opened = self._open(database)
            answer = opened.cursor.execute(opened.execute).to_arrow_table(self._room)
        finally:
            for slot in self._slots:
                slot.clear()
        self._room = min(max(self._room // 2, _LEAST_ROOM, 1 << (len(answer) - 1).bit_length()), _MOST_ROOM)
        return answer

    def close(self) -> None:
        for opened in self._opened.values():
            opened.cursor.close()
        self._opened.clear()

    def _open(self, database: duckdb.DuckDBPyConnection) -> _Opened:
        """Once the statement is prepared, there is only EXECUTE to optimize, which takes a sixth of a small call.

        Not so with window functions: by the same setting DuckDB decides whether it computes every frame for itself.
        """
        found = self._opened.get(id(database))
        if found is None:
            cursor = database.cursor()
            for number, slot in enumerate(self._slots):
                cursor.register(f"input_{number}", slot.source)
            cursor.execute(f"PREPARE prepared AS {self.text}")
            if " OVER (" not in self.text:
                cursor.execute("PRAGMA disable_optimizer")
            found = self._opened[id(database)] = _Opened(cursor, *cursor.extract_statements("EXECUTE prepared"))
        return found


class DuckDBEngine:
    """Two in-memory databases without tables of their own: one for little input, which threads would only slow down.

    Every plan has a cursor of its own.
    """

    name = "duckdb"
    call_worth = 5_000
    covers = True

    def __init__(self, threads: int | None = None) -> None:
        settings = _LOCKED if threads is None else {"threads": threads, **_LOCKED}
        self._database = duckdb.connect(":memory:", config=settings)
        self._light = duckdb.connect(":memory:", config={"threads": 1, **_LOCKED})
        self._prepared = Known(self._prepare)

    def refusals(self, plan: Plan) -> tuple[str, ...]:
        return refusals(plan)

    def sql(self, plan: Plan) -> str:
        try:
            return sql.text(plan, DUCKDB)
        except RefusedError as refused:
            raise EngineError(f"DuckDB must not run the fragment: {refused}") from refused

    def run(self, plan: Plan, inputs: Inputs) -> pa.Table:
        prepared = self._prepared(plan)
        try:
            tables = [_loaded(inputs[name], schema) for name, schema in prepared.sources]
            database = self._light if sum(map(len, tables)) <= _LIGHT else self._database
            return shaped(prepared.run(database, tables), prepared.schema)
        except (duckdb.Error, pa.ArrowException) as error:
            raise EngineError(f"DuckDB could not run the fragment: {_first_line(error)}") from error

    def _prepare(self, plan: Plan) -> _Prepared:
        sources = sql.sources(plan)
        names = {name: f"input_{number}" for number, name in enumerate(sources)}
        return _Prepared(plan, self.sql(sql.reading_from(plan, names)), sources)

    def execute(self, statement: str) -> duckdb.DuckDBPyConnection:
        """Any statement, as far as the lock allows it."""
        return self._database.cursor().execute(statement)

    def close(self) -> None:
        self._prepared.close()
        self._database.close()
        self._light.close()


def _loaded(source: Input, schema: pa.Schema) -> pa.Table:
    """The columns that are read. Files are read here, because the database may not open any."""
    if isinstance(source, ParquetFiles):
        source = pa.concat_tables([pq.read_table(path, columns=schema.names) for path in source.paths])
    return source if source.schema.equals(schema) else shaped(source.select(schema.names), schema)


def _naive(schema: pa.Schema) -> pa.Schema:
    """Instants become UTC wall-clock time, which DuckDB handles without time zones."""
    fields = [
        f.with_type(pa.timestamp("us")) if pa.types.is_timestamp(f.type) and f.type.tz is not None else f
        for f in schema
    ]
    return pa.schema(fields)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
