"""Homes: where the rows of a relation are.

On the *cluster* they are Spark's: the frame of a micro-batch while that lasts, and files that executors have written.
In the *driver* they are an Arrow table. An operator reads its inputs at the home of its engine and leaves its result
there. Only a transfer moves rows from one home to the other, and a transfer costs by the row and by the byte.

What does not fit the driver's memory has its home on the cluster.
"""

from __future__ import annotations

from enum import Enum

from datacell.algebra.schema import Schema
from datacell.algebra.types import Type

DRIVER_MEMORY = 256 << 20
"""Bytes that the driver keeps. A driver usually has a few gigabytes, and besides the rows it needs several times as
much for what it combines them into."""


class Home(Enum):
    """Where the rows of a relation are; only a transfer moves them."""

    CLUSTER = "cluster"
    DRIVER = "driver"


_WIDTHS = {
    "boolean": 1.0,
    "tinyint": 1.0,
    "smallint": 2.0,
    "int": 4.0,
    "float": 4.0,
    "date": 4.0,
    "decimal": 16.0,
    "string": 20.0,
    "binary": 20.0,
    "variant": 40.0,
    "void": 1.0,
}
_WIDTH, _ELEMENTS = 8.0, 5.0
"""Bytes of a value of any other type, and elements of an array or a map: nothing is known of them."""


def row_bytes(schema: Schema) -> float:
    """About how many bytes a row takes as Arrow, by the types alone."""
    return sum(map(_bytes, schema.types))


def megabytes(size: float) -> str:
    """``340 B``, ``1.2 kB``, ``56 MB``, ``12 GB``: two digits suffice for what is predicted."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.0f} {unit}" if size >= 9.95 or unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.0f} TB"


def kept_at(size: float, memory: float) -> tuple[Home, str]:
    """The home of a relation of so many bytes, and why there."""
    if size <= memory:
        return Home.DRIVER, f"in the driver, {megabytes(size)}"
    return Home.CLUSTER, f"on the cluster: {megabytes(size)} would not fit into {megabytes(memory)}"


def _bytes(t: Type) -> float:
    inner = sum(map(_bytes, t.arguments))
    match t.name:
        case "struct":
            return inner
        case "array" | "map":
            return _ELEMENTS * inner
    return _WIDTHS.get(t.name, _WIDTH)
