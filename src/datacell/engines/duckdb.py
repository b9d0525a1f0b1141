"""DuckDB: the columnar database beside Spark, embedded and locked down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import NamedTuple
from weakref import WeakSet

import duckdb
import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.plan import Apply, Input, Plan, Stream, Table, descendants
from datacell.algebra.tree import Key
from datacell.engines import sql
from datacell.engines.agreed import DUCKDB, refusals
from datacell.engines.agreed.spelled import RefusedError
from datacell.engines.arrow import arrow_schema, shaped
from datacell.engines.arrow_inputs import ArrowInput, ReadAgain, ReadOnce
from datacell.engines.protocol import Annotated, Files, Frame, Inputs, Source
from datacell.engines.transfers import Account, read_in_driver, to_driver
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


class PreparedStatement:
    """A plan as a prepared statement, with a cursor in each database that it was run in."""

    def __init__(self, databases: Sequence[duckdb.DuckDBPyConnection], plan: Plan) -> None:
        """`databases` are the one for little input and the one for much."""
        self._databases = databases
        sources = sql.sources(plan)
        self._text = _text(plan, sources)
        self._sources = [(key, _naive(arrow_schema(columns))) for key, columns in sources.items()]
        self._schema = arrow_schema(plan.schema)
        self._inputs: list[ArrowInput] = [ReadOnce() for _ in sources]
        self._lock = Lock()
        self.account = Account()
        self._opened: list[_Opened | None] = [None for _ in databases]
        self._room = _LEAST_ROOM
        """Rows that there is room for in a chunk of the answer: as many as last time, or nearly as before."""

    def run(self, inputs: Inputs) -> pa.Table:
        """Where the database turns out to read an input twice, which it may decide by itself, it can from then on."""
        try:
            tables = [_loaded(inputs[key], schema, self.account) for key, schema in self._sources]
            which = 0 if sum(map(len, tables)) <= _LIGHT else 1
            with self._lock:
                return shaped(self._run_reading_twice(which, tables), self._schema)
        except (duckdb.Error, pa.ArrowException) as error:
            raise EngineError(f"DuckDB could not run the fragment: {_first_line(error)}") from error

    def _run_reading_twice(self, which: int, tables: Sequence[pa.Table]) -> pa.Table:
        try:
            return self._run(which, tables)
        except duckdb.InvalidInputException:
            if all(isinstance(one, ReadAgain) for one in self._inputs):
                raise
            self.close()
            self._inputs = [ReadAgain() for _ in self._inputs]
            return self._run(which, tables)

    def _run(self, which: int, tables: Sequence[pa.Table]) -> pa.Table:
        for one, table in zip(self._inputs, tables, strict=True):
            one.put(table)
        try:
            opened = self._open(which)
            answer = opened.cursor.execute(opened.execute).to_arrow_table(self._room)
        finally:
            for one in self._inputs:
                one.clear()
        self._room = min(max(self._room // 2, _LEAST_ROOM, 1 << (len(answer) - 1).bit_length()), _MOST_ROOM)
        return answer

    def close(self) -> None:
        for opened in self._opened:
            if opened is not None:
                opened.cursor.close()
        self._opened = [None for _ in self._databases]

    def _open(self, which: int) -> _Opened:
        """Once the statement is prepared, there is only EXECUTE to optimize, which takes a sixth of a small call.

        Not so with window functions: by the same setting DuckDB decides whether it computes every frame for itself.
        """
        found = self._opened[which]
        if found is None:
            cursor = self._databases[which].cursor()
            for number, one in enumerate(self._inputs):
                cursor.register(f"input_{number}", one.source)
            cursor.execute(f"PREPARE prepared AS {self._text}")
            if " OVER (" not in self._text:
                cursor.execute("PRAGMA disable_optimizer")
            found = self._opened[which] = _Opened(cursor, *cursor.extract_statements("EXECUTE prepared"))
        return found


class DuckDBEngine:
    """Two in-memory databases without tables of their own: one for little input, which threads would only slow down."""

    name = "duckdb"

    def __init__(self, threads: int | None = None) -> None:
        settings = _LOCKED if threads is None else {"threads": threads, **_LOCKED}
        light = duckdb.connect(":memory:", config={"threads": 1, **_LOCKED})
        self._databases = (light, duckdb.connect(":memory:", config=settings))
        self._prepared = WeakSet[PreparedStatement]()

    def refusals(self, plan: Plan) -> tuple[str, ...]:
        return refusals(plan)

    def prepare(self, plan: Plan) -> PreparedStatement:
        prepared = PreparedStatement(self._databases, plan)
        self._prepared.add(prepared)
        return prepared

    def execute(self, statement: str) -> duckdb.DuckDBPyConnection:
        """Any statement, as far as the lock allows it."""
        return self._databases[1].cursor().execute(statement)

    def close(self) -> None:
        for prepared in self._prepared:
            prepared.close()
        for database in self._databases:
            database.close()


def _text(plan: Plan, sources: Iterable[Key]) -> str:
    """The SQL of a plan over inputs 0, 1, …

    A stream of Arrow can be read only once: of an input that the plan reads more often, DuckDB keeps the rows, which it
    cannot do below a dependent join.
    """
    nodes = list(descendants(plan))
    reads = Counter(tree.key(n) for n in nodes if isinstance(n, Stream | Table | Input))
    often = {key for key, count in reads.items() if count > 1 and not any(isinstance(n, Apply) for n in nodes)}
    names = {key: f"{'kept' if key in often else 'input'}_{number}" for number, key in enumerate(sources)}
    try:
        text = sql.text(plan, DUCKDB, names)
    except RefusedError as refused:
        raise EngineError(f"DuckDB must not run the fragment: {refused}") from refused
    kept = [
        f"kept_{number} AS MATERIALIZED (SELECT * FROM input_{number})"
        for number, key in enumerate(names)
        if key in often
    ]
    return f"WITH {', '.join(kept)} {text}" if kept else text


def _loaded(source: Source, schema: pa.Schema, account: Account) -> pa.Table:
    """The columns that are read. Files are read here, because the database may not open any: that is a transfer."""
    match source:
        case Files():
            source = read_in_driver(source, schema.names, account)
        case Annotated():
            source = _annotated(source, account)
        case Frame(frame):
            source = to_driver(frame.select(*(f"`{name}`" for name in schema.names)), account)
    return source if source.schema.equals(schema) else shaped(source.select(schema.names), schema)


def _annotated(source: Annotated, account: Account) -> pa.Table:
    value, *beside = source.by.schema.names
    old, new = zip(*source.columns, strict=True)
    rows = read_in_driver(source.files, [*old, source.on], account)
    joined = rows.join(source.by, source.on, value, join_type="inner")
    return joined.select([*old, *beside]).rename_columns([*new, *beside])


def _naive(schema: pa.Schema) -> pa.Schema:
    """Instants become UTC wall-clock time, which DuckDB handles without time zones."""
    fields = [
        f.with_type(pa.timestamp("us")) if pa.types.is_timestamp(f.type) and f.type.tz is not None else f
        for f in schema
    ]
    return pa.schema(fields)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
