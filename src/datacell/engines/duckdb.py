"""DuckDB: the columnar database beside Spark, embedded and locked down."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from datacell.algebra.plan import Plan
from datacell.algebra.schema import Schema
from datacell.engines import sql
from datacell.engines.agreed import DUCKDB, refusals
from datacell.engines.agreed.spelled import RefusedError
from datacell.engines.arrow import conform, selected
from datacell.engines.protocol import Input, Inputs
from datacell.errors import EngineError

_LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "lock_configuration": "true",
}
_Prepared = tuple[str, dict[str, Schema]]
_MOST_TEXTS = 512
_LIGHT = 50_000
"""Rows of input up to which one thread is faster than several."""


class DuckDBEngine:
    """Two in-memory databases without tables of their own: one for little input, which threads would only slow down.

    Every run has a cursor of its own.
    """

    name = "duckdb"
    call_worth = 20_000

    def __init__(self, threads: int | None = None) -> None:
        settings = _LOCKED if threads is None else {"threads": threads, **_LOCKED}
        self._database = duckdb.connect(":memory:", config=settings)
        self._light = duckdb.connect(":memory:", config={"threads": 1, **_LOCKED})
        self._texts: dict[int, tuple[Plan, _Prepared]] = {}

    def refusals(self, plan: Plan) -> tuple[str, ...]:
        return refusals(plan)

    def sql(self, plan: Plan) -> str:
        try:
            return sql.text(plan, DUCKDB)
        except RefusedError as refused:
            raise EngineError(f"DuckDB must not run the fragment: {refused}") from refused

    def run(self, plan: Plan, inputs: Inputs) -> pa.Table:
        text, sources = self._prepared(plan)
        tables = [_naive(selected(_loaded(inputs[name], columns), columns)) for name, columns in sources.items()]
        light = sum(map(len, tables)) <= _LIGHT
        cursor = (self._light if light else self._database).cursor()
        try:
            for number, table in enumerate(tables):
                cursor.register(f"input_{number}", table)
            return conform(cursor.execute(text).to_arrow_table(), plan.schema)
        except (duckdb.Error, pa.ArrowException) as error:
            raise EngineError(f"DuckDB could not run the fragment: {_first_line(error)}") from error
        finally:
            cursor.close()

    def _prepared(self, plan: Plan) -> _Prepared:
        """The text of a plan and what it reads. A factory runs the same plans again and again."""
        found = self._texts.get(id(plan))
        if found is None:
            sources = sql.sources(plan)
            names = {name: f"input_{number}" for number, name in enumerate(sources)}
            found = (plan, (self.sql(sql.reading_from(plan, names)), sources))
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.pop(next(iter(self._texts)))
            self._texts[id(plan)] = found
        return found[1]

    def execute(self, statement: str) -> duckdb.DuckDBPyConnection:
        """Any statement, as far as the lock allows it."""
        return self._database.cursor().execute(statement)

    def close(self) -> None:
        self._database.close()
        self._light.close()


def _loaded(source: Input, columns: Schema) -> pa.Table:
    """Files are read here, because the database may not open any."""
    if isinstance(source, pa.Table):
        return source
    return pa.concat_tables([pq.read_table(path, columns=list(columns.names)) for path in source.paths])


def _naive(table: pa.Table) -> pa.Table:
    """Instants become UTC wall-clock time, which DuckDB handles without time zones."""
    fields = [
        f.with_type(pa.timestamp("us")) if pa.types.is_timestamp(f.type) and f.type.tz is not None else f
        for f in table.schema
    ]
    return table.cast(pa.schema(fields))


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
