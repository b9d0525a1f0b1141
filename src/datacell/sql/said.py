"""What a database has said of texts: of texts that differ in nothing that matters to it, it is asked once."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from datacell.algebra.types import Type

MOST = 1_000

Columns = tuple[tuple[str, Type], ...] | None
"""With their types; None if it does not understand a text."""


class Said:
    """The columns of texts, by what they have in common."""

    def __init__(self) -> None:
        self._columns: dict[Hashable, Columns] = {}

    def of(self, words: Hashable, ask: Callable[[], Columns]) -> Columns:
        """What was said of them before, or is said now."""
        if words not in self._columns:
            found = ask()
            if len(self._columns) >= MOST:
                self._columns.clear()
            self._columns[words] = found
        return self._columns[words]
