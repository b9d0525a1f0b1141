"""The stateful operators of a query at every instant: which plans each runs, and how, in words.

They have the names of the algebra's operators that they evaluate, so others call them by this module:
`operators.Join`. *Sweep* evaluates every operator that has no way of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from datacell.algebra import duration
from datacell.algebra.plan import Coalescing, Plan
from datacell.algebra.query import Query
from datacell.algebra.schema import Field, Schema
from datacell.algebra.window import WindowSpec
from datacell.intervals import aggregate, coalesce, distinct, join, split, sweep
from datacell.intervals.aggregate import AggregatePlans
from datacell.intervals.aggregate_columns import Columns
from datacell.intervals.flow import Flow
from datacell.intervals.sweep import Side
from datacell.intervals.validity import VALIDITY, own


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
class Join(Operator):
    """Pairs of rows of two inputs."""

    on: exp.Expr | None

    how = "delta join: new rows of either side with the rows of the other that they overlap with"

    @cached_property
    def pairs(self) -> Plan:
        left, right = self.inputs
        return join.pairs(left.columns, right.columns, self.on)

    @property
    def fragments(self) -> tuple[Plan, ...]:
        return (self.pairs,)


@dataclass(frozen=True)
class Distinct(Operator):
    """Every row once."""

    how = "a row adds what equal rows before it do not cover"

    @cached_property
    def added(self) -> Plan:
        return distinct.added(self.inputs[0].columns)

    @cached_property
    def reach(self) -> Plan:
        return distinct.reach(self.inputs[0].columns)

    @property
    def fragments(self) -> tuple[Plan, ...]:
        return self.added, self.reach


@dataclass(frozen=True)
class Sweep(Operator):
    """Any operator, in each segment of time; input number `presence` says when there is an answer at all."""

    operator: Plan
    sides: tuple[Side, ...]
    presence: int | None
    split_every: int | None = None

    @property
    def keys(self) -> tuple[Field, ...]:
        return tuple(k.field for k in self.sides[0].keys)

    @property
    def how(self) -> str:
        of = "of each key" if self.keys else "of all rows"
        return f"evaluated between every two end points {of}{_pieces(self.split_every)}"

    @cached_property
    def segments(self) -> Plan:
        return sweep.segments(self.sides, self.keys, self.presence)

    @cached_property
    def segments_at_cut_points(self) -> Plan:
        return sweep.segments_at_cut_points(self.sides, self.keys, self.presence)

    @cached_property
    def swept(self) -> Plan:
        return sweep.swept(self.operator, self.keys)

    @property
    def fragments(self) -> tuple[Plan, ...]:
        return self.segments, self.segments_at_cut_points, self.swept


@dataclass(frozen=True)
class Aggregate(Operator):
    """An aggregate by parts of rows that end in the order in which they began."""

    columns: Columns
    window: WindowSpec
    split_every: int | None = None

    @property
    def how(self) -> str:
        return f"by parts: a row is looked at when it begins and when it ends{_pieces(self.split_every)}"

    @cached_property
    def plans(self) -> AggregatePlans:
        return aggregate.plans(self.columns)

    @property
    def fragments(self) -> tuple[Plan, ...]:
        return tuple(self.plans)


@dataclass(frozen=True)
class Coalesce(Operator):
    """Equal rows that follow each other become one."""

    when: Coalescing = Coalescing.ALWAYS

    @property
    def how(self) -> str:
        waiting = "a row waits for an equal one that begins where it ends"
        return waiting if self.when is Coalescing.ALWAYS else f"while that makes rows clearly fewer {waiting}"

    @cached_property
    def coalesced(self) -> Plan:
        return coalesce.coalesced(self.inputs[0].columns)

    @property
    def fragments(self) -> tuple[Plan, ...]:
        return (self.coalesced,)


@dataclass(frozen=True)
class Split(Operator):
    """Rows in pieces."""

    length: int

    @property
    def schema(self) -> Schema:
        return self.inputs[0].schema

    @property
    def how(self) -> str:
        return f"cut at every multiple of {duration.show(self.length)}"

    @cached_property
    def pieces(self) -> Plan:
        return split.pieces(self.inputs[0].columns)

    @property
    def fragments(self) -> tuple[Plan, ...]:
        return (self.pieces,)


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


def _pieces(split_every: int | None) -> str:
    return "" if split_every is None else f"; cut at every multiple of {duration.show(split_every)}"
