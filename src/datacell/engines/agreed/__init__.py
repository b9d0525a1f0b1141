"""What Spark and DuckDB agree on, and how DuckDB spells it.

The law: whichever engine runs a fragment, the answer is the same. So a fragment may run on DuckDB only if every type,
operator and function in it stands in these tables, and a case of the conformance suite stands behind every line of
them. Whatever is in no table stays on Spark. Where the engines agree on most values only, the spelling raises on the
others (an integer that overflows, a letter beyond ASCII in `upper`), and whoever runs the fragment falls back to Spark.

Left to the query, as in Spark itself: which of several equal rows comes first, and the last digits of sums of doubles.
"""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra.plan import Opaque, Order, Plan, Values, Window, descendants
from datacell.algebra.types import Type
from datacell.engines import sql
from datacell.engines.agreed import spelling
from datacell.engines.agreed.spelled import RefusedError, has_name, type_name
from datacell.engines.sql import Columns, Dialect


def _duckdb_type(t: Type) -> exp.DataType:
    return exp.DataType.build(type_name(t), dialect="duckdb")


DUCKDB = Dialect("duckdb", spelling.top, _duckdb_type)


def refusals(plan: Plan) -> tuple[str, ...]:
    """Why a plan must not run on DuckDB, one line for each reason; empty if it may."""
    reasons = [reason for node in descendants(plan) for reason in _of_operator(node)]
    if reasons:
        return tuple(dict.fromkeys(reasons))

    def spell(node: exp.Expr, columns: Columns, declared: Type | None) -> exp.Expr:
        try:
            return spelling.top(node, columns, declared)
        except RefusedError as refused:
            reasons.extend(refused.reasons)
            return exp.Null()

    sql.query(plan, Dialect("duckdb", spell, _duckdb_type))
    return tuple(dict.fromkeys(reasons))


def _of_operator(node: Plan) -> list[str]:
    found = [f"column {f.name}: type {f.type}" for f in node.schema if not has_name(f.type)]
    match node:
        case Window():
            found.append("a window is no relational operator")
        case Order(_, (), limit, offset) if limit is not None or offset:
            found.append("LIMIT without ORDER BY: the order of the rows decides")
        case Opaque(why=why):
            found.append(f"only Spark understands it: {why}")
        case Values(_, rows) if len(rows) > _MANY_ROWS:
            found.append(f"more than {_MANY_ROWS} constant rows")
    return found


_MANY_ROWS = 1000
