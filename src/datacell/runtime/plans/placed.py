"""A placed plan: fragments that are ready to run, each on its engine, and what was observed of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.plan import Slot
from datacell.algebra.tree import Key
from datacell.engines.protocol import Engine, Prepared
from datacell.engines.transfers import Account
from datacell.errors import EngineError
from datacell.placement.enumeration import Sites
from datacell.placement.fragments import Fragment
from datacell.placement.homes import Home
from datacell.placement.operators import Site
from datacell.runtime.plans.observed import Recent
from datacell.runtime.plans.sources import rows_of

LOOK_EVERY = 16
"""Runs of a plan before a look at its placement; while its input stays alike the next comes after twice as many."""

ALIKE = 2.0
"""Up to this factor of rows an input is what it was."""


class PreparedFragment:
    """A fragment that its engine has prepared; what that cannot finish runs on the fallback, which can do all."""

    def __init__(self, fragment: Fragment, engine: Engine, fallback: Engine) -> None:
        self.fragment = fragment
        self._prepared = engine.prepare(fragment.plan)
        self._fallback = None if engine is fallback else fallback
        self._instead: Prepared | None = None
        self.rows, self.seconds, self.fallback_seconds = Recent(), Recent(), Recent()

    @property
    def account(self) -> Account:
        return self._prepared.account

    def run(self, inputs: Mapping[Key, pa.Table]) -> pa.Table:
        started = perf_counter()
        try:
            answer = self._prepared.run(inputs)
            self.seconds.add(perf_counter() - started)
        except EngineError:
            if self._fallback is None:
                raise
            answer = self._run_instead(self._fallback, inputs)
        self.rows.add(rows_of(answer))
        return answer

    def close(self) -> None:
        self._prepared.close()
        if self._instead is not None:
            self._instead.close()

    def _run_instead(self, fallback: Engine, inputs: Mapping[Key, pa.Table]) -> pa.Table:
        started = perf_counter()
        if self._instead is None:
            self._instead = fallback.prepare(self.fragment.instead)
        answer = self._instead.run(inputs)
        self.fallback_seconds.add(perf_counter() - started)
        return answer


class PlacedPlan:
    """The fragments of a plan in order; the last gives the answer."""

    def __init__(
        self,
        sites: Sites,
        fragments: Sequence[Fragment],
        engines: Mapping[Site, Engine],
        fallback: Engine,
        homes: Mapping[Key, Home],
    ) -> None:
        """`homes` are those of the sources that are not in the driver."""
        self.sites, self.homes = sites, homes
        self.fragments = [PreparedFragment(f, engines[f.site], fallback) for f in fragments]
        self.slots = frozenset[Slot]().union(*(tree.slots(f.plan) for f in fragments))
        """What must be handed to it, as it was shaped for its engines."""
        self.rows: dict[Key, Recent] = {}
        self.runs = 0
        self._next_look = 0
        self._rows_then = 0.0

    def run(self, inputs: Mapping[Key, pa.Table]) -> pa.Table:
        for key, source in inputs.items():
            self.rows.setdefault(key, Recent()).add(rows_of(source))
        everything = dict(inputs)
        for one in self.fragments:
            answer = everything[one.fragment.slot] = one.run(everything)
        self.runs += 1
        return answer

    def close(self) -> None:
        for one in self.fragments:
            one.close()

    def is_due_for_a_look(self) -> bool:
        """Looks cost, so they become rare while nothing changes."""
        if self.runs % LOOK_EVERY:
            return False
        ratio = (1 + self._rows_now()) / (1 + self._rows_then)
        return self.runs >= self._next_look or not 1 / ALIKE <= ratio <= ALIKE

    def looked(self) -> None:
        self._next_look, self._rows_then = 2 * self.runs, self._rows_now()

    def _rows_now(self) -> float:
        return sum(rows.value for rows in self.rows.values())
