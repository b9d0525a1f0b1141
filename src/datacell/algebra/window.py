"""Windows: what a query sees of a stream at an instant.

Laws. A time window gives every row a validity ``[ts, te)``:

=============  =====================================================  ====================================
window         te                                                     content at boundary τ
=============  =====================================================  ====================================
Range(r)       ts + r                                                 ts ∈ [τ - r, τ)
Fixed(r)       the next multiple of r after ts                        ts ∈ [start of τ's section, τ)
Now            ts + 1 chronon                                         ts = τ - 1 chronon
Unbounded      ∞                                                      ts < τ
Landmark       ∞, or with RESET EVERY r the next multiple of r        ts ∈ [landmark, τ)
LatestBy(k)    the timestamp of the next row of the same k, or ∞      of each k the last row with ts < τ
=============  =====================================================  ====================================

Under *LATEST* the rows of one k are ordered by timestamp, those of one timestamp by arrival: of these only the last has
a validity that is not empty. A row for which DELETE WHEN holds is itself never valid, it only ends its predecessor. A
row that comes when a boundary after its timestamp has fired is late for the query, and lost for it.

*Sessions.* Under ``SESSION g PARTITION BY k`` the rows of one k are cut wherever two neighbours in time are g or more
apart. A session is answered once, by itself, when the watermark has reached its end: its ``window_start`` is its first
timestamp, its ``window_end`` the last one + g, and that is its boundary. A row that comes when the watermark has passed
its timestamp is late and lost; any other joins what it bridges. A query has at most one session window.

*Sampling.* ``SLIDE s`` asks for the answer only at boundaries τ = k·s, aligned to the epoch; the content of τ is the
snapshot at the last chronon before τ. No SLIDE asks for the answer at every instant.

*Row windows* count arrivals: ``ROWS n SLIDE m`` is evaluated at arrival numbers n, n+m, n+2m, … over the last n rows;
``PARTITION BY k ROWS n SLIDE m`` at m, 2m, … over the last n rows of each k. Windows come before filters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from datacell.algebra import duration
from datacell.errors import PlanError


@dataclass(frozen=True, slots=True)
class Range:
    """The rows of the last `size` of time."""

    size: int
    slide: int | None = None

    def __post_init__(self) -> None:
        _require_positive(size=self.size, slide=self.slide)

    def __str__(self) -> str:
        return f"range {duration.show(self.size)}" + _slide(self.slide)


@dataclass(frozen=True, slots=True)
class Fixed:
    """The rows of the present section of time; sections are `size` long and aligned to the epoch."""

    size: int
    slide: int | None = None

    def __post_init__(self) -> None:
        _require_positive(size=self.size, slide=self.slide)

    def __str__(self) -> str:
        return f"fixed {duration.show(self.size)}" + _slide(self.slide)


@dataclass(frozen=True, slots=True)
class Now:
    """The rows of this very chronon."""

    slide: None = None

    def __str__(self) -> str:
        return "now"


@dataclass(frozen=True, slots=True)
class Unbounded:
    """Every row so far."""

    slide: None = None

    def __str__(self) -> str:
        return "unbounded"


@dataclass(frozen=True, slots=True)
class Landmark:
    """Every row since the landmark: `since`, or the stream's start, or with `reset` the last multiple of it."""

    slide: int
    since: datetime | None = None
    reset: int | None = None

    def __post_init__(self) -> None:
        _require_positive(slide=self.slide, reset=self.reset)
        _require_aware(self.since)

    def __str__(self) -> str:
        since = f" from {self.since.isoformat()}" if self.since else ""
        reset = f" reset every {duration.show(self.reset)}" if self.reset else ""
        return f"landmark{since}{_slide(self.slide)}{reset}"


@dataclass(frozen=True, slots=True)
class LatestBy:
    """Of each key its last row by time, until the next one; one whose column `ends` is true only ends the key."""

    keys: tuple[str, ...]
    ends: str | None = None
    slide: int | None = None

    def __post_init__(self) -> None:
        if not self.keys:
            raise PlanError("a LATEST window needs a key")
        _require_positive(slide=self.slide)

    def __str__(self) -> str:
        ends = "" if self.ends is None else f" delete when {self.ends}"
        return f"latest by {', '.join(self.keys)}{ends}{_slide(self.slide)}"


@dataclass(frozen=True, slots=True)
class Session:
    """The rows of a key that follow each other in less than `gap`; each session is a snapshot of its own."""

    gap: int
    keys: tuple[str, ...] = ()
    slide: None = None

    def __post_init__(self) -> None:
        _require_positive(gap=self.gap)

    def __str__(self) -> str:
        keys = f" partition by {', '.join(self.keys)}" if self.keys else ""
        return f"session {duration.show(self.gap)}{keys}"


@dataclass(frozen=True, slots=True)
class Rows:
    """The last `count` rows, of each `partition` if there is one, every `slide` arrivals."""

    count: int
    slide: int = 1
    partition: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _require_positive(count=self.count, slide=self.slide)

    def __str__(self) -> str:
        partition = f"partition by {', '.join(self.partition)} " if self.partition else ""
        return f"{partition}rows {self.count} slide {self.slide}"


@dataclass(frozen=True, slots=True)
class LandmarkRows:
    """Every row since the landmark, every `slide` arrivals."""

    slide: int
    since: datetime | None = None

    def __post_init__(self) -> None:
        _require_positive(slide=self.slide)
        _require_aware(self.since)

    def __str__(self) -> str:
        since = f" from {self.since.isoformat()}" if self.since else ""
        return f"landmark{since} slide {self.slide} rows"


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

TimeWindow = Range | Fixed | Now | Unbounded | Landmark | LatestBy | Session
RowWindow = Rows | LandmarkRows
WindowSpec = TimeWindow | RowWindow


def micros(instant: datetime) -> int:
    """An instant as microseconds since the epoch."""
    return (instant - _EPOCH) // timedelta(microseconds=1)


def instant_text(instant: int) -> str:
    """Microseconds since the epoch, as people write an instant."""
    return (_EPOCH + timedelta(microseconds=instant)).isoformat(" ")


def columns_read(window: WindowSpec) -> tuple[str, ...]:
    """The columns by which a window tells rows apart."""
    match window:
        case Rows(partition=keys) | Session(keys=keys):
            return keys
        case LatestBy(keys=keys, ends=ends):
            return keys if ends is None else (*keys, ends)
    return ()


def renamed(window: WindowSpec, names: Mapping[str, str]) -> WindowSpec:
    """The window over the same rows, whose columns have other names."""
    match window:
        case Rows(partition=keys):
            return replace(window, partition=tuple(names[k] for k in keys))
        case Session(keys=keys):
            return replace(window, keys=tuple(dict.fromkeys(names[k] for k in keys)))
        case LatestBy(keys=keys, ends=ends):
            return replace(window, keys=tuple(names[k] for k in keys), ends=None if ends is None else names[ends])
    return window


def is_keyed(window: WindowSpec) -> bool:
    """Does it depend on other rows of its key until when a row is valid?"""
    return isinstance(window, LatestBy | Session)


def counts_rows(window: WindowSpec) -> bool:
    return isinstance(window, Rows | LandmarkRows)


def is_sampled(window: WindowSpec) -> bool:
    """Does the window have boundaries of its own?"""
    return window.slide is not None or isinstance(window, Session)


def _slide(slide: int | None) -> str:
    return "" if slide is None else f" slide {duration.show(slide)}"


def _require_positive(**lengths: int | None) -> None:
    for name, length in lengths.items():
        if length is not None and length <= 0:
            raise PlanError(f"a window's {name} must be positive, not {length}")


def _require_aware(since: datetime | None) -> None:
    if since is not None and since.tzinfo is None:
        raise PlanError("a landmark needs an instant with a time zone")
