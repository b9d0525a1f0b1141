"""σp(A ⟕ B) = σp(A ⋈ B)  where p cannot be true for the NULLs that the outer join puts in; likewise right and full.

A comparison is NULL as soon as one operand is, and arithmetic passes NULL on; nothing else is relied upon.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Filter, Join, JoinKind, Plan

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_STRICT = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.IntDiv, exp.Neg, exp.Paren)


def rewrite(node: Plan) -> Plan:
    match node:
        case Filter(Join(kind=JoinKind.LEFT | JoinKind.RIGHT | JoinKind.FULL) as join, predicate):
            rejected = frozenset[str]().union(*(_rejects_null(p) for p in scalar.conjuncts(predicate)))
            kind = _strengthened(join, rejected)
            return node if kind is join.kind else replace(node, child=replace(join, kind=kind))
    return node


def _strengthened(join: Join, rejected: frozenset[str]) -> JoinKind:
    needs_left = bool(rejected & frozenset(join.left.schema.names))
    needs_right = bool(rejected & frozenset(join.right.schema.names))
    match join.kind:
        case JoinKind.LEFT:
            return JoinKind.INNER if needs_right else join.kind
        case JoinKind.RIGHT:
            return JoinKind.INNER if needs_left else join.kind
    return {
        (True, True): JoinKind.INNER,
        (True, False): JoinKind.LEFT,
        (False, True): JoinKind.RIGHT,
        (False, False): JoinKind.FULL,
    }[needs_left, needs_right]


def _rejects_null(condition: exp.Expr) -> frozenset[str]:
    """Columns that must not be NULL for the condition to be true."""
    match condition:
        case exp.Not(this=exp.Is(this=exp.Column() as column, expression=exp.Null())):
            return scalar.columns(column)
    if not isinstance(condition, _COMPARISONS):
        return frozenset()
    return _passes_null(condition.this) | _passes_null(condition.expression)


def _passes_null(value: exp.Expr) -> frozenset[str]:
    """Columns whose NULL makes the whole value NULL."""
    if isinstance(value, exp.Column):
        return scalar.columns(value)
    if not isinstance(value, _STRICT):
        return frozenset()
    return frozenset[str]().union(*(_passes_null(operand) for operand in value.iter_expressions()))
