"""Renaming: the same plan under other names of columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.plan import Opaque, Plan, SortKey, Stream, Table, Unfold
from datacell.algebra.schema import Field, Named
from datacell.algebra.window import Rows


def canonical(plan: Plan) -> Plan:
    """The plan under names that only its shape decides: plans that differ in names alone become equal."""
    aliases: dict[str, str] = {}
    names: dict[str, str] = {}
    for node in reversed(list(tree.descendants(plan))):
        if isinstance(node, Stream | Table):
            alias = aliases.setdefault(node.alias, f"t{len(aliases)}")
            names |= {old: f"{alias}.{f.name}" for old, f in zip(node.schema.names, node.columns, strict=True)}
        if isinstance(node, Opaque):  # its text sees the names of its inputs
            names |= {name: name for child in node.inputs for name in child.schema.names}
        for name in node.schema.names:
            names.setdefault(name, f"c{len(names)}")
    change = _Renaming(names, aliases)
    return change.plan(plan)


@dataclass(frozen=True)
class _Renaming:
    """New names of columns, and new aliases of sources."""

    names: Mapping[str, str]
    aliases: Mapping[str, str]

    def plan(self, node: Plan) -> Plan:
        if isinstance(node, Stream | Table):
            return replace(node, alias=self.aliases[node.alias])
        if isinstance(node, Unfold):
            child, start, stop = self.plan(node.child), self.changed(node.start), self.changed(node.stop)
            return Unfold(child, start, stop, self.names[node.name])
        return replace(node, **{f.name: self.changed(getattr(node, f.name)) for f in fields(node)})

    def changed(self, value: Any) -> Any:
        match value:
            case Plan():
                return self.plan(value)
            case exp.Expr():
                return scalar.replace(value, self._column)
            case Named(name=name, value=inner):
                return replace(value, name=self.names[name], value=self.changed(inner))
            case SortKey(value=inner):
                return replace(value, value=self.changed(inner))
            case Field(name=name):
                return replace(value, name=self.names[name])
            case Rows(partition=partition):
                return replace(value, partition=tuple(self.names[p] for p in partition))
            case tuple():
                return tuple(self.changed(item) for item in value)
        return value

    def _column(self, found: exp.Expr) -> exp.Expr | None:
        if not isinstance(found, exp.Column) or found.name not in self.names:
            return None
        return (scalar.outer if scalar.is_outer(found) else scalar.column)(self.names[found.name])
