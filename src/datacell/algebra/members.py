"""Families: queries of one template are one query, with a column that says whose answer a row is.

::

    family(q) = { (row, m) | m ∈ members, row ∈ q(constants of m) }

This is a dependent join of the table of members with the template, and unnesting it is what answers all members at
once (`rewrite.unnest_subqueries`). Whoever reads a constant first meets the table, so that only the number of a member
is carried, and never its constants: what is kept for a number is that of one member for ever. Aggregates under range
conditions are made of intervals instead (`algebra.elementary`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.carry import narrowed
from datacell.algebra.elementary import MARK, Axis, Kind, over_intervals
from datacell.algebra.plan import Aggregate, Apply, Filter, Group, Join, Map, Plan, Table
from datacell.algebra.query import Query
from datacell.algebra.schema import Field, Named
from datacell.algebra.template import Template
from datacell.algebra.types import BIGINT

MEMBERS = f"members{MARK}"
"""The table of the members of a family."""

MEMBER = "member′"
"""The column of answers that says whose they are."""

_KINDS = frozenset(kind.value for kind in Kind)

NUMBER = Field("number", BIGINT)
"""By which a member is known in the table. No number is given twice."""


def is_of_members(table: str) -> bool:
    """Is it a table about the members of a family?"""
    kind, mark, _ = table.partition(MARK)
    return bool(mark) and (table == MEMBERS or kind in _KINDS)


def family(query: Query, template: Template) -> tuple[Query, tuple[Axis, ...]]:
    """One query for all members of the template, which is that of this query; and the axes that it has ranges of."""
    aliases = (f"{MEMBERS}{number}" for number in count(1))
    members = Table(MEMBERS, MEMBERS, (NUMBER,), is_fixed=True)
    (mine,) = members.schema.names

    def beside(node: Plan, own: exp.Expr) -> tuple[Plan, dict[str, exp.Expr]]:
        """A plan beside the constants of the member, which are columns now."""
        table = Table(MEMBERS, next(aliases), (NUMBER, *template.parameters), is_fixed=True)
        number, *names = table.schema.names
        joined = Filter(Join(node, table), exp.EQ(this=scalar.column(number), expression=own.copy()))
        values = zip((p.name for p in template.parameters), names, strict=True)
        return joined, {name: scalar.column(column) for name, column in values}

    def change(node: Plan) -> Plan:
        if not any(map(scalar.outer_columns, node.expressions())):
            return node
        return _reading(node, *beside(_input(node), scalar.outer(mine)))

    axes: list[Axis] = []

    def made(node: Plan) -> Plan:
        found = over_intervals(node, mine, len(axes) + 1) if isinstance(node, Aggregate) else None
        if found is None:
            return change(node.with_children([made(child) for child in node.children]))
        axes.append(found[1])
        return found[0]

    answers = Apply(members, made(template.plan))
    columns = (Named(MEMBER, scalar.column(mine), BIGINT), *answers.schema.passing(query.plan.schema.names))
    return replace(query, plan=Map(answers, columns), given=(), otherwise=None), tuple(axes)


def _input(node: Plan) -> Plan:
    match node:
        case Filter(child) | Map(child) | Group(child):
            return child
        case Aggregate(child) if not isinstance(child, Group):
            return child
        case Aggregate(Group(child)):
            return child
    raise AssertionError(node)


def _reading(node: Plan, below: Plan, values: dict[str, exp.Expr]) -> Plan:
    """The operator over an input that has the constants as columns."""

    def read(columns: Sequence[Named]) -> tuple[Named, ...]:
        return tuple(replace(c, value=scalar.substitute_outer(c.value, values)) for c in columns)

    match node:
        case Filter(predicate=predicate):
            return narrowed(Filter(below, scalar.substitute_outer(predicate, values)), node.schema.names)
        case Map(columns=columns):
            return Map(below, read(columns))
        case Group(keys=keys):
            return Group(below, read(keys))
        case Aggregate(Group(keys=keys), aggregates):
            return Aggregate(Group(below, keys), read(aggregates))
        case Aggregate(aggregates=aggregates):
            return Aggregate(below, read(aggregates))
    raise AssertionError(node)
