"""The laws of windows, as the reference evaluator takes them: which rows of a finite stream are valid when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
from sqlglot import exp

from datacell.algebra import tree
from datacell.algebra.plan import Group, Map, Plan, Stream, Window
from datacell.algebra.schema import Field
from datacell.algebra.window import Fixed, Landmark, LandmarkRows, LatestBy, Now, Range, Rows, Session, WindowSpec
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


@dataclass
class Arrived:
    feed: Feed
    places: list[int] = field(default_factory=list)

    @property
    def times(self) -> list[int]:
        return self.feed.times()


def micros(instant: datetime) -> int:
    return (instant - EPOCH) // timedelta(microseconds=1)


def stream_of(window: Window) -> str:
    return tree.streams(window)[0].name


# The laws of time windows


def valid_to(window: WindowSpec, time: int) -> int:
    match window:
        case Range(size=size):
            return time + size
        case Fixed(size=size) | Landmark(reset=int(size)):
            return (time // size + 1) * size
        case Now():
            return time + 1
    return FOREVER


def sees(window: WindowSpec, boundary: int, time: int) -> bool:
    """Is a row of this time in the window that is shown at the boundary: valid at the last chronon before it?"""
    shown = boundary if window.slide is None else boundary // window.slide * window.slide
    since = micros(window.since) if isinstance(window, Landmark) and window.since is not None else -FOREVER
    return since <= time <= shown - 1 < valid_to(window, time)


def first_boundary(window: WindowSpec, windows: Sequence[Window], time: int) -> int:
    """The first boundary after a time that the window has: its own, or those of the others if it has none."""
    slides = [window.slide] if window.slide is not None else [w.window.slide for w in windows]
    return min((time // slide + 1) * slide for slide in slides if slide is not None)


def fired_after(boundary: int, arrived: dict[str, Arrived]) -> dict[str, int]:
    """The place of the last row that came before the boundary fired: when the least watermark reached it."""
    reached = []
    for stream in arrived.values():
        watermarks = [t - stream.feed.lateness for t in running_max(stream.times)]
        places = [p for p, w in zip(stream.places, watermarks, strict=True) if w >= boundary]
        reached.append(places[0] if places else FOREVER)
    return dict.fromkeys(arrived, max(reached, default=FOREVER))


def running_max(times: Sequence[int]) -> list[int]:
    return [max(times[: i + 1]) for i in range(len(times))]


def boundaries_of(windows: Sequence[Window], arrived: dict[str, Arrived]) -> list[int]:
    """Every multiple of every slide from the first row until all windows are empty for good."""
    times = [t for stream in arrived.values() for t in stream.times]
    if not times:
        return []
    slides = {w.window.slide for w in windows if w.window.slide is not None}
    sizes = [valid_to(w.window, max(times)) for w in windows]
    last = max([s for s in sizes if s < FOREVER] + [max(times)]) + 2 * max(slides)
    return sorted({k * s for s in slides for k in range(min(times) // s, last // s + 1)})


def last_boundary(window: WindowSpec, windows: Sequence[Window], arrived: dict[str, Arrived]) -> int:
    """A window that never empties is asked up to the first boundary past the last row."""
    if valid_to(window, 0) < FOREVER:
        return FOREVER
    last = max(t for stream in arrived.values() for t in stream.times)
    slides = [window.slide] if window.slide is not None else [w.window.slide for w in windows]
    return min((last // slide + 1) * slide for slide in slides if slide is not None)


def as_literal(boundary: int) -> exp.Expr:
    text = (EPOCH + timedelta(microseconds=boundary)).strftime("%Y-%m-%d %H:%M:%S.%f")
    return exp.cast(exp.Literal.string(text), "timestamp")


# The laws of row windows


def is_row_boundary(window: WindowSpec, number: int) -> bool:
    return number == own_row_boundary(window, number)


def own_row_boundary(window: WindowSpec, number: int) -> int:
    """The latest boundary of the window itself that is not after this number; 0 if there is none."""
    match window:
        case Rows(count=n, slide=m, partition=()):
            return 0 if number < n else number - (number - n) % m
        case Rows(slide=m) | LandmarkRows(slide=m):
            return number - number % m
    raise AssertionError(window)


def last_rows(node: Window, boundary: int, feed: Feed) -> list[Row]:
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


# Sessions, and LATEST


def lost_for_sessions(feed: Feed) -> list[bool]:
    """Had the watermark passed a row's time when it came?"""
    watermarks = [-FOREVER, *(latest - feed.lateness for latest in running_max(feed.times()))]
    return [time < watermark for time, watermark in zip(feed.times(), watermarks, strict=False)]


@dataclass
class Latest:
    """Law 1 of LATEST windows; what stands below a window is asked of a database, row by row, once."""

    engine: Engine
    _made: dict[Any, tuple[Window, Row]] = field(default_factory=dict)

    def validities(self, node: Window, feed: Feed, rows: Sequence[tuple[Row, int]]) -> list[tuple[int, int, Row]]:
        """Each of these rows, in arrival order, with its validity: until the next row of its key."""
        window, found = node.window, []
        assert isinstance(window, LatestBy)
        values = [self.below(node, feed, row) for row, _ in rows]
        for i, (row, time) in enumerate(rows):
            same = [j for j, other in enumerate(values) if all(other[k] == values[i][k] for k in window.keys)]
            later = [rows[j][1] for j in same if (rows[j][1], j) > (time, i)]
            if window.ends is None or not values[i][window.ends]:
                found.append((time, min(later, default=FOREVER), row))
        return found

    def sessions(self, node: Window, feed: Feed, lost: Sequence[bool]) -> list[tuple[int, int, list[Row]]]:
        """The sessions of a feed: when each begins, when it ends, and its rows."""
        window, found = node.window, list[tuple[int, int, list[Row]]]()
        assert isinstance(window, Session)
        groups: dict[Any, list[tuple[int, Row]]] = {}
        for row, time, is_lost in zip(feed.rows, feed.times(), lost, strict=True):
            made = self.below(node, feed, row)
            if not is_lost:
                groups.setdefault(tuple(hashable(made[k]) for k in window.keys), []).append((time, row))
        for rows in groups.values():
            rows.sort(key=lambda one: one[0])
            runs: list[list[tuple[int, Row]]] = []
            for time, row in rows:
                if not runs or time - runs[-1][-1][0] >= window.gap:
                    runs.append([])
                runs[-1].append((time, row))
            found += [(run[0][0], run[-1][0] + window.gap, [row for _, row in run]) for run in runs]
        return sorted(found, key=lambda one: one[:2])

    def below(self, node: Window, feed: Feed, row: Row) -> Row:
        """What stands below a window makes of a row alone."""
        key = (id(node), tuple(map(hashable, row.values())))
        if key not in self._made:
            made = run_once(self.engine, node.child, {stream_of(node): table_of(feed.columns, [row])})
            self._made[key] = (
                node,
                {name: c.to_pylist()[0] for name, c in zip(made.column_names, made.columns, strict=True)},
            )
        return self._made[key][1]


def table_of(columns: Sequence[Field], rows: Sequence[Row]) -> pa.Table:
    arrays = {f.name: pa.array([row[f.name] for row in rows], arrow_type(f.type)) for f in columns}
    return pa.table(arrays)


def hashable(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(hashable, value))
    return tuple(sorted(value.items())) if isinstance(value, dict) else value
