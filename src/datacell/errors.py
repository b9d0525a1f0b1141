"""One exception tree: what is wrong, where, and what to do about it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

from datacell.plain_text import harmless, without_secrets

LONGEST_LINE = 120
"""Of a longer line only the part around the mistake is shown."""

_BEFORE = 500
"""Characters before a line in which it may stand what the line goes on with."""


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
        line = self._without_secrets(begin, len(self.text) if stop < 0 else stop)
        offset = self.start - begin
        first = 0 if len(line) <= LONGEST_LINE else max(0, offset - LONGEST_LINE // 2)
        shown = _printable(line[first : first + LONGEST_LINE]).rstrip()
        before, under = shown[: offset - first], shown[offset - first : min(self.end - begin, len(line)) - first]
        number = str(self.line)
        margin = " " * len(number)
        return (
            f"{margin}--> {harmless(self.file)}:{number}:{self.column}\n"
            f"{margin} |\n"
            f"{number} | {shown}\n"
            f"{margin} | {' ' * _width(before)}{'^' * max(1, _width(under))}"
        )

    def _line_start(self) -> int:
        return self.text.rfind("\n", 0, self.start) + 1

    def _without_secrets(self, begin: int, stop: int) -> str:
        """A stretch with as many stars for the secrets in it; an option's name may stand a line above."""
        first = max(0, begin - _BEFORE)
        return without_secrets(self.text[first:stop])[begin - first :]


def _printable(text: str) -> str:
    """Tabs and control characters as one blank each, so that carets stand where they should."""
    return "".join(c if c.isprintable() else " " for c in text)


def _width(text: str) -> int:
    """The columns that a terminal gives a text: two for a wide character, none for a combining one."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


class DataCellError(Exception):
    """Everything this package raises on purpose. Whatever made it, it says no secrets and nothing a terminal obeys."""

    def __init__(self, message: str, *, place: Place | None = None, hint: str | None = None) -> None:
        self.message = harmless(without_secrets(message))
        super().__init__(self.message)
        self.place, self.hint = place, None if hint is None else harmless(without_secrets(hint))

    def __str__(self) -> str:
        parts = [self.message]
        if self.place is not None:
            parts.append(self.place.show())
        if self.hint:
            parts.append(f"hint: {self.hint}")
        return "\n".join(parts)


class SqlError(DataCellError):
    """A mistake in a script or a query."""


class UnsupportedError(SqlError):
    """Nothing is wrong, but it is not understood here."""


class StreamRuleError(SqlError):
    """Streams and windows do not allow it, whatever a database says of the rest."""


class PlanError(DataCellError):
    """A plan that breaks an invariant: a defect of ours, never of the user."""


class EngineError(DataCellError):
    """An engine refused or failed to run a fragment."""


class EngineLostError(EngineError):
    """An engine is gone, and with it everything that runs on it."""


def closest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known spelling that a misspelt name probably means."""
    lower = {choice.lower(): choice for choice in sorted(set(known))}
    found = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=likeness)
    return lower[found[0]] if found else None


class CheckpointError(DataCellError):
    """The checkpoint directory cannot be used: not writable, full, or made by another script."""


class SourceError(DataCellError):
    """A stream's source cannot be read."""


class EmitterError(DataCellError):
    """Answers cannot be delivered."""


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint that names the closest known spelling, or lists what there is."""
    choices = sorted(set(known))
    meant = closest(name, choices)
    if meant is not None:
        return f"did you mean {spelled(meant)}?"
    if not choices:
        return None
    shown = ", ".join(map(spelled, choices[:8]))
    return f"there is: {shown}" + (", …" if len(choices) > 8 else "")


def spelled(name: str) -> str:
    """A name as it must be written: in backticks if it is not made of letters, digits and underscores."""
    return name if re.fullmatch(r"[\w<>(),=]+", name) else in_backticks(name)


def in_backticks(name: str) -> str:
    """A name in backticks, whatever it is made of."""
    return f"`{name.replace('`', '``')}`"


def counted(number: int, thing: str) -> str:
    """``1 column``, ``2 columns``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
