"""The driver's memory as a constraint: of what is kept, as much may be in the driver as was set."""

from __future__ import annotations

import pyarrow as pa

DRIVER_MEMORY = 256 << 20
"""Bytes of kept relations in the driver, of all queries together: what a small machine has to spare beside Spark."""

_TEXT = 20
"""Bytes of a value whose type does not tell."""


class DriverMemory:
    """Who holds how much. What would not fit has its home on the cluster."""

    def __init__(self, limit: int = DRIVER_MEMORY) -> None:
        self.limit = limit
        self._held: dict[int, int] = {}

    def holds(self, who: object, bytes_: int) -> None:
        self._held[id(who)] = bytes_

    def has_room_for(self, who: object, bytes_: float) -> bool:
        """Could somebody hold so much, beside what the others do?"""
        return bytes_ + sum(held for other, held in self._held.items() if other != id(who)) <= self.limit


def row_bytes(schema: pa.Schema) -> int:
    """About what a row takes in Arrow."""
    return sum(_bytes(field.type) for field in schema)


def _bytes(kind: pa.DataType) -> int:
    try:
        return max(1, int(kind.bit_width) // 8)
    except ValueError:
        return _TEXT
