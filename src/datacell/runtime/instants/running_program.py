"""A program at work: stateful operators that take what is new, as time goes on.

The watermark is how far all sources have come. Every operator then takes the rows that begin before the least progress
of its inputs, gives the rows that no later one can change, and says how far it has come itself. What leaves a query is
ordered by (valid_from, valid_to), because it waits for the progress of the last operator.

An operator's state follows from the rows that reach beyond what has been delivered and from its cut points: nothing
else is stored. After a restart these rows are taken once more, and what was delivered then is not delivered again.

A table that may be refreshed is replaced at the instant that time has come to. What was given out cannot be taken back,
so of such a query no row is given out before it has ended; then all before that instant is, and after it operators
begin again, with what is still valid.

A row that goes on holds back everything that began after it. Where that is much, the operator that waits is cut, and so
are the rows of LATEST windows, of which nobody knows when they end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from datacell.algebra.open_ends import OpenEnds
from datacell.algebra.plan import Coalescing
from datacell.algebra.positions import FOREVER
from datacell.algebra.tree import may_be_refreshed
from datacell.algebra.window import WindowSpec
from datacell.errors import SqlError
from datacell.intervals import operators
from datacell.intervals.flow import Leaf, OperatorRows
from datacell.intervals.operators import Operator
from datacell.intervals.program import ANSWER, Program
from datacell.intervals.validity import END, valid_to
from datacell.runtime.evaluation import Held
from datacell.runtime.instants.aggregate import StatefulAggregate
from datacell.runtime.instants.buffer import InputBuffer, beginning, ending, first_open, from_instant
from datacell.runtime.instants.coalesce import StatefulCoalesce
from datacell.runtime.instants.cut_points import CutPoint, CutPoints
from datacell.runtime.instants.delivery import Delivery
from datacell.runtime.instants.distinct import StatefulDistinct
from datacell.runtime.instants.join import StatefulJoin
from datacell.runtime.instants.made import MadeRows
from datacell.runtime.instants.operator import StatefulOperator
from datacell.runtime.instants.sources import RunningVersions, Sources
from datacell.runtime.instants.split import StatefulSplit
from datacell.runtime.instants.sweep import StatefulSweep
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.basket import Basket
from datacell.runtime.versions import KeptVersions

MOST_WAITING = 10_000
"""Rows that may wait for one that goes on."""

FEW_OPEN = 4
"""So many times the rows that would be cut must wait for it to be worth it."""

PATIENCE = 4
"""So many steps of time an operator may be behind what it has taken: a step or two is what a firing brings."""


class RunningProgram:
    """It has come to `now`, and everything that begins before `released` has been given out."""

    def __init__(
        self,
        program: Program,
        baskets: Mapping[str, Basket],
        plans: Plans,
        now: int = -FOREVER,
        released: int = -FOREVER,
        cut_points: Sequence[Sequence[CutPoint]] = (),
        staged: Sequence[MadeRows] = (),
        since: int = -FOREVER,
        kept: Sequence[KeptVersions] = (),
        open_ends: OpenEnds | None = None,
    ) -> None:
        """What was valid before `since` was answered with older tables. `kept` is of LATEST windows."""
        self.program, self.now, self.released, self.since = program, now, released, since
        self._holds = may_be_refreshed(program.query.plan) and all(map(ends, program.windows))
        firsts = [*map(_first, program.operators), *(CutPoint(-FOREVER) for _ in kept)]
        self.cut_points = [CutPoints(c) for c in cut_points or [(first,) for first in firsts]]
        described = zip(program.operators, program.labels, self.cut_points, strict=False)
        open_ends = open_ends or OpenEnds()
        self.operators = [_stateful(operator, label, plans, cuts, open_ends) for operator, label, cuts in described]
        of_windows = zip(kept, self.cut_points[len(self.operators) :], program.versions, strict=True)
        versions = [RunningVersions(one, cuts, described.split_every) for one, cuts, described in of_windows]
        self.sources = Sources(program.windows, baskets, staged, versions)
        self._answer, self._delivery = InputBuffer(program.answer, ANSWER, plans), Delivery(program, plans)
        self._cuts = 0
        self._is_warm = False
        self._is_closed = False

    def is_due(self, watermark: int, ended: bool) -> bool:
        """Would something change if time went on to the watermark, or to the end?"""
        if not ended:
            self._is_closed = False
        until = END if ended else watermark
        if until <= self.now or self._is_closed:
            return False
        return self.sources.change(self.now, until) or (not ended and self._is_cut_before(until))

    def advance(self, watermark: int, ended: bool) -> pa.Table:
        """Let time go on, and give out the rows that nothing can change any more, in order."""
        if not self._is_warm:
            self._warm_up()
        until = END if ended else watermark
        last = max(self.now, self.sources.last_change()) if ended else until
        rows, step = self._released(self.now, until), until - self.now
        self.now = last
        if ended:
            self._close(last)
        else:
            self._relieve(step)
        for cut_points in self.cut_points:
            cut_points.forget(self.released)
        self._delivery.forget(self.released)
        return self._delivery.deliver(rows)

    def settle(self, until: int) -> pa.Table:
        """Give out everything before the instant that time has come to; what follows will be answered again."""
        if not self._holds:
            raise SqlError(
                "a window of it never ends, so its answers reach beyond every instant and have been given out",
                hint="give its windows a length or a SLIDE; or DROP the query, and create it again",
            )
        if not self._is_warm:
            self._warm_up()
        self._is_warm = False
        self._flow(self.now, END)
        rows = ending(beginning(self._answer.take(END), self.released, until), until)
        self.now = self.released = self.since = until
        return self._delivery.deliver(rows)

    def latest(self) -> pa.Table:
        """Of what was given out, the rows that are valid at the last instant that was answered."""
        return self._delivery.valid_until(self.released)

    def held(self) -> Held:
        versions = sum(one.kept.rows.size()[0] for one in self.sources.versions)
        return Held(1, versions + sum(o.size() for o in self.operators) + len(self._answer.rows))

    def waiting(self) -> int:
        """How many rows are there that must wait for earlier ones."""
        return sum(o.waiting() for o in self.operators) + (0 if self._holds else len(self._answer.rows))

    def remark(self) -> str:
        """What was decided on the way, for readers."""
        cut = f"cut {self._cuts} times, because more than {MOST_WAITING} rows waited" if self._cuts else ""
        return "; ".join(filter(None, (*(o.remark() for o in self.operators), cut)))

    def _is_cut_before(self, until: int) -> bool:
        """Is there something to be cut before this instant?"""
        is_split = any(one.cut_points.last.at == self.now for one in self.sources.versions) or any(
            -(-self.now // length) * length < until for length in self.program.split_lengths
        )
        return (is_split or any(o.is_cut() for o in self.operators)) and self.held().rows > 0

    def _warm_up(self) -> None:
        """Bring the operators to where they were, or to the beginning; what that gives was given before."""
        for operator in self.operators:
            operator.reset()
        self.sources.reset()
        self._answer.clear()
        self._is_warm = True
        if self.now != -FOREVER:
            self._flow(-FOREVER, self.now)
            self._answer.take(self.released)

    def _released(self, since: int, until: int) -> pa.Table:
        """What begins between what was given out and what may be now."""
        progress = self._flow(since, until)
        if self._holds and until < END:
            progress = min(progress, first_open(self._answer.rows, until))
        before, self.released = self.released, max(self.released, progress)
        return beginning(self._answer.take(self.released), before, END)

    def _flow(self, since: int, until: int) -> int:
        """Let the rows between two instants flow into the answer, which has then come to an instant."""
        new, ended = self.sources.new(since, until)
        for buffer in (*(b for o in self.operators for b in o.buffers), self._answer):
            for made in self.sources.made(buffer.name, since, until):
                buffer.add(made)
        progress: dict[Leaf, int] = dict.fromkeys(new, until)
        for index, operator in enumerate(self.operators):
            leaf = OperatorRows(index)
            operator.settle(ended)
            new[leaf], progress[leaf] = operator.advance(new, progress)
            ended += operator.ended
        self._answer.settle(ended)
        self._answer.put(new)
        if self.since != -FOREVER:
            self._answer.rows = from_instant(self._answer.rows, self.since)
        return self._answer.progress(progress)

    def _relieve(self, step: int) -> None:
        """Cut the operator that is behind most, if too much waits for it: what is open there may then leave."""
        waiting = self.waiting()
        if waiting <= MOST_WAITING:
            return
        self._relieve_open(step, waiting)
        if not self.operators:
            return
        slowest = max(self.operators, key=lambda o: o.before - o.given)
        count, behind = slowest.open_rows(), slowest.before - slowest.given
        if count is not None and behind >= PATIENCE * step and waiting >= FEW_OPEN * count:
            slowest.cut_points.cut(slowest.before)
            self._cuts += 1

    def _relieve_open(self, step: int, waiting: int) -> None:
        """Cut what is open under LATEST windows, if that is what too much waits for."""
        buffers = [*(b for o in self.operators if not o.takes_open for b in o.buffers), self._answer]
        behind = self.now - min(b.first_open() for b in buffers)
        count = sum(one.kept.open_rows() for one in self.sources.versions)
        if count and behind >= PATIENCE * step and waiting >= FEW_OPEN * count:
            for one in self.sources.versions:
                one.cut_points.cut(self.now)
            self._cuts += 1

    def _close(self, last: int) -> None:
        """Everything was said up to this instant: nothing that comes will be coalesced with it."""
        self.released, self._is_closed, self._is_warm = last, True, False
        for operator, cut_points in zip(self.program.operators, self.cut_points, strict=False):
            if isinstance(operator, operators.Coalesce):
                cut_points.cut(last)


def _stateful(
    operator: Operator, label: str, plans: Plans, cut_points: CutPoints, open_ends: OpenEnds
) -> StatefulOperator:
    match operator:
        case operators.Join():
            return StatefulJoin(operator, label, plans, cut_points, open_ends)
        case operators.Distinct():
            return StatefulDistinct(operator, label, plans, cut_points)
        case operators.Sweep():
            return StatefulSweep(operator, label, plans, cut_points)
        case operators.Aggregate():
            return StatefulAggregate(operator, label, plans, cut_points)
        case operators.Coalesce():
            return StatefulCoalesce(operator, label, plans, cut_points)
        case operators.Split():
            return StatefulSplit(operator, label, plans, cut_points)
    raise AssertionError(operator)


def ends(window: tuple[str, WindowSpec]) -> bool:
    """Does every row cease to be valid under a window?"""
    return bool((valid_to(window[1], np.zeros(1, dtype=np.int64)) < FOREVER).all())


def _first(operator: Operator) -> CutPoint:
    coalesces = isinstance(operator, operators.Coalesce) and operator.when is Coalescing.ALWAYS
    return CutPoint(-FOREVER, coalesces)
