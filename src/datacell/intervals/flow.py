"""Flows: what does something to each row alone, between windows and stateful operators.

What is new in a flow comes of what is new in its leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from datacell.algebra import tree
from datacell.algebra.plan import Input, Plan, Slot
from datacell.algebra.schema import Field, Schema
from datacell.intervals.validity import VALIDITY, own


@dataclass(frozen=True)
class WindowRows(Slot):
    """The rows of a stream under one of the query's windows, with their validity."""

    index: int

    def __str__(self) -> str:
        return f"rows of window {self.index + 1}"


@dataclass(frozen=True)
class OperatorRows(Slot):
    """What one of the program's operators has given."""

    index: int

    def __str__(self) -> str:
        return f"rows of operator {self.index + 1}"


Leaf = WindowRows | OperatorRows

NamedPlan = tuple[str, Plan]
"""A plan under the name that people read."""


class NamedSlot(Slot, Enum):
    """The slots of a stateful operator, each with its name in words."""

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class Flow:
    """A plan over leaves; its rows have a validity, whose end may be open (`algebra.open_ends`)."""

    plan: Plan
    may_be_open: bool = False

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        inputs = (node.slot for node in tree.descendants(self.plan) if isinstance(node, Input))
        return tuple(dict.fromkeys(slot for slot in inputs if isinstance(slot, WindowRows | OperatorRows)))

    @property
    def columns(self) -> tuple[Field, ...]:
        return own(self.plan.schema)

    @property
    def schema(self) -> Schema:
        return Schema((*self.columns, *VALIDITY))


@dataclass(frozen=True)
class Presence(Flow):
    """When something is there: how many rows begin at an instant does not matter."""
