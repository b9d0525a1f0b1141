"""What engines make of plans before they run them: a factory runs the same plans again and again."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, Protocol, TypeVar

from datacell.algebra.plan import Plan

_MOST = 256


class _Made(Protocol):
    plan: Plan

    def close(self) -> None: ...


Made = TypeVar("Made", bound=_Made)


class Known(Generic[Made]):
    """What was made of the plans that were asked for last, each by its identity. Thread-safe."""

    def __init__(self, make: Callable[[Plan], Made]) -> None:
        self._make = make
        self._made: dict[int, Made] = {}
        self._lock = Lock()

    def __call__(self, plan: Plan) -> Made:
        with self._lock:
            found = self._made.pop(id(plan), None)
            if found is None:
                found = self._make(plan)
                if len(self._made) >= _MOST:
                    self._made.pop(next(iter(self._made))).close()
            self._made[id(plan)] = found
            return found

    def close(self) -> None:
        for made in self._made.values():
            made.close()
