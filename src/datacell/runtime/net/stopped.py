"""A query that has failed: it is stopped, and keeps its state and its place in the input.

What it has not seen yet stays in the baskets, so when it is started again it answers as if it had never been stopped.
That is bounded: a query for which too much would have to be kept loses its place, and then it can only be dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from datacell.errors import DataCellError, EngineError, Place, in_backticks
from datacell.runtime.storage import files
from datacell.runtime.streams.basket import Basket

MOST_KEPT = 1 << 30
"""Bytes of a basket that are kept for a query that is stopped."""

_LOST = "lost.json"


@dataclass(frozen=True)
class Stopped:
    """Why a query has stopped, and from which row of each stream on everything is kept for it."""

    reason: str
    hint: str
    kept_from: Mapping[str, int]
    place: Place | None = None

    @property
    def is_lost(self) -> bool:
        """Has it lost its place in the input?"""
        return not self.kept_from

    def error(self, query: str) -> EngineError:
        """What is raised where somebody waits for the query."""
        return EngineError(f"continuous query {query} has stopped: {self.reason}", place=self.place, hint=self.hint)


def stopped(query: str, error: Exception, baskets: Mapping[str, Basket], place: Place | None) -> Stopped:
    """All that is in the baskets now is kept, and all that comes."""
    kept_from = {name: _first_row(basket) for name, basket in baskets.items()}
    name = in_backticks(query) if not query.isidentifier() else query
    return Stopped(
        _told(error).removeprefix(f"{query}, "),
        f"RESTART CONTINUOUS QUERY {name} tries again; the others go on",
        kept_from,
        place,
    )


def lost(before: Stopped, query: str, directory: Path) -> Stopped:
    """Too much came since: its place in the input is given up, for good."""
    name = in_backticks(query) if not query.isidentifier() else query
    after = replace(
        before,
        reason=f"{before.reason}; since then more came than is kept for it",
        hint=f"DROP CONTINUOUS QUERY {name}, then create it again: it begins with what comes then",
        kept_from={},
    )
    files.write_json(directory / _LOST, [after.reason, after.hint])
    return after


def lost_before(directory: Path) -> Stopped | None:
    """A query that has lost its place stays stopped, also in another run."""
    path = directory / _LOST
    if not path.exists():
        return None
    reason, hint = files.read_json(path)
    return Stopped(reason, hint, {})


def _first_row(basket: Basket) -> int:
    return next((batch.first for batch in basket.batches), basket.progress.rows + 1)


def _told(error: Exception) -> str:
    """Never empty, never a page."""
    text = error.message if isinstance(error, DataCellError) else f"{type(error).__name__}: {error}"
    return next((line.strip() for line in text.splitlines() if line.strip()), type(error).__name__)[:500]
