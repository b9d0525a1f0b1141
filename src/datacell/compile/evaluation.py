"""How a query is evaluated: a description of all the plans that it will run, each under the name that people read.

A query answers row by row, at boundaries, at every instant, or once. The running counterparts of the first three are
`runtime.row_by_row`, `runtime.windows` and `runtime.instants`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from datacell.algebra import tree
from datacell.algebra.plan import Plan
from datacell.algebra.query import Query, Timing
from datacell.algebra.tree import may_be_refreshed
from datacell.algebra.window import WindowSpec, is_keyed
from datacell.compile.setting import Setting
from datacell.engines.agreed import refusals
from datacell.incremental.inputs import TIME, BasketRows, over_baskets
from datacell.incremental.lift import at_one_instant
from datacell.incremental.plans import Incremental, NamedPlan, Reevaluated
from datacell.incremental.relations import Kept, Pairs
from datacell.incremental.split import Depth, split
from datacell.incremental.strategy import Strategy, choose
from datacell.intervals.flow import WindowRows
from datacell.intervals.of_window import of_window
from datacell.intervals.program import Program, part_of
from datacell.intervals.translate import translate
from datacell.placement import parts
from datacell.placement.keeping import Room
from datacell.placement.operators import Site
from datacell.placement.shapes import tiny_joined

OPAQUE = "opaque"
"""How people are told that a query is answered as it is written."""


@dataclass(frozen=True)
class RowByRow:
    """Every row is answered by itself: nothing is kept."""

    query: Query
    plan: Plan
    """Over the rows of new batches."""

    @property
    def strategy(self) -> str:
        return Timing.ROW_BY_ROW.value if self.query.opaque is None else OPAQUE

    @property
    def why(self) -> str:
        written = self.query.opaque
        return "nothing is kept" if written is None else f"Spark answers each micro-batch as written: {written.why}"

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
        if self.query.opaque is not None:
            return OPAQUE
        kind = Strategy.INCREMENTAL if isinstance(self.plans, Incremental) else Strategy.REEVALUATE
        return kind.value

    def named(self) -> Iterator[NamedPlan]:
        return self.plans.named()


@dataclass(frozen=True)
class FlowOfWindow:
    """What the flow of that name makes of the rows of a window as they come: `plan` over those of its stream."""

    name: str
    flow: str
    stream: str
    window: WindowSpec
    plan: Plan


@dataclass(frozen=True)
class EveryInstant:
    """Rows know when they are valid, and operators keep what later rows may meet."""

    query: Query
    program: Program

    strategy = Timing.EVERY_INSTANT.value
    why = "rows know when they are valid"

    @cached_property
    def stateless(self) -> tuple[FlowOfWindow, ...]:
        """What can be made of rows wherever they are; of a table that may be refreshed nothing may be kept.

        Under LATEST the rows of a stream are needed as they come, with their arrival numbers.
        """
        found = []
        for name, flow in self.program.flows:
            for leaf in flow.leaves:
                if isinstance(leaf, WindowRows) and not is_keyed(self.program.windows[leaf.index][1]):
                    stream, window = self.program.windows[leaf.index]
                    plan = of_window(flow, leaf, BasketRows(stream), TIME)
                    found.append(FlowOfWindow(part_of(name, str(leaf)), name, stream, window, plan))
        raw = {one.stream for one in found if may_be_refreshed(one.plan)}
        raw |= {one.versions.stream for one in self.program.versions}
        return tuple(one for one in found if one.stream not in raw)

    def named(self) -> Iterator[NamedPlan]:
        yield from ((one.name, one.plan) for one in self.stateless)
        yield from self.program.named()


@dataclass(frozen=True)
class Snapshots:
    """A query without SLIDE that is answered as it is written: again whenever something changes."""

    query: Query

    strategy = OPAQUE

    @property
    def why(self) -> str:
        assert self.query.opaque is not None
        return f"Spark answers it as written at every instant at which something changes: {self.query.opaque.why}"

    @cached_property
    def plan(self) -> Plan:
        """Over what each window shows at an instant."""
        return at_one_instant(self.query)

    def named(self) -> Iterator[NamedPlan]:
        yield "answer", self.plan


@dataclass(frozen=True)
class Once:
    """A query over tables only: it is answered when it is asked."""

    query: Query

    strategy = Timing.ONCE.value
    why = "nothing is kept"

    def named(self) -> Iterator[NamedPlan]:
        yield "answer", self.query.plan


Evaluation = RowByRow | AtBoundaries | EveryInstant | Snapshots | Once


def evaluation(query: Query, setting: Setting) -> Evaluation:
    """Of an optimized query."""
    match query.timing:
        case Timing.ROW_BY_ROW:
            return RowByRow(query, over_baskets(query.plan))
        case Timing.EVERY_INSTANT if query.opaque is not None:
            return Snapshots(query)
        case Timing.EVERY_INSTANT:
            return EveryInstant(query, translate(query, lambda plan: not refusals(plan)))
        case Timing.ONCE:
            return Once(query)
    found, why = choose(query, setting.strategy, tiny_joined(setting.wanted))
    plans = Reevaluated(query) if found is None else Incremental(found)
    keeps = query.opaque is not None or any(is_keyed(w.window) for w in tree.windows(query.plan))
    depth = Depth.FULL if keeps else _depth(plans, setting)
    if depth is Depth.FULL:
        return AtBoundaries(plans, why)
    return AtBoundaries(Incremental(split(query, depth)), f"{why}; what is kept would not fit into the driver")


def _depth(plans: Reevaluated | Incremental, setting: Setting) -> Depth:
    """What is kept on the cluster is rows, or partial results of them: pairs and raw windows are for the driver."""
    if plans.query.timing is Timing.ARRIVALS or setting.wanted is Site.DUCKDB:
        return Depth.FULL
    room = Room(setting.driver_memory, setting.fed)
    match plans:
        case Reevaluated():
            kept = parts.reevaluated(plans, setting.known, room).kept
        case Incremental() if any(isinstance(r, Pairs) for r in plans.split.relations):
            sliced = [n for n, relation in enumerate(plans.split.relations) if isinstance(relation, Kept)]
            found = parts.incremental(plans, setting.known, room).kept
            kept = tuple(one for one in found if one.relation in sliced)
        case _:
            return Depth.FULL
    if all(one.bytes <= room.memory for one in kept):
        return Depth.FULL
    return Depth.ROWS if isinstance(plans, Reevaluated) else Depth.NO_PAIRS
