"""The windows of a query, each over its stream, and what their positions count: time, or arrival numbers."""

from __future__ import annotations

from dataclasses import dataclass

from datacell.algebra import tree
from datacell.algebra.positions import FOREVER
from datacell.algebra.query import Query, Timing
from datacell.algebra.window import WindowSpec, is_keyed
from datacell.incremental import boundaries
from datacell.runtime.streams.batch import Axis


@dataclass(frozen=True)
class QueryWindows:
    """In the order in which the plan has them."""

    specs: tuple[WindowSpec, ...]
    streams: tuple[str, ...]
    axis: Axis

    @classmethod
    def of(cls, query: Query) -> QueryWindows:
        found = tree.windows(query.plan)
        axis = Axis.NUMBER if query.timing is Timing.ARRIVALS else Axis.TIME
        return cls(tuple(w.window for w in found), tuple(map(tree.stream_of, found)), axis)

    @property
    def slides(self) -> tuple[int, ...]:
        """A boundary of the query is a multiple of one of them."""
        return tuple(sorted({spec.slide for spec in self.specs if spec.slide is not None}))

    def over(self, stream: str) -> list[WindowSpec]:
        return [spec for spec, name in zip(self.specs, self.streams, strict=True) if name == stream]

    def oldest_needed(self, stream: str, boundary: int) -> int | None:
        """The oldest position of a stream that some window may show after this boundary.

        None if that is kept in another way.
        """
        first = 0 if self.axis is Axis.NUMBER else -FOREVER
        needed = [
            boundaries.oldest_needed(spec, max(boundary, first)) for spec in self.over(stream) if not is_keyed(spec)
        ]
        return min(needed, default=None)
