"""The driver's memory as a constraint: of what is kept, as much may be in the driver as was set."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import pyarrow as pa

from datacell.algebra.schema import Schema
from datacell.engines.arrow import fields_of
from datacell.placement import homes


class DriverMemory:
    """Who holds how much. What would not fit has its home on the cluster."""

    def __init__(self, limit: int = homes.DRIVER_MEMORY) -> None:
        self.limit = limit
        self._held: WeakKeyDictionary[object, float] = WeakKeyDictionary()

    def holds(self, who: object, bytes_: float) -> None:
        self._held[who] = bytes_

    def takes(self, who: object, bytes_: float) -> bool:
        """Somebody holds so much from now on: does it fit beside what the others do?"""
        self.holds(who, bytes_)
        return self.has_room_for(who, bytes_)

    def has_room_for(self, who: object, bytes_: float) -> bool:
        """Could somebody hold so much, beside what the others do?"""
        return bytes_ + sum(held for other, held in list(self._held.items()) if other is not who) <= self.limit


def row_bytes(schema: pa.Schema) -> float:
    """About what a row takes in Arrow."""
    return homes.row_bytes(Schema(fields_of(schema)))
