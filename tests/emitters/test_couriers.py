"""Couriers: few threads for many emitters, and nobody waits for one that is held up."""

from __future__ import annotations

import threading
from threading import Event

from datacell.emitters.couriers import AT_WORK, Couriers
from emitters.outputs import eventually


class Stepping:
    """Has so many steps to do; each waits at the gate, if there is one."""

    def __init__(self, steps: int, gate: Event | None = None, pause: float = 0) -> None:
        self.left, self.gate, self.pause, self.together = steps, gate, pause, 0

    def step(self) -> float | None:
        self.together += 1
        assert self.together == 1, "never two at once"
        if self.gate is not None:
            self.gate.wait(20)
        self.left -= 1
        self.together -= 1
        return self.pause if self.left > 0 else None


def test_many_errands_need_few_threads() -> None:
    before, couriers = threading.active_count(), Couriers()
    errands = [Stepping(5) for _ in range(500)]
    for errand in errands:
        couriers.call(errand)
    assert threading.active_count() <= before + AT_WORK + 1
    assert eventually(lambda: all(errand.left == 0 for errand in errands))


def test_nobody_waits_for_those_who_are_held_up() -> None:
    couriers, gate = Couriers(), Event()
    held_up, free = [Stepping(1, gate) for _ in range(2 * AT_WORK)], Stepping(3, pause=0.01)
    for errand in (*held_up, free):
        couriers.call(errand)
    assert eventually(lambda: free.left == 0)
    assert not couriers.wait_for(held_up[0], 0)
    gate.set()
    assert couriers.wait_for(held_up[0], 10)
    assert eventually(lambda: all(errand.left == 0 for errand in held_up))


def test_who_is_called_for_meanwhile_is_done_again() -> None:
    couriers, gate = Couriers(), Event()
    errand = Stepping(1, gate)
    couriers.call(errand)
    assert eventually(lambda: errand.together == 1)
    couriers.call(errand)
    gate.set()
    assert eventually(lambda: errand.left == -1)
