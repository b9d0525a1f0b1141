"""PIVOT and UNPIVOT, said by clauses that are understood::

    r PIVOT (sum(b) FOR a IN (1, 2))   SELECT c, CASE WHEN count(*) FILTER (WHERE a <=> 1) > 0
                                                 THEN sum(b) FILTER (WHERE a <=> 1) END AS `1`, … FROM r GROUP BY c
    r UNPIVOT (v FOR k IN (a, b))      SELECT c, k, v FROM r LATERAL VIEW stack(2, 'a', a, 'b', b) AS k, v
                                       WHERE v IS NOT NULL

where c stands for the columns that are not named. A group without rows of a value has no aggregate of them, not even 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.sql.bind.context import Context
from datacell.sql.bind.grouping import is_aggregate

_PLACE = ("line", "col", "start", "end")


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
    if not isinstance(field, exp.In) or not isinstance(field.this, exp.Column):
        raise context.unsupported("this PIVOT is not supported", pivot)
    read = {c.name.lower() for part in (field.this, *pivot.expressions) for c in part.find_all(exp.Column)}
    others = [_column(c) for c in columns if c.lower() not in read]
    values = [
        _aggregated(aggregate.unalias(), field.this, value, name)
        for value, called in map(_value, _known(context, field, pivot))
        for aggregate, name in _named(context, pivot, called)
    ]
    select = exp.select(*others, *values).from_(node, copy=False)
    return select.group_by(*(c.copy() for c in others), copy=False) if others else select


def _known(context: Context, field: exp.In, pivot: exp.Pivot) -> list[exp.Expr]:
    for value in field.expressions:
        if not isinstance(value.this if isinstance(value, exp.PivotAlias) else value, exp.Literal):
            raise context.unsupported("this PIVOT is not supported", pivot)
    return list(field.expressions)


def _value(node: exp.Expr) -> tuple[exp.Expr, str]:
    """A value of IN, and what its columns are called."""
    return (node.this, node.args["alias"].name) if isinstance(node, exp.PivotAlias) else (node, node.name)


def _named(context: Context, pivot: exp.Pivot, called: str) -> Iterator[tuple[exp.Expr, str]]:
    """The aggregates of a value, each with the name of its column."""
    for aggregate in pivot.expressions:
        if not is_aggregate(aggregate.unalias()) or (len(pivot.expressions) > 1 and not aggregate.alias):
            raise context.unsupported("this PIVOT is not supported", aggregate)
        yield aggregate, called if len(pivot.expressions) == 1 else f"{called}_{aggregate.alias}"


def _aggregated(aggregate: exp.Expr, column: exp.Expr, value: exp.Expr, name: str) -> exp.Expr:
    def of_value(call: exp.Expr) -> exp.Expr:
        condition = exp.NullSafeEQ(this=column.copy(), expression=value.copy())
        return exp.Filter(this=call, expression=exp.Where(this=condition))

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
