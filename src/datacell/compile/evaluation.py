"""How a query is evaluated: a description of all the plans that it will run, each under the name that people read.

A query answers row by row, at boundaries, at every instant, or once. The running counterparts of the first three are
`runtime.row_by_row`, `runtime.windows` and `runtime.instants`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from datacell.algebra.plan import Plan
from datacell.algebra.query import Query, Timing
from datacell.compile.setting import Setting
from datacell.incremental.inputs import over_baskets
from datacell.incremental.plans import Incremental, NamedPlan, Reevaluated
from datacell.incremental.strategy import Strategy, choose
from datacell.intervals.operators import Program
from datacell.intervals.translate import translate
from datacell.placement.shapes import tiny_joined


@dataclass(frozen=True)
class RowByRow:
    """Every row is answered by itself: nothing is kept."""

    query: Query
    plan: Plan
    """Over the rows of new batches."""

    strategy = Timing.ROW_BY_ROW.value
    why = "nothing is kept"

    def named(self) -> Iterator[NamedPlan]:
        yield "answer", self.plan


@dataclass(frozen=True)
class AtBoundaries:
    """Windows are evaluated when boundaries are due."""

    plans: Reevaluated | Incremental
    why: str

    @property
    def query(self) -> Query:
        return self.plans.query

    @property
    def strategy(self) -> str:
        kind = Strategy.INCREMENTAL if isinstance(self.plans, Incremental) else Strategy.REEVALUATE
        return kind.value

    def named(self) -> Iterator[NamedPlan]:
        return self.plans.named()


@dataclass(frozen=True)
class EveryInstant:
    """Rows know when they are valid, and operators keep what later rows may meet."""

    query: Query
    program: Program

    strategy = Timing.EVERY_CHANGE.value
    why = "rows know when they are valid"

    def named(self) -> Iterator[NamedPlan]:
        return self.program.named()


@dataclass(frozen=True)
class Once:
    """A query over tables only: it is answered when it is asked."""

    query: Query

    strategy = Timing.ONCE.value
    why = "nothing is kept"

    def named(self) -> Iterator[NamedPlan]:
        yield "answer", self.query.plan


Evaluation = RowByRow | AtBoundaries | EveryInstant | Once


def evaluation(query: Query, setting: Setting) -> Evaluation:
    """Of an optimized query."""
    match query.timing:
        case Timing.ROW_BY_ROW:
            return RowByRow(query, over_baskets(query.plan))
        case Timing.EVERY_CHANGE:
            return EveryInstant(query, translate(query))
        case Timing.ONCE:
            return Once(query)
    split, why = choose(query, setting.strategy, tiny_joined(setting.wanted))
    return AtBoundaries(Reevaluated(query) if split is None else Incremental(split), why)
