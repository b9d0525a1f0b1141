"""The net as data: a Petri net whose places are baskets and outputs, and whose transitions move rows on.

A transition is enabled when its own condition holds: a batch is there, at least n rows, a watermark past a boundary, a
firing that was not delivered. Receptors and emitters fire on threads of their own, at the pace of what is outside; the
scheduler fires the others, in the order of the arcs, so rows flow through the whole net before it rests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Protocol

from datacell.errors import SqlError


class TransitionKind(Enum):
    RECEPTOR = "receptor"
    FACTORY = "factory"
    EMITTER = "emitter"


@dataclass(frozen=True)
class Transition:
    """Takes from its input places, puts into its output places."""

    name: str
    kind: TransitionKind
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Net:
    transitions: Mapping[str, Transition] = field(default_factory=dict)

    @property
    def places(self) -> list[str]:
        return sorted({p for t in self.transitions.values() for p in (*t.inputs, *t.outputs)})

    def with_transition(self, transition: Transition) -> Net:
        """The net with one more transition; an error if rows could run in a circle."""
        net = Net({**self.transitions, transition.name: transition})
        if any(place in t.inputs for t in self.transitions.values() for place in transition.outputs):
            _ = net.order  # only what flows on can flow in a circle
        return net

    def without_transition(self, name: str) -> Net:
        return Net({n: t for n, t in self.transitions.items() if n != name})

    @cached_property
    def order(self) -> Sequence[str]:
        """The transitions such that each comes after those that feed it."""
        feeders = self._feeders()
        graph = {t.name: [f for p in t.inputs for f in feeders.get(p, ())] for t in self.transitions.values()}
        try:
            return tuple(TopologicalSorter(graph).static_order())
        except CycleError as error:
            circle = " → ".join(error.args[1])
            raise SqlError(f"rows would run in a circle: {circle}", hint="INSERT INTO another stream") from None

    @cached_property
    def levels(self) -> Sequence[Sequence[str]]:
        """The same in levels: no transition feeds another of its level, not even by way of others."""
        feeders, depth = self._feeders(), dict[str, int]()
        levels: list[list[str]] = []
        for name in self.order:
            before = (depth[other] for place in self.transitions[name].inputs for other in feeders.get(place, ()))
            depth[name] = 1 + max(before, default=-1)
            levels += [[] for _ in range(depth[name] + 1 - len(levels))]
            levels[depth[name]].append(name)
        return levels

    def _feeders(self) -> dict[str, list[str]]:
        """For each place those who put something there."""
        found: dict[str, list[str]] = {}
        for transition in self.transitions.values():
            for place in transition.outputs:
                found.setdefault(place, []).append(transition.name)
        return found

    def readers(self, place: str) -> Iterable[Transition]:
        return (t for t in self.transitions.values() if place in t.inputs)


class Action(Protocol):
    """What stands behind a transition. One that `waits`, mostly, may fire beside others of its level."""

    @property
    def waits(self) -> bool: ...

    def enabled(self) -> bool: ...

    def fire(self) -> None: ...


def run_to_quiescence(net: Net, actions: Mapping[str, Action], beside: Executor | None = None) -> int:
    """Fire what is enabled until nothing is. Returns how often something fired.

    On Spark a firing is mostly waiting: of one level, those that wait are fired at the same time, by `beside`.
    """
    fired = 0
    while True:
        before = fired
        for level in net.levels:
            enabled = [a for name in level if (a := actions.get(name)) is not None and a.enabled()]
            _fire(enabled, beside)
            fired += len(enabled)
        if fired == before:
            return fired


def _fire(enabled: Sequence[Action], beside: Executor | None) -> None:
    waiting = [] if beside is None else [a for a in enabled if a.waits]
    if beside is None or len(waiting) < 2:
        for action in enabled:
            action.fire()
        return
    fires = [beside.submit(action.fire) for action in waiting]
    for action in enabled:
        if action not in waiting:
            action.fire()
    for fire in fires:
        fire.result()
