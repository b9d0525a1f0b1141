"""An expression in DuckDB's words: every node must be one that the engines agree on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import BOOLEAN, NULL, Type
from datacell.engines.agreed import (
    analytic,
    casts,
    conditions,
    entries,
    literals,
    numbers,
    operators,
    strings,
    times,
)
from datacell.engines.agreed.entries import Table
from datacell.engines.agreed.refused import REFUSED, UNKNOWN
from datacell.engines.agreed.special import SPECIAL
from datacell.engines.agreed.spelled import RefusedError, Spelled, as_type, each

Columns = Mapping[str, Type]


def spelled(node: exp.Expr, columns: Columns) -> Spelled:
    """The expression over these columns; `RefusedError` with all reasons against it."""
    return _Speller(columns).spell(node)


@cache
def scalars() -> Table:
    """The agreed functions of one row."""
    tables = (conditions.SCALAR, strings.SCALAR, numbers.SCALAR, times.SCALAR)
    return {name: found for table in tables for name, found in entries.read(table).items()}


class _Speller:
    def __init__(self, columns: Columns) -> None:
        self.columns = columns

    def spell(self, node: exp.Expr) -> Spelled:
        match node:
            case exp.Column():
                return Spelled(node.sql(dialect="duckdb"), self.columns[node.name], node)
            case exp.Literal():
                return literals.literal(node)
            case exp.Neg(this=exp.Literal(is_string=False)):
                return literals.negative(node)
            case exp.Null():
                return Spelled("NULL", NULL, node)
            case exp.Boolean():
                return Spelled("true" if node.this else "false", BOOLEAN, node)
            case exp.Paren():
                inner = self.spell(node.this)
                return Spelled(f"({inner.text})", inner.type, inner.node)
            case exp.Var():
                return Spelled(node.name, NULL, node)
            case exp.Cast():
                return self._cast(node)
            case exp.Case():
                return self._case(node)
            case exp.Anonymous():
                return self._call(node)
            case exp.Filter() | exp.IgnoreNulls() | exp.RespectNulls() | exp.WithinGroup():
                return analytic.aggregate(node, self.spell)
            case exp.Window():
                return analytic.over(node, self.spell)
        return self._operator(node)

    # Operators

    def _operator(self, node: exp.Expr) -> Spelled:
        match node:
            case exp.Add() | exp.Sub():
                return self._sum(node)
            case exp.Mul():
                return operators.calculated(node, *self._both(node))
            case exp.Div():
                return operators.divided(node, *self._both(node))
            case exp.IntDiv():
                return operators.divided_whole(node, *self._both(node))
            case exp.Mod():
                return operators.remainder(node, *self._both(node))
            case exp.Neg():
                return operators.negated(node, self.spell(node.this))
            case exp.DPipe():
                return operators.concatenated(node, *self._both(node))
            case exp.Like() | exp.ILike():
                return operators.matched(node, self._both(node))
            case exp.Escape(this=exp.Like() | exp.ILike() as inner):
                return self._escaped(node, inner)
            case exp.RegexpLike():
                return SPECIAL["rlike"](self._both(node), node)
            case exp.And() | exp.Or():
                a, b = self._both(node)
                self._require_boolean(a, b)
                return Spelled(f"({a.text} {'AND' if isinstance(node, exp.And) else 'OR'} {b.text})", BOOLEAN, node)
            case exp.Not():
                value = self.spell(node.this)
                self._require_boolean(value)
                return Spelled(f"(NOT {value.text})", BOOLEAN, node)
            case exp.Is():
                value, what = self._both(node)
                return Spelled(f"({value.text} IS {what.text})", BOOLEAN, node)
            case exp.Between():
                return self._between(node)
            case exp.In() if node.args.get("query") is None:
                return self._in(node)
            case exp.BitwiseAnd() | exp.BitwiseOr() | exp.BitwiseXor():
                return operators.bits(node, *self._both(node))
            case exp.Binary() if type(node) in operators.COMPARISONS:
                return operators.compared(node, *self._both(node))
        raise RefusedError(f"operator {type(node).__name__.lower()}: {UNKNOWN}")

    def _both(self, node: exp.Expr) -> list[Spelled]:
        return each((node.this, node.expression), self.spell)

    def _sum(self, node: exp.Add | exp.Sub) -> Spelled:
        left, right = node.this.unnest(), node.expression.unnest()
        if isinstance(right, exp.Interval):
            return operators.moved(node, self.spell(left), right)
        if isinstance(left, exp.Interval) and isinstance(node, exp.Add):
            return operators.moved(node, self.spell(right), left)
        a, b = self._both(node)
        if types.is_time(a.type):
            return operators.moved(node, a, b)
        return operators.calculated(node, a, b)

    def _escaped(self, node: exp.Escape, inner: exp.Like | exp.ILike) -> Spelled:
        escape = node.expression
        if not (isinstance(escape, exp.Literal) and len(escape.name) == 1 and escape.name not in "'%_"):
            raise RefusedError("LIKE with a computed ESCAPE")
        return operators.matched(inner, self._both(inner), escape.name)

    def _between(self, node: exp.Between) -> Spelled:
        operands = each((node.this, node.args["low"], node.args["high"]), self.spell)
        value, low, high = operators.same_type(operands, "BETWEEN")
        return Spelled(f"({value.text} BETWEEN {low.text} AND {high.text})", BOOLEAN, node)

    def _in(self, node: exp.In) -> Spelled:
        operands = each((node.this, *node.expressions), self.spell)
        value, *members = operators.same_type(operands, "IN")
        return Spelled(f"({value.text} IN ({', '.join(m.text for m in members)}))", BOOLEAN, node)

    def _require_boolean(self, *values: Spelled) -> None:
        if any(v.type not in (BOOLEAN, NULL) for v in values):
            raise RefusedError(f"{values[0].type} as a condition")

    # Conditions, casts and calls

    def _case(self, node: exp.Case) -> Spelled:
        branches: list[exp.If] = node.args["ifs"]
        default = node.args.get("default") or exp.Null()
        when = each((b.this for b in branches), self.spell)
        if node.this is not None:
            subject, *when = operators.same_type([self.spell(node.this), *when], "CASE")
        then = each((*(b.args["true"] for b in branches), default), self.spell)
        *results, other = operators.same_type(then, "CASE")
        pairs = " ".join(f"WHEN {w.text} THEN {t.text}" for w, t in zip(when, results, strict=True))
        start = "CASE" if node.this is None else f"CASE {subject.text}"
        return Spelled(f"{start} {pairs} ELSE {other.text} END", other.type, node)

    def _cast(self, node: exp.Cast) -> Spelled:
        if node.args.get("safe") or node.args.get("format"):
            raise RefusedError(f"try_cast: {UNKNOWN}")
        return casts.cast(self.spell(node.this), types.of_sqlglot(node.args["to"]))

    def _call(self, node: exp.Anonymous) -> Spelled:
        name = node.name
        if analytic.is_aggregate(name):
            return analytic.aggregate(node, self.spell)
        known = scalars().get(name, ())
        if not known and name not in SPECIAL:
            raise RefusedError(f"{name}: {REFUSED.get(name, UNKNOWN)}")
        arguments = each(node.expressions, self.spell)
        return entries.call(known, arguments, node) if known else SPECIAL[name](arguments, node)


def top(node: exp.Expr, columns: Columns, declared: Type | None) -> exp.Expr:
    """The whole expression, with exactly the declared type."""
    found = spelled(node, columns)
    if declared is None or found.type in (declared, NULL):
        text = found.text if declared is None or isinstance(node, exp.Column) else as_type(found.text, declared)
        return exp.Var(this=text)
    raise RefusedError(f"{node.sql(dialect='spark')} is {found.type} here, not {declared}")
