"""Calls that read many rows: aggregates, with DISTINCT and FILTER, and analytic functions with OVER.

What is added stands directly behind the call and inside of the cast to Spark's type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.types import BIGINT, BOOLEAN, INTEGERS, NULL
from datacell.engines.agreed import aggregates, entries
from datacell.engines.agreed.entries import Table
from datacell.engines.agreed.refused import REFUSED, UNKNOWN
from datacell.engines.agreed.special import SPECIAL_AGGREGATES
from datacell.engines.agreed.spelled import RefusedError, Spelled, as_type, each, whole_literal

Spell = Callable[[exp.Expr], Spelled]

_DISTINCT = ("avg", "bool_and", "bool_or", "max", "mean", "min", "sum")
_BY_ROWS = ("row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist", "lag", "lead")
_SIDES = {"PRECEDING", "FOLLOWING"}


@cache
def aggregate_functions() -> Table:
    return entries.read(aggregates.AGGREGATE)


@cache
def ranking_functions() -> Table:
    """Agreed only with OVER."""
    return entries.read(aggregates.RANKING)


def is_aggregate(name: str) -> bool:
    return name == "count" or name in aggregate_functions() or name in SPECIAL_AGGREGATES


def aggregate(node: exp.Expr, spell: Spell) -> Spelled:
    """An aggregate of a group."""
    return _finished(_call(node, spell, aggregate_functions()))


def over(node: exp.Window, spell: Spell) -> Spelled:
    call = _call(node.this, spell, {**aggregate_functions(), **ranking_functions()})
    name = scalar.function_name(node.this)
    partition = each(node.args.get("partition_by") or (), spell)
    order: list[exp.Ordered] = node.args["order"].expressions if node.args.get("order") else []
    keys = each((o.this for o in order), spell)
    if not order and (name in _BY_ROWS or name in ranking_functions()):
        raise RefusedError(f"{name} OVER without ORDER BY: {REFUSED['first']}")
    parts = [
        f"PARTITION BY {', '.join(p.text for p in partition)}" if partition else "",
        f"ORDER BY {', '.join(_ordered(k, o) for k, o in zip(keys, order, strict=True))}" if keys else "",
        "" if name in _BY_ROWS else _frame(node.args.get("spec"), keys),
    ]
    text = f"{call.text} OVER ({' '.join(filter(None, parts))})"
    return _finished(Spelled(text, call.type, node))


def _finished(call: Spelled) -> Spelled:
    return Spelled(as_type(call.text, call.type), call.type, call.node)


def _call(node: exp.Expr, spell: Spell, known: Table) -> Spelled:
    match node:
        case exp.Filter():
            condition = spell(node.expression.this)
            call = _call(node.this, spell, known)
            if condition.type not in (BOOLEAN, NULL):
                raise RefusedError(f"{condition.type} as a condition")
            return Spelled(f"{call.text} FILTER (WHERE {condition.text})", call.type, node)
        case exp.RespectNulls():
            return _call(node.this, spell, known)
        case exp.IgnoreNulls():
            return _ignoring_nulls(_call(node.this, spell, known))
        case exp.Anonymous() if node.name == "count":
            return _count(node, spell)
        case exp.Anonymous():
            return _named(node, spell, known)
    raise RefusedError(f"{type(node).__name__.lower()} around an aggregate: {UNKNOWN}")


def _named(node: exp.Anonymous, spell: Spell, known: Table) -> Spelled:
    name = node.name
    if name not in known and name not in SPECIAL_AGGREGATES:
        raise RefusedError(f"{name}: {REFUSED.get(name, UNKNOWN)}")
    distinct = bool(node.expressions) and isinstance(node.expressions[0], exp.Distinct)
    if distinct and name not in _DISTINCT:
        raise RefusedError(f"{name}(DISTINCT …): {UNKNOWN}")
    arguments = each(node.expressions[0].expressions if distinct else node.expressions, spell)
    if name in SPECIAL_AGGREGATES:
        return SPECIAL_AGGREGATES[name](arguments, node)
    found = entries.bare(known[name], arguments, node)
    return Spelled(found.text.replace("(", "(DISTINCT ", 1), found.type, node) if distinct else found


def _count(node: exp.Anonymous, spell: Spell) -> Spelled:
    """Of several columns, the rows in which none is NULL."""
    first = node.expressions[0] if node.expressions else exp.Star()
    if isinstance(first, exp.Star):
        return Spelled("count(*)", BIGINT, node)
    distinct = isinstance(first, exp.Distinct)
    texts = [a.text for a in each(first.expressions if distinct else node.expressions, spell)]
    whole = " AND ".join(f"{t} IS NOT NULL" for t in texts)
    counted = texts[0] if len(texts) == 1 else f"CASE WHEN {whole} THEN ({', '.join(texts)}) END"
    return Spelled(f"count({'DISTINCT ' * distinct}{counted})", BIGINT, node)


def _ignoring_nulls(call: Spelled) -> Spelled:
    if not call.text.startswith(("first_value(", "last_value(", "nth_value(", "lag(", "lead(")):
        raise RefusedError(f"IGNORE NULLS of {scalar.function_name(call.node)}")
    return Spelled(f"{call.text.removesuffix(')')} IGNORE NULLS)", call.type, call.node)


def _ordered(key: Spelled, node: exp.Ordered) -> str:
    descending = bool(node.args.get("desc"))
    written = node.args.get("nulls_first")
    first = (not descending) if written is None else bool(written)
    return f"{key.text} {'DESC' if descending else 'ASC'} NULLS {'FIRST' if first else 'LAST'}"


def _frame(spec: exp.WindowSpec | None, keys: Sequence[Spelled]) -> str:
    if spec is None:
        return ""
    if spec.args.get("exclude"):
        raise RefusedError("a frame with EXCLUDE")
    kind = str(spec.args["kind"]).upper()
    counts = kind == "ROWS" or (kind == "RANGE" and [k.type for k in keys] in ([t] for t in INTEGERS))
    start, end = (_bound(spec, counts, edge) for edge in ("start", "end"))
    return f"{kind} BETWEEN {start} AND {end}"


def _bound(spec: exp.WindowSpec, counts: bool, edge: str) -> str:
    """An edge of a frame; whole numbers count rows, or go along an order by one integer."""
    value, side = spec.args.get(edge) or "CURRENT ROW", str(spec.args.get(f"{edge}_side") or "").upper()
    if isinstance(value, str):
        return f"{value.upper()} {side}".strip()
    count = whole_literal(Spelled("", NULL, value))
    if not counts or count is None or count < 0 or side not in _SIDES:
        raise RefusedError("a frame with an offset other than a whole number of rows, or along one integer")
    return f"{count} {side}"
