"""What Spark and DuckDB agree on (placeholder until conformance has spoken)."""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.plan import Plan
from datacell.engines.sql import Dialect


def refusals(plan: Plan) -> tuple[str, ...]:
    return ()


def spell(node: exp.Expression, type_: types.Type | None) -> exp.Expression:
    def change(found: exp.Expression) -> exp.Expression | None:
        if isinstance(found, exp.DataType) and found.this in (exp.DataType.Type.TIMESTAMPTZ, exp.DataType.Type.TIMESTAMPLTZ):
            return exp.DataType.build("timestamp", dialect="duckdb")
        return None

    spelled = scalar.replace(node, change)
    if isinstance(spelled, exp.Anonymous) and spelled.name == "sum" and type_ is not None:
        return exp.TryCast(this=spelled, to=types.to_sqlglot(type_))
    return spelled


DUCKDB = Dialect("duckdb", spell)
