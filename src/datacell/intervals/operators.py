"""What a query at every instant is made of: operators with state, and between them flows.

A *flow* is a fragment that does something to each row alone (filter, map, join with a table, union): what is new in it
comes of what is new in its leaves, which are windows and outputs of operators.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sqlglot import exp

from datacell.algebra import duration, tree
from datacell.algebra.plan import Coalescing, Plan
from datacell.algebra.query import Query
from datacell.algebra.schema import Field, Schema
from datacell.algebra.window import WindowSpec
from datacell.intervals import once, pairs, reshape, sweep
from datacell.intervals.blocks import Blocks
from datacell.intervals.sweep import Side
from datacell.intervals.validity import VALIDITY, own


def window_table(index: int) -> str:
    """The leaf with the rows of a stream under window number `index`, with their validity."""
    return f"window {index}"


def output_table(index: int) -> str:
    """The leaf with what operator number `index` gives."""
    return f"operator {index}"


@dataclass(frozen=True)
class Flow:
    """A fragment over leaves; its rows have a validity."""

    plan: Plan

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        return tuple(sorted(n for n in tree.table_names(self.plan) if n.startswith(("window ", "operator "))))

    @property
    def columns(self) -> tuple[Field, ...]:
        return own(self.plan.schema)

    @property
    def schema(self) -> Schema:
        return Schema((*self.columns, *VALIDITY))


@dataclass(frozen=True)
class Operator(ABC):
    """An operator that needs more than one row at a time; `work` is what it does, for readers."""

    work: Plan
    inputs: tuple[Flow, ...]

    @property
    def schema(self) -> Schema:
        return Schema((*own(self.work.schema), *VALIDITY))

    @property
    @abstractmethod
    def fragments(self) -> tuple[Plan, ...]:
        """All that an engine will have to run."""

    @property
    @abstractmethod
    def how(self) -> str:
        """How it is evaluated, in words."""


@dataclass(frozen=True)
class Pair(Operator):
    """Rows of two inputs that meet."""

    on: exp.Expr | None

    how = "new rows meet those of the other side that they overlap with"

    @cached_property
    def meeting(self) -> Plan:
        left, right = self.inputs
        return pairs.pairs(left.columns, right.columns, self.on)

    @property
    def fragments(self) -> tuple[Plan, ...]:
        return (self.meeting,)


@dataclass(frozen=True)
class Once(Operator):
    """Every row once."""

    how = "a row adds what equal rows before it do not cover"

    @cached_property
    def adding(self) -> Plan:
        return once.once(self.inputs[0].columns)

    @cached_property
    def keeping(self) -> Plan:
        return once.reach(self.inputs[0].columns)

    @property
    def fragments(self) -> tuple[Plan, ...]:
        return self.adding, self.keeping


@dataclass(frozen=True)
class Sweep(Operator):
    """Any operator, in each segment of time; input number `presence` says when there is an answer at all."""

    operator: Plan
    sides: tuple[Side, ...]
    presence: int | None
    split: int | None = None

    @property
    def keys(self) -> tuple[Field, ...]:
        return tuple(k.field for k in self.sides[0].keys)

    @property
    def how(self) -> str:
        cut = "of each key" if self.keys else "of all rows"
        return f"evaluated between every two end points {cut}{_pieces(self.split)}"

    @cached_property
    def cutting(self) -> Plan:
        return sweep.segments(self.sides, self.keys, self.presence)

    @cached_property
    def cutting_at_ticks(self) -> Plan:
        return sweep.segments_at_ticks(self.sides, self.keys, self.presence)

    @cached_property
    def evaluating(self) -> Plan:
        return sweep.swept(self.operator, self.keys)

    @property
    def fragments(self) -> tuple[Plan, ...]:
        return self.cutting, self.cutting_at_ticks, self.evaluating


@dataclass(frozen=True)
class Joined(Operator):
    """Equal rows that follow each other become one."""

    when: Coalescing = Coalescing.ALWAYS

    @property
    def how(self) -> str:
        waiting = "a row waits for an equal one that begins where it ends"
        return waiting if self.when is Coalescing.ALWAYS else f"while that makes rows clearly fewer {waiting}"

    @cached_property
    def joining(self) -> Plan:
        return reshape.coalesced(self.inputs[0].columns)

    @property
    def fragments(self) -> tuple[Plan, ...]:
        return (self.joining,)


@dataclass(frozen=True)
class Pieces(Operator):
    """Rows in pieces."""

    length: int

    @property
    def schema(self) -> Schema:
        return self.inputs[0].schema

    @property
    def how(self) -> str:
        return f"cut at every multiple of {duration.show(self.length)}"

    @cached_property
    def cutting(self) -> Plan:
        return reshape.pieces(self.inputs[0].columns)

    @property
    def fragments(self) -> tuple[Plan, ...]:
        return (self.cutting,)


@dataclass(frozen=True)
class Sum(Operator):
    """An aggregate by parts of rows that end in the order in which they began."""

    blocks: Blocks
    window: WindowSpec
    split: int | None = None

    @property
    def how(self) -> str:
        return f"by parts: a row is looked at when it begins and when it ends{_pieces(self.split)}"

    @cached_property
    def plans(self) -> SumPlans:
        blocks = self.blocks
        return SumPlans(blocks.partials(), blocks.left(), blocks.totals(), blocks.events(), blocks.finished())

    @property
    def fragments(self) -> tuple[Plan, ...]:
        return tuple(self.plans)


class SumPlans(NamedTuple):
    """The fragments of a sum, built once."""

    partials: Plan
    left: Plan
    totals: Plan
    events: Plan
    finished: Plan


@dataclass(frozen=True)
class Program:
    """A query at every instant: its windows, its operators in order, and what they end in.

    `finish`, if there is one, makes the delivered rows of the answer's: it reads when they are valid.
    """

    query: Query
    windows: tuple[tuple[str, WindowSpec], ...]
    operators: tuple[Operator, ...]
    answer: Flow
    finish: Plan | None

    def named(self) -> Iterator[tuple[str, Plan]]:
        """All that an engine will have to run, by name."""
        return (("at every instant", plan) for plan in self.fragments())

    def fragments(self) -> list[Plan]:
        flows = [flow.plan for o in self.operators for flow in o.inputs]
        ends = [self.answer.plan, *([] if self.finish is None else [self.finish])]
        return [*flows, *(f for o in self.operators for f in o.fragments), *ends]


def _pieces(split: int | None) -> str:
    return "" if split is None else f"; cut at every multiple of {duration.show(split)}"
