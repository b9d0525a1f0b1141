"""Meeting: a plan over a join of two relations becomes one over what is new of them and what was there.

Its rows carry when they are shown: from when the younger row of a pair is until the older is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from datacell.algebra import scalar, tree
from datacell.algebra.plan import Input, Join, Map, Plan, Slot, Union
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BIGINT
from datacell.incremental.relations import VISIBLE_FROM, VISIBLE_TO, fields
from datacell.incremental.slicing import PerPart


@dataclass(frozen=True)
class SideRows(Slot):
    """Rows of one side of a join."""

    which: str

    def __str__(self) -> str:
        return self.which


SIDES = tuple(map(SideRows, ("left new", "right all", "left old", "right new")))
"""The inputs of a pair: what is new on the left meets all of the right, what was there meets what is new."""


def met(plan: Plan, join: Join) -> Plan:
    """What the plan makes of the pairs of a join in it that are new."""
    above = replaced(plan, join, _Meeting(join.schema.fields, join))
    return _Pairing(fields(VISIBLE_FROM, VISIBLE_TO), frozenset()).carry(above)


def replaced(plan: Plan, old: Plan, new: Plan) -> Plan:
    """The plan with another operator in the place of one."""
    if plan is old:
        return new
    return plan.with_children([replaced(child, old, new) for child in plan.children])


@dataclass(frozen=True)
class _Meeting(Plan):
    """Where two sides meet: stands for a join of flows while what is above it is carried."""

    columns: tuple[Field, ...]
    join: Join

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.columns)

    def head(self) -> str:
        return self.join.head()


@dataclass(frozen=True)
class _Pairing(PerPart):
    def depends(self, plan: Plan) -> bool:
        return any(isinstance(n, _Meeting) for n in tree.descendants(plan))

    def source(self, plan: Plan) -> Plan:
        if not isinstance(plan, _Meeting):
            return super().source(plan)
        left_new, right_all, left_old, right_new = SIDES
        return Union((self._met(plan, left_new, right_all, True), self._met(plan, left_old, right_new, False)))

    def _met(self, plan: _Meeting, left: Slot, right: Slot, left_is_small: bool) -> Plan:
        """The pairs: each is shown from when its younger row is until its older is not, if that is not before.

        The small side stands on the right, because that is the one which engines hash.
        """
        born, dies = self.names
        first = _side(left, plan.join.left.schema.fields, (f"{born}l", f"{dies}l"))
        second = _side(right, plan.join.right.schema.fields, (f"{born}r", f"{dies}r"))
        younger = scalar.call("greatest", scalar.column(f"{born}l"), scalar.column(f"{born}r"))
        older = scalar.call("least", scalar.column(f"{dies}l"), scalar.column(f"{dies}r"))
        sides = (second, first) if left_is_small else (first, second)
        joined = Join(sides[0], sides[1], condition=plan.join.condition)
        when = (Named(born, younger, BIGINT), Named(dies, older, BIGINT))
        return Map(joined, (*joined.schema.passing(plan.schema.names), *when))


def _side(slot: Slot, columns: Sequence[Field], when: tuple[str, str]) -> Plan:
    read = Input(slot, (*columns, *fields(VISIBLE_FROM, VISIBLE_TO)))
    renamed = (
        Named(new, scalar.column(old), BIGINT) for old, new in zip((VISIBLE_FROM, VISIBLE_TO), when, strict=True)
    )
    return Map(read, (*read.schema.passing([c.name for c in columns]), *renamed))
