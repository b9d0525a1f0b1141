"""PIVOT and UNPIVOT, said by clauses that are understood::

    r PIVOT (sum(b) FOR a IN (1, 2))   SELECT c, CASE WHEN count(*) FILTER (WHERE a <=> 1) > 0
                                                 THEN sum(b) FILTER (WHERE a <=> 1) END AS `1`, … FROM r GROUP BY c
    r UNPIVOT (v FOR k IN (a, b))      SELECT c, k, v FROM r LATERAL VIEW stack(2, 'a', a, 'b', b) AS k, v
                                       WHERE v IS NOT NULL

where c stands for the columns that are not named. A group without rows of a value has no aggregate of them, not even 0.
Several columns may be turned at once, `FOR (a, b) IN ((1, 'x'), …)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.types import BOOLEAN, Type, is_number
from datacell.sql.bind.context import Context
from datacell.sql.bind.grouping import is_aggregate
from datacell.sql.bind.naming import name_of

_PLACE = ("line", "col", "start", "end")
_SOME_OF_NOTHING = frozenset(
    ["approx_count_distinct", "array_agg", "collect_list", "collect_set", "count", "count_if", "regr_count"]
)
"""Aggregates that are not NULL over no rows."""


def said_plainly(context: Context, node: exp.Expr, pivot: exp.Pivot, columns: Sequence[str]) -> exp.Select:
    """An item of FROM with these columns under a PIVOT or UNPIVOT, as a query."""
    if len({c.lower() for c in columns}) < len(columns) or len(pivot.args.get("fields") or ()) != 1:
        raise context.unsupported("this PIVOT is not supported", pivot)
    make = _unpivoted if pivot.args.get("unpivot") else _pivoted
    select = make(context, node, pivot, columns)
    for found in select.walk():
        if "start" not in found.meta:
            found.meta.update({key: pivot.meta[key] for key in _PLACE if key in pivot.meta})
    return select


def _pivoted(context: Context, node: exp.Expr, pivot: exp.Pivot, columns: Sequence[str]) -> exp.Select:
    (field,) = pivot.args["fields"]
    turned = _columns_of(field.this)
    if not isinstance(field, exp.In) or not all(isinstance(c, exp.Column) for c in turned):
        raise context.unsupported("this PIVOT is not supported", pivot)
    for aggregate in pivot.expressions:
        if not is_aggregate(aggregate.unalias()):
            raise context.unsupported("this PIVOT is not supported", aggregate)
    read = {c.name.lower() for part in (field.this, *pivot.expressions) for c in part.find_all(exp.Column)}
    others = [_column(c) for c in columns if c.lower() not in read]
    values = [
        _aggregated(aggregate.unalias(), turned, value, name)
        for value, called in (_value(context, v, len(turned)) for v in field.expressions)
        for aggregate, name in _named(pivot, called)
    ]
    select = exp.select(*others, *values).from_(node, copy=False)
    return select.group_by(*(c.copy() for c in others), copy=False) if others else select


def _columns_of(node: exp.Expr) -> list[exp.Expr]:
    """What is listed in parentheses, or is written without them."""
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node]


def check_pivoted(context: Context, pivot: exp.Pivot, given: Sequence[Type]) -> None:
    """Spark gives counts and lists of no rows, too, where some aggregate's type is none of a few."""
    if pivot.args.get("unpivot") or all(_is_plain(type_) for type_ in given):
        return
    for aggregate in pivot.expressions:
        for call in aggregate.find_all(exp.Anonymous):
            if call.name.lower() in _SOME_OF_NOTHING:
                raise context.unsupported(f"{call.name} in this PIVOT is not supported", aggregate)


def _is_plain(given: Type) -> bool:
    return is_number(given) or given == BOOLEAN


def _value(context: Context, node: exp.Expr, width: int) -> tuple[list[exp.Expr], str]:
    """A value of IN, one constant for each column that is turned, and what its columns are called."""
    bare = node.this if isinstance(node, exp.PivotAlias) else node
    constants = _columns_of(bare)
    if len(constants) != width or any(constant.find(exp.Column, exp.Query) for constant in constants):
        raise context.unsupported("this PIVOT is not supported", node)
    if isinstance(node, exp.PivotAlias):
        return constants, node.args["alias"].name
    shown = [_shown(context, constant) for constant in constants]
    return constants, shown[0] if width == 1 else f"{{{', '.join(shown)}}}"


def _shown(context: Context, constant: exp.Expr) -> str:
    """A constant as Spark casts it to text."""
    match constant:
        case exp.Literal() if constant.is_string or constant.is_int:
            return str(constant.name)
        case exp.Neg(this=exp.Literal(is_int=True) as number):
            return f"-{number.name}"
        case exp.Boolean():
            return str(constant.this).lower()
        case exp.Null():
            return "null"
    raise context.unsupported("this PIVOT is not supported", constant)


def _named(pivot: exp.Pivot, called: str) -> Iterator[tuple[exp.Expr, str]]:
    """The aggregates of a value, each with the name of its column."""
    for aggregate in pivot.expressions:
        yield aggregate, called if len(pivot.expressions) == 1 else f"{called}_{name_of(aggregate)}"


def _aggregated(aggregate: exp.Expr, turned: Sequence[exp.Expr], constants: Sequence[exp.Expr], name: str) -> exp.Expr:
    def of_value(call: exp.Expr) -> exp.Expr:
        parts = [
            exp.NullSafeEQ(this=c.copy(), expression=value.copy()) for c, value in zip(turned, constants, strict=True)
        ]
        return exp.Filter(this=call, expression=exp.Where(this=exp.and_(*parts)))

    some = exp.GT(this=of_value(scalar.call("count", exp.Star())), expression=exp.Literal.number(0))
    return exp.alias_(exp.Case(ifs=[exp.If(this=some, true=of_value(aggregate.copy()))]), name, quoted=True)


def _unpivoted(context: Context, node: exp.Expr, pivot: exp.Pivot, columns: Sequence[str]) -> exp.Select:
    (field,) = pivot.args["fields"]
    if not isinstance(field, exp.In) or len(pivot.expressions) != 1:
        raise context.unsupported("this UNPIVOT is not supported", pivot)
    given = pivot.expressions[0]
    names = [c.name for c in (given.expressions if isinstance(given, exp.Tuple) else [given])]
    rows = [_row(value) for value in field.expressions]
    if any(len(row) != len(names) or not all(isinstance(c, exp.Column) for c in row) for _, row in rows):
        raise context.unsupported("this UNPIVOT is not supported", pivot)
    read = {c.name.lower() for _, row in rows for c in row}
    others = [_column(c) for c in columns if c.lower() not in read]
    parts = (part for called, row in rows for part in (exp.Literal.string(called), *(c.copy() for c in row)))
    made = scalar.call("stack", exp.Literal.number(len(rows)), *parts)
    called = [field.this.name, *names]
    alias = exp.TableAlias(columns=[exp.to_identifier(name, quoted=True) for name in called])
    select = exp.select(*others, *map(_column, called)).from_(node, copy=False)
    select.set("laterals", [exp.Lateral(this=made, view=True, outer=False, alias=alias)])
    if pivot.args.get("include_nulls"):
        return select
    there = [exp.Not(this=exp.Paren(this=exp.Is(this=_column(name), expression=exp.Null()))) for name in names]
    return select.where(exp.or_(*there), copy=False)


def _row(node: exp.Expr) -> tuple[str, list[exp.Expr]]:
    """The columns that one row takes, and what the row is called."""
    bare = node.this if isinstance(node, exp.PivotAlias) else node
    columns = list(bare.expressions) if isinstance(bare, exp.Tuple) else [bare]
    named = node.args["alias"].name if isinstance(node, exp.PivotAlias) else "_".join(c.name for c in columns)
    return named, columns


def _column(name: str) -> exp.Column:
    return exp.Column(this=exp.to_identifier(name, quoted=True))
