"""One exception tree: what is wrong, where, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a text: what a caret points at."""

    text: str
    start: int
    end: int
    file: str = "<sql>"

    @property
    def line(self) -> int:
        return self.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        return self.start - self._line_start() + 1

    def show(self) -> str:
        """The line of the text with carets under the stretch; a very long line is cut around it."""
        begin = self._line_start()
        stop = self.text.find("\n", begin)
        line = self.text[begin:] if stop < 0 else self.text[begin:stop]
        offset = self.start - begin
        first = max(0, offset - 60)
        shown = line[first : first + 120].replace("\t", " ").rstrip("\r")
        width = max(1, min(self.end, begin + len(line)) - self.start)
        carets = "^" * min(width, max(1, len(shown) - (offset - first)))
        margin = " " * len(str(self.line))
        return (
            f"{margin}--> {self.file}:{self.line}:{self.column}\n"
            f"{margin} |\n"
            f"{self.line} | {shown}\n"
            f"{margin} | {' ' * (offset - first)}{carets}"
        )

    def _line_start(self) -> int:
        return self.text.rfind("\n", 0, self.start) + 1


class DataCellError(Exception):
    """Everything this package raises on purpose."""

    def __init__(self, message: str, *, place: Place | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.place, self.hint = message, place, hint

    def __str__(self) -> str:
        parts = [self.message]
        if self.place is not None:
            parts.append(self.place.show())
        if self.hint:
            parts.append(f"hint: {self.hint}")
        return "\n".join(parts)


class SqlError(DataCellError):
    """A mistake in a script or a query."""


class PlanError(DataCellError):
    """A plan that breaks an invariant: a defect of ours, never of the user."""


class EngineError(DataCellError):
    """An engine refused or failed to run a fragment."""


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint that names the closest known spelling, or lists what there is."""
    choices = sorted(set(known))
    lower = {choice.lower(): choice for choice in choices}
    close = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.6)
    if close:
        return f"did you mean {lower[close[0]]}?"
    if not choices:
        return None
    shown = ", ".join(choices[:8])
    return f"there is: {shown}" + (", …" if len(choices) > 8 else "")
