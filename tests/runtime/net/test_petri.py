"""The net as data: transitions fire in order, and rows do not run in a circle."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from datacell.errors import SqlError
from datacell.runtime.net.petri import Net, Transition, TransitionKind, run_to_quiescence


class Counting:
    """An action that is enabled a few times."""

    waits = False

    def __init__(self, times: int, log: list[str], name: str) -> None:
        self.times, self.log, self.name = times, log, name

    def enabled(self) -> bool:
        return self.times > 0

    def fire(self) -> None:
        self.times -= 1
        self.log.append(self.name)


def test_transitions_fire_in_the_order_of_the_arcs_until_none_is_enabled() -> None:
    net = Net().with_transition(Transition("second", TransitionKind.FACTORY, ("middle",), ("end",)))
    net = net.with_transition(Transition("first", TransitionKind.FACTORY, ("start",), ("middle",)))
    log: list[str] = []
    fired = run_to_quiescence(net, {"first": Counting(1, log, "first"), "second": Counting(2, log, "second")})
    assert (fired, log) == (3, ["first", "second", "second"])
    assert net.places == ["end", "middle", "start"]


def test_rows_must_not_run_in_a_circle() -> None:
    net = Net().with_transition(Transition("there", TransitionKind.FACTORY, ("a",), ("b",)))
    with pytest.raises(SqlError, match="circle"):
        net.with_transition(Transition("back", TransitionKind.FACTORY, ("b",), ("a",)))


class Meeting:
    """An action that cannot fire alone: it waits for the others."""

    waits = True

    def __init__(self, barrier: Barrier) -> None:
        self.barrier, self.fired = barrier, False

    def enabled(self) -> bool:
        return not self.fired

    def fire(self) -> None:
        self.barrier.wait(10)
        self.fired = True


def test_transitions_that_wait_fire_at_the_same_time() -> None:
    net = Net()
    for name in ("a", "b", "c"):
        net = net.with_transition(Transition(name, TransitionKind.FACTORY, ("start",), (f"end {name}",)))
    barrier = Barrier(3)
    with ThreadPoolExecutor(3) as beside:
        assert run_to_quiescence(net, {name: Meeting(barrier) for name in ("a", "b", "c")}, beside) == 3


def test_levels_follow_the_arcs() -> None:
    net = Net().with_transition(Transition("a", TransitionKind.FACTORY, ("s",), ("t",)))
    net = net.with_transition(Transition("b", TransitionKind.FACTORY, ("t",), ("u",)))
    net = net.with_transition(Transition("c", TransitionKind.FACTORY, ("s", "u"), ("v",)))
    assert [list(level) for level in net.levels] == [["a"], ["b"], ["c"]]
