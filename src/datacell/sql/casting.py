"""Which casts Spark allows when it is asked for one, with ANSI mode off."""

from __future__ import annotations

from datacell.algebra import types
from datacell.algebra.types import Type


def castable(given: Type, to: Type) -> bool:
    return True
