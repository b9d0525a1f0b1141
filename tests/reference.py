"""The judge: the laws of the temporal algebra, computed literally. Slow and obvious, sharing nothing with the runtime.

Given finite streams in arrival order it answers a bound query at every boundary (or instant of change): it takes the
snapshot of every window there, as a table, and asks a database for the plain SQL answer over these tables.

Tables may be refreshed on the way. An answer sees one version of each: a boundary those that there were when it fired,
an instant those that there were before time came to it, a row that is answered by itself those of its arrival.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pyarrow as pa
from sqlglot import exp

from datacell.algebra import tree
from datacell.algebra.plan import Group, Map, Plan, Stream, Window
from datacell.algebra.query import Emission, Query, Timing
from datacell.algebra.schema import Field
from datacell.algebra.window import Fixed, Landmark, LandmarkRows, LatestBy, Now, Range, Rows, WindowSpec
from datacell.engines.arrow import arrow_type
from datacell.engines.protocol import Engine, run_once

Row = dict[str, Any]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FOREVER = 1 << 62


@dataclass(frozen=True)
class Feed:
    """A finite stream: its columns, its rows in arrival order, which column is the event time, the allowed lateness."""

    columns: tuple[Field, ...]
    rows: Sequence[Row]
    event_time: str
    lateness: int = 0

    def times(self) -> list[int]:
        return [micros(row[self.event_time]) for row in self.rows]


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
    _made: dict[Any, tuple[Window, Row]] = field(default_factory=dict)

    def answers(self, query: Query) -> list[Answer]:
        """The answers at each boundary, or for queries without SLIDE the snapshots at each instant of change."""
        if query.timing is Timing.EVERY_INSTANT:
            return list(self._snapshots(query))
        if query.timing in (Timing.ROW_BY_ROW, Timing.ONCE):
            return [Answer(0, self._of_each_row(query))]
        relations = self._by_rows(query) if query.timing is Timing.ARRIVALS else self._by_time(query)
        return _emitted(list(relations), query.emission)

    # Time windows

    def _by_time(self, query: Query) -> Iterator[tuple[int, Answer | None]]:
        """Law 4, 8, 9: (boundary, answer), or (boundary, None) where every window has become empty."""
        windows = tree.windows(query.plan)
        arrived = self._arrived(query)
        for boundary in _boundaries(windows, arrived):
            fired = _fired_after(boundary, arrived)
            contents = [self._content(w, boundary, arrived, fired[_stream(w)], windows) for w in windows]
            alive = [boundary <= _last_boundary(w.window, windows, arrived) for w in windows]
            if any(c and a for c, a in zip(contents, alive, strict=True)):
                tables = self._tables_after(max(fired.values()))
                yield boundary, Answer(boundary, self._answer(query.plan, contents, _instant(boundary), tables))
            elif not any(contents):
                yield boundary, None

    def _arrived(self, query: Query) -> dict[str, _Arrived]:
        """The rows of each stream with their event time and their place in the overall order of arrival."""
        streams = {s.name for s in tree.streams(query.plan)}
        order = self.arrivals or [name for name, feed in self.feeds.items() for _ in feed.rows]
        if self.arrivals is None and len(streams) > 1:
            order = [n for _, n in sorted((t, n) for n in sorted(streams) for t in _running_max(self.feeds[n].times()))]
        arrived = {name: _Arrived(self.feeds[name]) for name in sorted(streams)}
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
        boundaries = _boundaries(windows, arrived)
        found = []
        for name, stream in arrived.items():
            specs = [w.window for w in windows if _stream(w) == name]
            for place, time, row in zip(stream.places, stream.times, stream.feed.rows, strict=True):
                latest = [_first_boundary(spec, windows, time) for spec in specs if isinstance(spec, LatestBy)]
                others = [spec for spec in specs if not isinstance(spec, LatestBy)]
                seen = [b for b in boundaries if b in latest or any(_sees(spec, b, time) for spec in others)]
                if seen and which(place > _fired_after(b, arrived)[name] for b in seen):
                    found.append((name, row))
        return found

    def _content(
        self, node: Window, boundary: int, arrived: dict[str, _Arrived], last_place: int, windows: Sequence[Window]
    ) -> list[Row]:
        stream = arrived[_stream(node)]
        rows = list(zip(stream.feed.rows, stream.times, stream.places, strict=True))
        if not isinstance(node.window, LatestBy):
            return [row for row, time, place in rows if place <= last_place and _sees(node.window, boundary, time)]
        counted = []
        for row, time, place in rows:
            first = _first_boundary(node.window, windows, time)
            if place <= last_place and place <= _fired_after(first, arrived)[_stream(node)]:
                counted.append((row, time))
        shown = boundary if node.window.slide is None else boundary // node.window.slide * node.window.slide
        return [row for start, stop, row in self._latest(node, counted) if start <= shown - 1 < stop]

    # LATEST

    def _latest(self, node: Window, rows: Sequence[tuple[Row, int]]) -> list[tuple[int, int, Row]]:
        """Law 1: each row of these, in arrival order, with its validity: until the next row of its key."""
        window, found = node.window, []
        assert isinstance(window, LatestBy)
        values = [self._below(node, row) for row, _ in rows]
        for i, (row, time) in enumerate(rows):
            same = [j for j, other in enumerate(values) if all(other[k] == values[i][k] for k in window.keys)]
            later = [rows[j][1] for j in same if (rows[j][1], j) > (time, i)]
            if window.ends is None or not values[i][window.ends]:
                found.append((time, min(later, default=FOREVER), row))
        return found

    def _below(self, node: Window, row: Row) -> Row:
        """What stands below a window makes of a row alone."""
        key = (id(node), tuple(map(_hashable, row.values())))
        if key not in self._made:
            feed = self.feeds[_stream(node)]
            made = run_once(self.engine, node.child, {_stream(node): _table(feed.columns, [row])})
            self._made[key] = node, dict(zip(node.child.schema.names, map(_only, made.columns), strict=True))
        return self._made[key][1]

    # Row windows

    def _by_rows(self, query: Query) -> Iterator[tuple[int, Answer | None]]:
        """Law 6 and 7: boundary b is due when every stream has b rows."""
        windows = tree.windows(query.plan)
        most = min(len(self.feeds[s.name].rows) for s in tree.streams(query.plan))
        arrived = self._arrived(query)
        for number in range(1, most + 1):
            if not any(_is_row_boundary(w.window, number) for w in windows):
                continue
            contents = [_last_rows(w, _own_row_boundary(w.window, number), self.feeds[_stream(w)]) for w in windows]
            if any(contents):
                literal = exp.cast(exp.Literal.number(number), "bigint")
                tables = self._tables_after(max(stream.places[number - 1] for stream in arrived.values()))
                yield number, Answer(number, self._answer(query.plan, contents, literal, tables))

    # Every instant

    def _snapshots(self, query: Query) -> Iterator[Answer]:
        """Law 5: the snapshot at every instant at which a row begins or ceases to be valid.

        Where every window is empty there is no answer, as there is no boundary there (law 8).
        """
        windows = tree.windows(query.plan)
        valid = [self._validities(w, self.feeds[_stream(w)]) for w in windows]
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
            return self._latest(node, list(zip(feed.rows, feed.times(), strict=True)))
        return [(t, _valid_to(node.window, t), row) for t, row in zip(feed.times(), feed.rows, strict=True)]

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

    def _tables_after(self, place: int) -> Mapping[str, pa.Table]:
        """What a boundary sees that fires when the row of this place has come."""
        return _replaced(self.tables, [one for one in self.refreshes if one.after <= place])

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
        inputs = {name: _table(feed.columns, feed.rows) for name, feed in self.feeds.items()} | dict(
            self.tables if tables is None else tables
        )
        numbered = iter(range(len(contents)))

        def snapshot(node: Window) -> Plan:
            index = next(numbered)
            name = f"snapshot_{index}"
            inputs[name] = _table(self.feeds[_stream(node)].columns, contents[index])
            return tree.transform_up(node.child, lambda n: replace(n, name=name) if isinstance(n, Stream) else n)

        fixed = tree.at_boundary(_each_window(plan, snapshot), boundary)
        result = run_once(self.engine, fixed, inputs)
        return list(zip(*(map(_hashable, column.to_pylist()) for column in result.columns), strict=True))


@dataclass
class _Arrived:
    feed: Feed
    places: list[int] = field(default_factory=list)

    @property
    def times(self) -> list[int]:
        return self.feed.times()


def _replaced(tables: Mapping[str, pa.Table], refreshes: Sequence[Refreshed]) -> Mapping[str, pa.Table]:
    return {**tables, **{one.table: one.rows for one in refreshes}}


def micros(instant: datetime) -> int:
    return (instant - EPOCH) // timedelta(microseconds=1)


def _each_window(plan: Plan, change: Callable[[Window], Plan]) -> Plan:
    """Left to right: the order in which `tree.windows` lists them."""
    if isinstance(plan, Window):
        return change(plan)
    return plan.with_children([_each_window(child, change) for child in plan.children])


def _stream(window: Window) -> str:
    return tree.streams(window)[0].name


# The laws of time windows


def _valid_to(window: WindowSpec, time: int) -> int:
    match window:
        case Range(size=size):
            return time + size
        case Fixed(size=size) | Landmark(reset=int(size)):
            return (time // size + 1) * size
        case Now():
            return time + 1
    return FOREVER


def _sees(window: WindowSpec, boundary: int, time: int) -> bool:
    """Is a row of this time in the window that is shown at the boundary: valid at the last chronon before it?"""
    shown = boundary if window.slide is None else boundary // window.slide * window.slide
    since = micros(window.since) if isinstance(window, Landmark) and window.since is not None else -FOREVER
    return since <= time <= shown - 1 < _valid_to(window, time)


def _first_boundary(window: WindowSpec, windows: Sequence[Window], time: int) -> int:
    """The first boundary after a time that the window has: its own, or those of the others if it has none."""
    slides = [window.slide] if window.slide is not None else [w.window.slide for w in windows]
    return min((time // slide + 1) * slide for slide in slides if slide is not None)


def _fired_after(boundary: int, arrived: dict[str, _Arrived]) -> dict[str, int]:
    """The place of the last row that came before the boundary fired: when the least watermark reached it."""
    reached = []
    for stream in arrived.values():
        watermarks = [t - stream.feed.lateness for t in _running_max(stream.times)]
        places = [p for p, w in zip(stream.places, watermarks, strict=True) if w >= boundary]
        reached.append(places[0] if places else FOREVER)
    return dict.fromkeys(arrived, max(reached, default=FOREVER))


def _running_max(times: Sequence[int]) -> list[int]:
    return [max(times[: i + 1]) for i in range(len(times))]


def _boundaries(windows: Sequence[Window], arrived: dict[str, _Arrived]) -> list[int]:
    """Every multiple of every slide from the first row until all windows are empty for good."""
    times = [t for stream in arrived.values() for t in stream.times]
    if not times:
        return []
    slides = {w.window.slide for w in windows if w.window.slide is not None}
    sizes = [_valid_to(w.window, max(times)) for w in windows]
    last = max([s for s in sizes if s < FOREVER] + [max(times)]) + 2 * max(slides)
    return sorted({k * s for s in slides for k in range(min(times) // s, last // s + 1)})


def _last_boundary(window: WindowSpec, windows: Sequence[Window], arrived: dict[str, _Arrived]) -> int:
    """A window that never empties is asked up to the first boundary past the last row."""
    if _valid_to(window, 0) < FOREVER:
        return FOREVER
    last = max(t for stream in arrived.values() for t in stream.times)
    slides = [window.slide] if window.slide is not None else [w.window.slide for w in windows]
    return min((last // slide + 1) * slide for slide in slides if slide is not None)


def _instant(boundary: int) -> exp.Expr:
    text = (EPOCH + timedelta(microseconds=boundary)).strftime("%Y-%m-%d %H:%M:%S.%f")
    return exp.cast(exp.Literal.string(text), "timestamp")


# The laws of row windows


def _is_row_boundary(window: WindowSpec, number: int) -> bool:
    return number == _own_row_boundary(window, number)


def _own_row_boundary(window: WindowSpec, number: int) -> int:
    """The latest boundary of the window itself that is not after this number; 0 if there is none."""
    match window:
        case Rows(count=n, slide=m, partition=()):
            return 0 if number < n else number - (number - n) % m
        case Rows(slide=m) | LandmarkRows(slide=m):
            return number - number % m
    raise AssertionError(window)


def _last_rows(node: Window, boundary: int, feed: Feed) -> list[Row]:
    seen = list(feed.rows[:boundary])
    match node.window:
        case Rows(count=n, partition=()):
            return seen[-n:] if boundary else []
        case Rows(count=n, partition=keys):
            names = [_stream_column(node.child, key) for key in keys]
            return [r for i, r in enumerate(seen) if sum(all(s[k] == r[k] for k in names) for s in seen[i + 1 :]) < n]
        case LandmarkRows(since=since):
            return [r for r in seen if since is None or r[feed.event_time] >= since]
    raise AssertionError(node)


def _stream_column(plan: Plan, name: str) -> str:
    """The stream's own name of a column; below a row window there are only maps and groups."""
    match plan:
        case Stream(columns=columns):
            return columns[plan.schema.names.index(name)].name
        case Map(child, columns):
            return _stream_column(child, next(c.value.name for c in columns if c.name == name))
        case Group(child):
            return _stream_column(child, name)
    raise AssertionError(f"{plan.head()} below a row window")


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


def _table(columns: Sequence[Field], rows: Sequence[Row]) -> pa.Table:
    arrays = {f.name: pa.array([row[f.name] for row in rows], arrow_type(f.type)) for f in columns}
    return pa.table(arrays)


def _only(column: pa.ChunkedArray) -> Any:
    (value,) = column.to_pylist()
    return value


def _hashable(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    return tuple(sorted(value.items())) if isinstance(value, dict) else value
