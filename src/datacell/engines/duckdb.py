"""DuckDB: the columnar database beside Spark, embedded and locked down."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from datacell.algebra import tree
from datacell.algebra.plan import Plan, Stream, Table
from datacell.engines import sql
from datacell.engines.agreed import DUCKDB, refusals
from datacell.engines.arrow import conform
from datacell.engines.protocol import Input, Inputs
from datacell.errors import EngineError

_LOCKED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "lock_configuration": "true",
}


class DuckDBEngine:
    """One in-memory database; every run has a cursor of its own."""

    name = "duckdb"

    def __init__(self, threads: int | None = None) -> None:
        settings = dict(_LOCKED) if threads is None else {"threads": str(threads), **_LOCKED}
        self._database = duckdb.connect(":memory:", config=settings)

    def refusals(self, plan: Plan) -> tuple[str, ...]:
        return refusals(plan)

    def sql(self, plan: Plan) -> str:
        return sql.text(plan, DUCKDB)

    def run(self, plan: Plan, inputs: Inputs) -> pa.Table:
        cursor = self._database.cursor()
        try:
            for name in {node.name for node in tree.descendants(plan) if isinstance(node, Stream | Table)}:
                cursor.register(name, _naive(_loaded(inputs[name])))
            return conform(cursor.sql(self.sql(plan)).to_arrow_table(), plan.schema)
        except (duckdb.Error, pa.ArrowInvalid) as error:
            raise EngineError(f"DuckDB could not run the fragment: {_first_line(error)}") from error
        finally:
            cursor.close()

    def close(self) -> None:
        self._database.close()


def _loaded(source: Input) -> pa.Table:
    """Files are read here, because the database may not open any."""
    if isinstance(source, pa.Table):
        return source
    return pa.concat_tables([pq.read_table(path) for path in source.paths])


def _naive(table: pa.Table) -> pa.Table:
    """Instants become UTC wall-clock time, which DuckDB handles without time zones."""
    fields = [
        f.with_type(pa.timestamp("us")) if pa.types.is_timestamp(f.type) and f.type.tz is not None else f
        for f in table.schema
    ]
    return table.cast(pa.schema(fields))


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
