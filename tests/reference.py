"""The judge: the laws of the temporal algebra, computed literally. Slow and obvious, sharing nothing with the runtime.

Given finite streams in arrival order it answers a bound query at every boundary (or instant of change): it takes the
snapshot of every window there, as a table, and asks a database for the plain SQL answer over these tables.

Tables may be refreshed on the way. An answer sees one version of each: a boundary those that there were when it fired,
an instant those that there were before time came to it, a row that is answered by itself those of its arrival.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import pyarrow as pa
from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.plan import Plan, Stream, Window
from datacell.algebra.query import Emission, Query, Timing
from datacell.algebra.window import LatestBy, Session
from datacell.engines.protocol import Engine, run_once
from window_laws import (
    FOREVER,
    Arrived,
    Feed,
    Latest,
    Row,
    as_literal,
    boundaries_of,
    fired_after,
    first_boundary,
    hashable,
    is_row_boundary,
    last_boundary,
    last_rows,
    lost_for_sessions,
    own_row_boundary,
    running_max,
    sees,
    stream_of,
    table_of,
    valid_to,
)


@dataclass(frozen=True)
class Answer:
    """What a query answers at a boundary: in microseconds, or an arrival number."""

    boundary: int
    rows: Counter[tuple[Any, ...]]


@dataclass(frozen=True)
class Refreshed:
    """A table has other rows, once so many rows of the query's streams have arrived."""

    after: int
    table: str
    rows: pa.Table


@dataclass
class Reference:
    """Answers queries over feeds and tables. `arrivals` is the order of rows across streams: names, one per row.

    `refreshes` are in the order in which they happen.
    """

    feeds: Mapping[str, Feed]
    tables: Mapping[str, pa.Table]
    engine: Engine
    arrivals: Sequence[str] | None = None
    refreshes: Sequence[Refreshed] = ()

    @cached_property
    def latest(self) -> Latest:
        return Latest(self.engine)

    def answers(self, query: Query) -> list[Answer]:
        """The answers at each boundary, or for queries without SLIDE the snapshots at each instant of change."""
        if query.timing is Timing.EVERY_INSTANT:
            return list(self._snapshots(query))
        if query.timing in (Timing.ROW_BY_ROW, Timing.ONCE):
            return [Answer(0, self._of_each_row(query))]
        if any(isinstance(w.window, Session) for w in tree.windows(query.plan)):
            return self._by_sessions(query)
        relations = self._by_rows(query) if query.timing is Timing.ARRIVALS else self._by_time(query)
        return _emitted(list(relations), query.emission)

    # Time windows

    def _by_time(self, query: Query) -> Iterator[tuple[int, Answer | None]]:
        """Law 4, 8, 9: (boundary, answer), or (boundary, None) where every window has become empty."""
        windows = tree.windows(query.plan)
        arrived = self._arrived(query)
        for boundary in boundaries_of(windows, arrived):
            fired = fired_after(boundary, arrived)
            contents = [self._content(w, boundary, arrived, fired[stream_of(w)], windows) for w in windows]
            alive = [boundary <= last_boundary(w.window, windows, arrived) for w in windows]
            if any(c and a for c, a in zip(contents, alive, strict=True)):
                tables = _tables_after(self, max(fired.values()))
                yield boundary, Answer(boundary, self._answer(query.plan, contents, as_literal(boundary), tables))
            elif not any(contents):
                yield boundary, None

    def _arrived(self, query: Query) -> dict[str, Arrived]:
        """The rows of each stream with their event time and their place in the overall order of arrival."""
        streams = {s.name for s in tree.streams(query.plan)}
        order = self.arrivals or [name for name, feed in self.feeds.items() for _ in feed.rows]
        if self.arrivals is None and len(streams) > 1:
            order = [n for _, n in sorted((t, n) for n in sorted(streams) for t in running_max(self.feeds[n].times()))]
        arrived = {name: Arrived(self.feeds[name]) for name in sorted(streams)}
        for place, name in enumerate(n for n in order if n in arrived):
            arrived[name].places.append(place)
        return arrived

    def late(self, query: Query) -> list[tuple[str, Row]]:
        """A row is late for the query if some boundary that would see it has fired before it came."""
        return self._too_late(query, any)

    def lost(self, query: Query) -> list[tuple[str, Row]]:
        """A late row still counts where it can; it is lost if every boundary that would see it has fired."""
        return self._too_late(query, all)

    def _too_late(self, query: Query, which: Callable[[Iterable[bool]], bool]) -> list[tuple[str, Row]]:
        windows, arrived = tree.windows(query.plan), self._arrived(query)
        if isinstance(windows[0].window, Session):
            name = stream_of(windows[0])
            feed = self.feeds[name]
            return [(name, row) for row, lost in zip(feed.rows, lost_for_sessions(feed), strict=True) if lost]
        boundaries = boundaries_of(windows, arrived)
        found = []
        for name, stream in arrived.items():
            specs = [w.window for w in windows if stream_of(w) == name]
            for place, time, row in zip(stream.places, stream.times, stream.feed.rows, strict=True):
                latest = [first_boundary(spec, windows, time) for spec in specs if isinstance(spec, LatestBy)]
                others = [spec for spec in specs if not isinstance(spec, LatestBy)]
                seen = [b for b in boundaries if b in latest or any(sees(spec, b, time) for spec in others)]
                if seen and which(place > fired_after(b, arrived)[name] for b in seen):
                    found.append((name, row))
        return found

    def _content(
        self, node: Window, boundary: int, arrived: dict[str, Arrived], last_place: int, windows: Sequence[Window]
    ) -> list[Row]:
        stream = arrived[stream_of(node)]
        rows = list(zip(stream.feed.rows, stream.times, stream.places, strict=True))
        if not isinstance(node.window, LatestBy):
            return [row for row, time, place in rows if place <= last_place and sees(node.window, boundary, time)]
        counted = []
        for row, time, place in rows:
            first = first_boundary(node.window, windows, time)
            if place <= last_place and place <= fired_after(first, arrived)[stream_of(node)]:
                counted.append((row, time))
        shown = boundary if node.window.slide is None else boundary // node.window.slide * node.window.slide
        return [
            row for start, stop, row in self.latest.validities(node, stream.feed, counted) if start <= shown - 1 < stop
        ]

    def _by_sessions(self, query: Query) -> list[Answer]:
        """Law 14: each session is a snapshot of its own."""
        (node,) = tree.windows(query.plan)
        feed, answers = self.feeds[stream_of(node)], dict[int, Counter[tuple[Any, ...]]]()
        for start, end, rows in self.latest.sessions(node, feed, lost_for_sessions(feed)):
            plan = tree.at_boundary(query.plan, as_literal(start), scalar.WINDOW_START)
            found = self._answer(plan, [rows], as_literal(end))
            answers[end] = answers.get(end, Counter()) + found
        return [Answer(end, rows) for end, rows in sorted(answers.items())]

    # Row windows

    def _by_rows(self, query: Query) -> Iterator[tuple[int, Answer | None]]:
        """Law 6 and 7: boundary b is due when every stream has b rows."""
        windows = tree.windows(query.plan)
        most = min(len(self.feeds[s.name].rows) for s in tree.streams(query.plan))
        arrived = self._arrived(query)
        for number in range(1, most + 1):
            if not any(is_row_boundary(w.window, number) for w in windows):
                continue
            contents = [last_rows(w, own_row_boundary(w.window, number), self.feeds[stream_of(w)]) for w in windows]
            if any(contents):
                literal = exp.cast(exp.Literal.number(number), "bigint")
                tables = _tables_after(self, max(stream.places[number - 1] for stream in arrived.values()))
                yield number, Answer(number, self._answer(query.plan, contents, literal, tables))

    # Every instant

    def _snapshots(self, query: Query) -> Iterator[Answer]:
        """Law 5: the snapshot at every instant at which a row begins or ceases to be valid.

        Where every window is empty there is no answer, as there is no boundary there (law 8).
        """
        windows = tree.windows(query.plan)
        valid = [self._validities(w, self.feeds[stream_of(w)]) for w in windows]
        replaced = [(self._watermark(query, one.after), one) for one in self.refreshes]
        changes = {t for rows in valid for start, stop, _ in rows for t in (start, stop)} | {t for t, _ in replaced}
        for instant in sorted(changes - {FOREVER, -FOREVER}):
            contents = [[row for start, stop, row in rows if start <= instant < stop] for rows in valid]
            tables = _replaced(self.tables, [one for since, one in replaced if since <= instant])
            answer = Counter[tuple[Any, ...]]()
            if any(contents):
                answer = self._answer(query.plan, contents, exp.null(), tables)
            yield Answer(instant, answer)

    def _validities(self, node: Window, feed: Feed) -> list[tuple[int, int, Row]]:
        if isinstance(node.window, LatestBy):
            return self.latest.validities(node, feed, list(zip(feed.rows, feed.times(), strict=True)))
        return [(t, valid_to(node.window, t), row) for t, row in zip(feed.times(), feed.rows, strict=True)]

    def _watermark(self, query: Query, after: int) -> int:
        """The instant that time has come to once so many rows have arrived."""
        found = []
        for stream in self._arrived(query).values():
            times = [t for t, place in zip(stream.times, stream.places, strict=True) if place < after]
            found.append(max(times, default=-FOREVER) - stream.feed.lateness if times else -FOREVER)
        return min(found)

    # Row by row

    def _of_each_row(self, query: Query) -> Counter[tuple[Any, ...]]:
        if not self.refreshes:
            return self._answer(query.plan, [], exp.null())
        arrived, found = self._arrived(query), Counter[tuple[Any, ...]]()
        cuts = [0, *(one.after for one in self.refreshes), FOREVER]
        for number, (since, until) in enumerate(pairwise(cuts)):
            feeds = {
                name: replace(
                    s.feed, rows=[r for r, p in zip(s.feed.rows, s.places, strict=True) if since <= p < until]
                )
                for name, s in arrived.items()
            }
            tables = _replaced(self.tables, self.refreshes[:number])
            found += replace(self, feeds={**self.feeds, **feeds})._answer(query.plan, [], exp.null(), tables)
        return found

    # The plain SQL answer over snapshots

    def _answer(
        self,
        plan: Plan,
        contents: Sequence[list[Row]],
        boundary: exp.Expr,
        tables: Mapping[str, pa.Table] | None = None,
    ) -> Counter[tuple[Any, ...]]:
        return Counter(self._listed(plan, contents, boundary, tables))

    def _listed(
        self,
        plan: Plan,
        contents: Sequence[list[Row]],
        boundary: exp.Expr,
        tables: Mapping[str, pa.Table] | None = None,
    ) -> list[tuple[Any, ...]]:
        """The rows in the order in which the database gives them."""
        inputs = {name: table_of(feed.columns, feed.rows) for name, feed in self.feeds.items()} | dict(
            self.tables if tables is None else tables
        )
        numbered = iter(range(len(contents)))

        def snapshot(node: Window) -> Plan:
            index = next(numbered)
            name = f"snapshot_{index}"
            inputs[name] = table_of(self.feeds[stream_of(node)].columns, contents[index])
            return tree.transform_up(node.child, lambda n: replace(n, name=name) if isinstance(n, Stream) else n)

        fixed = tree.at_boundary(_each_window(plan, snapshot), boundary)
        result = run_once(self.engine, fixed, inputs)
        return list(zip(*(map(hashable, column.to_pylist()) for column in result.columns), strict=True))


def _tables_after(judge: Reference, place: int) -> Mapping[str, pa.Table]:
    """What a boundary sees that fires when the row of this place has come."""
    return _replaced(judge.tables, [one for one in judge.refreshes if one.after <= place])


def _replaced(tables: Mapping[str, pa.Table], refreshes: Sequence[Refreshed]) -> Mapping[str, pa.Table]:
    return {**tables, **{one.table: one.rows for one in refreshes}}


def _each_window(plan: Plan, change: Callable[[Window], Plan]) -> Plan:
    """Left to right: the order in which `tree.windows` lists them."""
    if isinstance(plan, Window):
        return change(plan)
    return plan.with_children([_each_window(child, change) for child in plan.children])


# Relation to stream, and plain values


def _emitted(relations: list[tuple[int, Answer | None]], emission: Emission) -> list[Answer]:
    """Law 10. The first boundary at which all windows have become empty has an empty relation."""
    if emission is Emission.RSTREAM:
        return [answer for _, answer in relations if answer is not None]
    changes, previous, was_empty = [], Counter[tuple[Any, ...]](), True
    for boundary, answer in relations:
        if answer is None and was_empty:
            continue
        now = Counter[tuple[Any, ...]]() if answer is None else answer.rows
        entered, left = now - previous, previous - now
        changes.append(Answer(boundary, entered if emission is Emission.ISTREAM else left))
        previous, was_empty = now, answer is None
    return changes
