"""What a database says of a text that is not understood here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from datacell.algebra.types import Type


@dataclass(frozen=True)
class Analysis:
    """Of a query over tables: the columns that it gives, the operators that it is made of, the functions it calls."""

    columns: tuple[tuple[str, Type], ...]
    operators: Callable[[], frozenset[str]]
    calls: Callable[[], frozenset[str]]


@dataclass(frozen=True)
class CalledFunction:
    """A function that the user has made: what it gives, and whether the same rows always give the same."""

    type: Type
    is_aggregate: bool
    is_repeatable: bool
    calls: Callable[[], frozenset[str]]
    """What it is made of, where that is SQL."""


class AnalysisError(Exception):
    """A text is refused: why, and which part of it is wrong, if that is known."""

    def __init__(self, message: str, start: int | None = None, stop: int | None = None) -> None:
        super().__init__(message)
        self.message, self.start, self.stop = message, start, stop


Analyze = Callable[[str], Analysis | None]


FindFunction = Callable[[str, int], CalledFunction | None]
"""Finds a function by its name and its number of arguments."""


def no_function(name: str, count: int) -> CalledFunction | None:
    """There are no functions but Spark's own."""
    return None


def no_analysis(text: str) -> Analysis | None:
    """There is nobody to ask."""
    return None
