"""Continuous SQL over windows of streams, on Spark.

::

    import datacell

    cell = datacell.connect(checkpoint="state/")
    cell.sql("CREATE STREAM plugs (ts TIMESTAMP, plug INT, value DOUBLE, WATERMARK FOR ts AS ts) WITH (...)")
    hot = cell.query("SELECT plug, max(value) AS top FROM plugs [RANGE 5 MINUTES SLIDE 1 SECOND] GROUP BY plug")
    for result in hot.results():
        print(result.to_pandas())
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datacell.cell.cell import Cell, connect
    from datacell.cell.result import Result
    from datacell.cell.running_query import RunningQuery

__all__ = ["Cell", "Result", "RunningQuery", "connect"]


def __getattr__(name: str) -> Any:
    """Spark is imported only when it is needed: `datacell explain` does without."""
    if name in __all__:
        from datacell import cell

        return getattr(cell, name)
    raise AttributeError(f"module 'datacell' has no attribute {name!r}")
