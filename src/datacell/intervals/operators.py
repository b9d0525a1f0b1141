"""The stateful operators of a query at every instant: which plans each runs, and how, in words.

They have the names of the algebra's operators that they evaluate, so others call them by this module:
`operators.Join`. *Sweep* evaluates every operator that has no way of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from sqlglot import exp

from datacell.algebra import duration, tree
from datacell.algebra import plan as algebra
from datacell.algebra.plan import Coalescing, Difference, JoinKind, Plan, StrictDifference
from datacell.algebra.schema import Field, Schema
from datacell.algebra.window import WindowSpec
from datacell.intervals import aggregate, coalesce, distinct, join, split, sweep
from datacell.intervals.aggregate_columns import Columns
from datacell.intervals.aggregate_events import events
from datacell.intervals.flow import Flow, NamedPlan
from datacell.intervals.framed import Framed
from datacell.intervals.sweep import Side
from datacell.intervals.validity import VALIDITY, own


@dataclass(frozen=True)
class Operator(ABC):
    """An operator that needs more than one row at a time; `work` is what it does, for readers."""

    work: Plan
    inputs: tuple[Flow, ...]

    kind: ClassVar[str]

    @property
    def schema(self) -> Schema:
        return Schema((*own(self.work.schema), *VALIDITY))

    @property
    @abstractmethod
    def plans(self) -> tuple[NamedPlan, ...]:
        """All that it will have to run, beside what its inputs are."""

    @property
    @abstractmethod
    def how(self) -> str:
        """How it is evaluated, in words."""


@dataclass(frozen=True)
class Join(Operator):
    """Pairs of rows of two inputs."""

    on: exp.Expr | None

    kind = "join"
    how = "delta join: new rows of either side with the rows of the other that they overlap with"

    @cached_property
    def new_pairs(self) -> NamedPlan:
        left, right = self.inputs
        return "new pairs", join.new_pairs(left.columns, right.columns, self.on, self.may_be_open)

    @property
    def may_be_open(self) -> bool:
        """May it give pairs of which nobody knows yet when they end?"""
        return any(flow.may_be_open for flow in self.inputs)

    @property
    def plans(self) -> tuple[NamedPlan, ...]:
        return (self.new_pairs,)


@dataclass(frozen=True)
class Distinct(Operator):
    """Every row once."""

    kind = "distinct"
    how = "a row adds what equal rows before it do not cover"

    @cached_property
    def added(self) -> NamedPlan:
        return "what rows add", distinct.added(self.inputs[0].columns)

    @cached_property
    def reach(self) -> NamedPlan:
        return "how far rows reach", distinct.reach(self.inputs[0].columns)

    @property
    def plans(self) -> tuple[NamedPlan, ...]:
        return self.added, self.reach


@dataclass(frozen=True)
class Sweep(Operator):
    """Any operator, in each segment of time; input number `presence` says when there is an answer at all."""

    operator: Plan
    sides: tuple[Side, ...]
    presence: int | None
    split_every: int | None = None

    kind = "sweep"

    @property
    def keys(self) -> tuple[Field, ...]:
        return tuple(k.field for k in self.sides[0].keys)

    @property
    def how(self) -> str:
        of = "of each key" if self.keys else "of all rows"
        if any(isinstance(node, Framed) for node in tree.descendants(self.operator)):
            of += ", over rows in the order of time"
        return f"evaluated between every two end points {of}{_in_pieces(self.split_every)}"

    @property
    def counted(self) -> int | None:
        """The side without whose rows there is no answer, if there is one."""
        if self.presence is None and _answers_for_left_rows(self.work):
            return self.sides[0].index
        return self.presence

    @cached_property
    def segments(self) -> NamedPlan:
        return "segments", sweep.segments(self.sides, self.keys, self.counted)

    @cached_property
    def segments_at_cut_points(self) -> NamedPlan:
        return "segments at cut points", sweep.segments_at_cut_points(self.sides, self.keys, self.counted)

    @cached_property
    def swept(self) -> NamedPlan:
        is_framed = any(isinstance(node, Framed) for node in tree.descendants(self.operator))
        return "in each segment", self.operator if is_framed else sweep.swept(self.operator, self.keys)

    @property
    def plans(self) -> tuple[NamedPlan, ...]:
        return self.segments, self.segments_at_cut_points, self.swept


@dataclass(frozen=True)
class Aggregate(Operator):
    """An aggregate by parts of rows that end in the order in which they began."""

    columns: Columns
    window: WindowSpec
    split_every: int | None = None

    kind = "aggregate"

    @property
    def how(self) -> str:
        return f"by parts: a row is looked at when it begins and when it ends{_in_pieces(self.split_every)}"

    @cached_property
    def partials(self) -> NamedPlan:
        return "partial rows", aggregate.partials(self.columns)

    @cached_property
    def suffixes(self) -> NamedPlan:
        return "suffixes", aggregate.suffixes(self.columns)

    @cached_property
    def totals(self) -> NamedPlan:
        return "totals", aggregate.totals(self.columns)

    @cached_property
    def events(self) -> NamedPlan:
        return "events", events(self.columns)

    @cached_property
    def finished(self) -> NamedPlan:
        return "values", aggregate.finished(self.columns)

    @property
    def plans(self) -> tuple[NamedPlan, ...]:
        return self.partials, self.suffixes, self.totals, self.events, self.finished


@dataclass(frozen=True)
class Coalesce(Operator):
    """Equal rows that follow each other become one."""

    when: Coalescing = Coalescing.ALWAYS

    kind = "coalesce"

    @property
    def how(self) -> str:
        waiting = "a row waits for an equal one that begins where it ends"
        return waiting if self.when is Coalescing.ALWAYS else f"while that makes rows clearly fewer {waiting}"

    @cached_property
    def coalesced(self) -> NamedPlan:
        return "coalesced rows", coalesce.coalesced(self.inputs[0].columns)

    @property
    def plans(self) -> tuple[NamedPlan, ...]:
        return (self.coalesced,)


@dataclass(frozen=True)
class Split(Operator):
    """Rows in pieces."""

    length: int

    kind = "split"

    @property
    def schema(self) -> Schema:
        return self.inputs[0].schema

    @property
    def how(self) -> str:
        return f"cut at every multiple of {duration.show(self.length)}"

    @cached_property
    def pieces(self) -> NamedPlan:
        return "pieces", split.pieces(self.inputs[0].columns)

    @property
    def plans(self) -> tuple[NamedPlan, ...]:
        return (self.pieces,)


def _answers_for_left_rows(plan: Plan) -> bool:
    match plan:
        case algebra.Join(kind=kind):
            return kind in (JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)
        case Difference() | StrictDifference():
            return True
    return False


def _in_pieces(length: int | None) -> str:
    return "" if length is None else f"; cut at every multiple of {duration.show(length)}"
