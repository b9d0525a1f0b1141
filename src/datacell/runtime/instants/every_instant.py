"""Evaluation at every instant: operators at work, micro-batch by micro-batch.

The watermark is how far all sources have come. Every operator then takes the rows that begin before the least progress
of its inputs, gives the rows that no later one can change, and says how far it has come itself. What leaves a query is
ordered by (valid_from, valid_to), because it waits for the progress of the last operator.

Nothing but the rows of streams and the turns of operators is stored: an operator's state follows from the rows that
reach beyond what has been delivered, so after a restart they are taken once more, and what was delivered then is not
delivered again.

A row that goes on holds back everything that began after it. Where that is much, the operator that waits is cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datacell.algebra.plan import Coalescing
from datacell.algebra.query import TIME_COLUMNS, Timing
from datacell.algebra.window import WindowSpec
from datacell.engines.arrow import arrow_schema, arrow_type
from datacell.intervals.operators import (
    Joined,
    Once,
    Operator,
    Pair,
    Pieces,
    Program,
    Sum,
    Sweep,
    output_table,
    window_table,
)
from datacell.intervals.translate import ANSWER
from datacell.intervals.validity import END, FOREVER, FROM, TO, Instants, oldest_valid, valid_to
from datacell.runtime.evaluation import Held, Runner
from datacell.runtime.instants.aggregate import Summing
from datacell.runtime.instants.buffer import Inbox, instants
from datacell.runtime.instants.cut_points import Turn, Turns
from datacell.runtime.instants.operator import Working
from datacell.runtime.instants.sweeping import Covering, Overlapping, Sweeping
from datacell.runtime.instants.ticking import Cutting, Joining
from datacell.runtime.streams.basket import Basket, positions
from datacell.runtime.streams.batch import Axis, Need

MOST_WAITING = 10_000
"""Rows that may wait for one that goes on."""

FEW_OPEN = 4
"""So many times the rows that would be cut must wait for it to be worth it."""

PATIENCE = 4
"""So many steps of time an operator may be behind what it has taken: a step or two is what a firing brings."""


class EveryInstant:
    """A program at work. It has come to `now`, and everything that begins before `released` has been given out."""

    strategy = "at every change"

    def __init__(
        self,
        program: Program,
        baskets: Mapping[str, Basket],
        run: Runner,
        now: int = -FOREVER,
        released: int = -FOREVER,
        turns: Sequence[Sequence[Turn]] = (),
    ) -> None:
        self.program, self.baskets, self.run = program, baskets, run
        self.now, self.released = now, released
        known = turns or [(_first_turn(operator),) for operator in program.operators]
        self.turns = list(map(Turns, known))
        self.cuts = 0
        self.work: list[Working] = []
        self._answer = Inbox(program.answer)
        self._is_warm = False
        self._is_closed = False
        self._given: list[tuple[Instants, pa.Table]] = []

    def is_due(self, watermark: int, ended: bool) -> bool:
        """Would something change if time went on to the watermark, or to the end?"""
        if not ended:
            self._is_closed = False
        until = END if ended else watermark
        if until <= self.now or self._is_closed:
            return False
        return any(self._changes(i, until) for i in self._windows()) or (not ended and self._ticks(until))

    def advance(self, watermark: int, ended: bool) -> pa.Table:
        """Let time go on, and give out the rows that nothing can change any more, in order."""
        if not self._is_warm:
            self._warm_up()
        until = END if ended else watermark
        last = max([self.now, *map(self._last_change, self._windows())]) if ended else until
        rows, step = self._advanced(self.now, until), until - self.now
        self.now = last
        if ended:
            self._close(last)
        else:
            self._relieve(step)
        for turns in self.turns:
            turns.forget(self.released)
        self._given = [(ends, given) for ends, given in self._given if ends.max() >= self.released]
        return self._delivered(rows)

    def latest(self) -> pa.Table:
        """Of what was given out, the rows that are valid at the last instant that was answered."""
        valid = [rows.filter(pa.array(ends >= self.released)) for ends, rows in self._given]
        return pa.concat_tables(valid) if valid else arrow_schema(self.program.query.result).empty_table()

    def oldest_needed(self, stream: str) -> list[Need]:
        """The rows whose validity reaches what has not been given out."""
        windows = [window for name, window in self.program.windows if name == stream]
        return [(Axis.TIME, oldest_valid(window, self.released)) for window in windows]

    def state(self) -> Held:
        return Held(1, sum(work.size() for work in self.work) + len(self._answer.rows))

    def waiting(self) -> int:
        """How many rows are there that must wait for earlier ones."""
        return sum(work.waiting() for work in self.work) + len(self._answer.rows)

    def remark(self) -> str:
        """What was decided on the way, for readers."""
        cut = f"cut {self.cuts} times, because more than {MOST_WAITING} rows waited" if self.cuts else ""
        return "; ".join(filter(None, (*(work.remark() for work in self.work), cut)))

    def _windows(self) -> range:
        return range(len(self.program.windows))

    def _changes(self, index: int, until: int) -> bool:
        """Does a row of the window begin or cease to be valid between what was reached and this instant?"""
        stream, window = self.program.windows[index]
        return any(_changes(window, batch.times, self.now, until) for batch in reversed(self.baskets[stream].batches))

    def _ticks(self, until: int) -> bool:
        """Is there something to be cut before this instant?"""
        lengths = [o.length for o in self.program.operators if isinstance(o, Pieces)]
        lengths += [o.split for o in self.program.operators if isinstance(o, Sum | Sweep) and o.split is not None]
        is_cut = any(-(-self.now // length) * length < until for length in lengths)
        return (is_cut or any(work.is_turning() for work in self.work)) and self.state().rows > 0

    def _last_change(self, index: int) -> int:
        """The last instant that is said anything about when the input ends."""
        stream, window = self.program.windows[index]
        begins = self.baskets[stream].times()
        ends = valid_to(window, begins)
        return int(np.where(ends < FOREVER, ends, begins + 1).max(initial=-FOREVER))

    def _warm_up(self) -> None:
        """Bring the operators to where they were, or to the beginning; what that gives was given before."""
        operators = zip(self.program.operators, self.turns, strict=True)
        self.work = [_at_work(operator, self.run, turns) for operator, turns in operators]
        self._answer = Inbox(self.program.answer)
        self._is_warm = True
        if self.now != -FOREVER:
            self._work(-FOREVER, self.now)
            self._answer.take(self.released)

    def _advanced(self, since: int, until: int) -> pa.Table:
        """What begins between what was given out and what may be now."""
        progress = self._work(since, until)
        before, self.released = self.released, max(self.released, progress)
        rows = self._answer.take(self.released)
        return rows.filter(pa.array(instants(rows, FROM) >= before))

    def _work(self, since: int, until: int) -> int:
        """Let the rows between two instants flow into the answer, which has then come to an instant."""
        new = {window_table(index): self._new(index, since, until) for index in self._windows()}
        progress = dict.fromkeys(new, until)
        for index, work in enumerate(self.work):
            name = output_table(index)
            new[name], progress[name] = work.advance(new, progress)
        self._answer.put(new, self.run)
        return self._answer.progress(progress)

    def _relieve(self, step: int) -> None:
        """Cut the operator that is behind most, if too much waits for it: what is open there may then leave."""
        waiting = self.waiting()
        if waiting <= MOST_WAITING:
            return
        slowest = max(self.work, key=lambda work: work.before - work.given)
        count, behind = slowest.open_rows(), slowest.before - slowest.given
        if count is not None and behind >= PATIENCE * step and waiting >= FEW_OPEN * count:
            slowest.turns.cut(slowest.before)
            self.cuts += 1

    def _close(self, last: int) -> None:
        """Everything was said up to this instant: nothing that comes will be joined with it."""
        self.released, self._is_closed, self._is_warm = last, True, False
        for operator, turns in zip(self.program.operators, self.turns, strict=True):
            if isinstance(operator, Joined):
                turns.cut(last)

    def _new(self, index: int, since: int, until: int) -> pa.Table:
        """The rows under a window that begin between two instants."""
        stream, window = self.program.windows[index]
        rows = self.baskets[stream].between(Axis.TIME, since, until, FROM)
        return rows.append_column(TO, pa.array(valid_to(window, positions(rows[FROM]))))

    def _delivered(self, rows: pa.Table) -> pa.Table:
        """The rows in order, with the columns that are delivered."""
        schema = arrow_schema(self.program.query.result)
        if not len(rows):
            return schema.empty_table()
        if self.program.finish is not None:
            rows = self.run(self.program.finish, {ANSWER: rows})
        ordered = rows.take(pc.sort_indices(rows, sort_keys=[(FROM, "ascending"), (TO, "ascending")]))
        times = {f.name: arrow_type(f.type) for f in TIME_COLUMNS[Timing.EVERY_CHANGE]}
        columns = {name: ordered[name] for name in ordered.schema.names}
        for (name, type_), source in zip(times.items(), (FROM, TO), strict=True):
            finite = pc.if_else(pc.less(ordered[source], FOREVER), ordered[source], None)
            columns.setdefault(name, finite.cast(type_))
        delivered = pa.table([columns[name] for name in schema.names], schema=schema)
        self._given.append((instants(ordered, TO), delivered))
        return delivered


def _changes(window: WindowSpec, begins: Instants, since: int, until: int) -> bool:
    ends = valid_to(window, begins)
    return bool((((begins >= since) & (begins < until)) | ((ends > since) & (ends <= until))).any())


def _at_work(operator: Operator, run: Runner, turns: Turns) -> Working:
    match operator:
        case Pair():
            return Overlapping(operator, run, turns)
        case Once():
            return Covering(operator, run, turns)
        case Sweep():
            return Sweeping(operator, run, turns)
        case Sum():
            return Summing(operator, run, turns)
        case Joined():
            return Joining(operator, run, turns)
        case Pieces():
            return Cutting(operator, run, turns)
    raise AssertionError(operator)


def _first_turn(operator: Operator) -> Turn:
    return Turn(-FOREVER, isinstance(operator, Joined) and operator.when is Coalescing.ALWAYS)
