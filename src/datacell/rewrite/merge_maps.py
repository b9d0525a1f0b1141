"""µf(µg)  =  µ f∘g, and the identity map is nothing.

Not merged where g's work would be done twice: an expression that several columns of f read stays."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Map, Plan


def rewrite(node: Plan) -> Plan:
    match node:
        case Map(Map(child, inner), outer):
            values = {c.name: c.value for c in inner}
            reads = Counter(name for c in outer for name in _reads(c.value))
            if all(reads[name] <= 1 or isinstance(value, exp.Column | exp.Literal) for name, value in values.items()):
                return Map(child, tuple(replace(c, value=scalar.substitute(c.value, values)) for c in outer))
        case Map(child) if _changes_nothing(node):
            return child
    return node


def _reads(value: exp.Expr) -> list[str]:
    return [c.name for c in value.find_all(exp.Column) if not scalar.is_outer(c)]


def _changes_nothing(node: Map) -> bool:
    return node.schema == node.child.schema and all(c.passes_through for c in node.columns)
