"""What a query keeps between runs, at which home, and what it needs of its streams in the driver.

Rows of a stream come on the cluster. What is kept has its home in the driver as long as it fits there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from datacell.algebra import tree
from datacell.algebra.query import Query, Timing
from datacell.algebra.schema import Schema
from datacell.placement.homes import DRIVER_MEMORY, Home, kept_at, megabytes, row_bytes
from datacell.placement.operators import Source
from datacell.placement.sizes import Sizes
from datacell.placement.statistics import Statistics

NUMBERED = "rows are numbered in the driver: row windows count arrivals in one order"
RAW = "windows are evaluated again over raw rows, which the driver keeps"


@dataclass(frozen=True)
class Keeping:
    """What a query keeps between runs: at which home, how many bytes, and why there."""

    name: str
    home: Home
    bytes: float
    why: str
    relation: int | None = None
    """Its number, unless it is the basket of a stream."""


@dataclass(frozen=True)
class Intake:
    """Raw rows of a stream that a query needs in the driver as they come."""

    stream: str
    rows: Source
    why: str


@dataclass(frozen=True)
class Room:
    """What homes go by: bytes of a relation that the driver takes, and streams whose rows come from the driver."""

    memory: float = DRIVER_MEMORY
    fed: frozenset[str] = frozenset()

    def arrival(self, stream: str) -> Home:
        """Where rows of a stream are when they come: a receptor has them on the cluster."""
        return Home.DRIVER if stream.lower() in self.fed else Home.CLUSTER

    def keeping(self, name: str, size: float, relation: int | None = None, in_driver: str | None = None) -> Keeping:
        """`in_driver` says why it is kept there, however large it is."""
        if in_driver is not None:
            return Keeping(name, Home.DRIVER, size, f"in the driver, {megabytes(size)}: {in_driver}", relation)
        home, why = kept_at(size, self.memory)
        return Keeping(name, home, size, why, relation)


def baskets(query: Query, sizes: Sizes, room: Room) -> dict[str, Keeping]:
    """The baskets that windows are evaluated over, by stream: as much as the longest window shows."""
    found: dict[str, float] = {}
    for window in tree.windows(query.plan):
        stream = tree.stream_of(window)
        size = sizes.stream_rows(window) * _row_bytes(query, stream)
        found[stream] = max(size, found.get(stream, 0.0))
    return {stream: room.keeping(f"basket {stream}", size) for stream, size in found.items()}


def raw_intakes(query: Query, kept: Mapping[str, Keeping], known: Statistics, room: Room) -> Iterator[Intake]:
    """Of streams whose windows are evaluated again."""
    for stream, basket in kept.items():
        if is_numbered(query):
            yield from _intake(query, stream, NUMBERED, known, room)
        elif basket.home is Home.DRIVER:
            yield from _intake(query, stream, RAW, known, room)


def sliced_intakes(query: Query, streams: Iterable[str], known: Statistics, room: Room) -> Iterator[Intake]:
    """Of streams that are kept by slice."""
    if is_numbered(query):
        for stream in streams:
            yield from _intake(query, stream, NUMBERED, known, room)


def is_numbered(query: Query) -> bool:
    """Are rows told apart by their arrival numbers? These are given in one order, so in one place."""
    return query.timing is Timing.ARRIVALS


def _intake(query: Query, stream: str, why: str, known: Statistics, room: Room) -> Iterator[Intake]:
    home = room.arrival(stream)
    if home is Home.CLUSTER:
        yield Intake(stream, Source(stream, known.rate(stream), _row_bytes(query, stream), home), why)


def _row_bytes(query: Query, stream: str) -> float:
    """Of the columns of a stream that a query reads."""
    read = {f.name: f for s in tree.streams(query.plan) if s.name == stream for f in s.columns}
    return row_bytes(Schema(tuple(read.values())))
