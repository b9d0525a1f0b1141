"""Delta join: the pairs of two relations that are new, found when the second of their rows comes.

::

    Δ(L ⋈ R)  =  ΔL ⋈ (R ∪ ΔR)  ∪  L ⋈ ΔR

Every row is valid from one position up to another, and a pair as long as both of its rows are: in the intersection of
their validities. It may be empty; `overlap` is the condition that it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.partial import formula
from datacell.algebra.plan import Input, Join, Map, Plan, Slot, Union
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT

Validity = tuple[str, str]
"""The names of the columns that say from where up to where a row is valid."""


class Side(Slot, Enum):
    """The inputs: what is new on the left meets all of the right, what was there meets what is new on the right."""

    LEFT_NEW = "new left rows"
    RIGHT_ALL = "all right rows"
    LEFT_OLD = "old left rows"
    RIGHT_NEW = "new right rows"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Later:
    """A further column of pairs: of the two values of a bound the later one."""

    name: str
    bound: str

    def column(self) -> Named:
        sides = (scalar.column(f"{side} {self.bound}") for side in ("left", "right"))
        return Named(self.name, scalar.call("greatest", *sides), BIGINT)


def delta_join(
    left: Sequence[Field],
    right: Sequence[Field],
    on: exp.Expr | None,
    validity: Validity,
    more: Sequence[Later] = (),
) -> Plan:
    """The new pairs of rows with these columns and a validity that satisfy the condition.

    The smaller input of a join stands on its right, because that is the one which engines hash.
    """
    left_new, left_old = (_read("left", slot, left, validity) for slot in (Side.LEFT_NEW, Side.LEFT_OLD))
    right_all, right_new = (_read("right", slot, right, validity) for slot in (Side.RIGHT_ALL, Side.RIGHT_NEW))
    joins = Join(right_all, left_new, condition=on), Join(left_old, right_new, condition=on)
    names = [f.name for f in (*left, *right)]
    made = (*_intersection(validity), *(later.column() for later in more))
    return Union(tuple(Map(join, (*join.schema.passing(names), *made)) for join in joins))


def overlap(validity: Validity) -> exp.Expr:
    """Are both rows of a pair valid somewhere?"""
    begins, ends = validity
    bounds = {"a": f"left {begins}", "b": f"left {ends}", "c": f"right {begins}", "d": f"right {ends}"}
    return formula("a < d AND c < b", **{short: scalar.column(name) for short, name in bounds.items()})


def _read(side: str, slot: Side, columns: Sequence[Field], validity: Validity) -> Plan:
    rows = Input(slot, (*columns, *(Field(name, BIGINT) for name in validity)))
    bounds = (Named(f"{side} {name}", scalar.column(name), BIGINT) for name in validity)
    return Map(rows, (*rows.schema.passing([f.name for f in columns]), *bounds))


def _intersection(validity: Validity) -> tuple[Named, Named]:
    """From the later beginning to the earlier end."""
    later, earlier = (
        Named(name, scalar.call(function, *(scalar.column(f"{side} {name}") for side in ("left", "right"))), BIGINT)
        for name, function in zip(validity, ("greatest", "least"), strict=True)
    )
    return later, earlier
