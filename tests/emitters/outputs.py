"""Outputs and deliveries for tests of emitters."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from datacell.emitters.couriers import Couriers
from datacell.emitters.delivery import Delivery
from datacell.emitters.protocol import Emitter
from datacell.runtime.storage.output import Firing, Output

SCHEMA = pa.schema([("n", pa.int64()), ("s", pa.string())])


def firing(number: int, rows: int = 2) -> Firing:
    return Firing(number, _rows(number, rows), {})


def output(directory: Path, firings: int) -> Output:
    """An output with firings of two rows each."""
    made = Output(directory / "output", SCHEMA)
    for number in range(firings):
        made.append(_rows(number, 2), {})
    return made


def delivery(directory: Path, source: Output, emitter: Emitter, name: str = "e") -> Delivery:
    made = Delivery(name, source, emitter, directory / f"{name}.json", Couriers())
    made.start()
    return made


def eventually(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    return condition()


def _rows(number: int, rows: int) -> pa.Table:
    return pa.table({"n": [number * 1000 + i for i in range(rows)], "s": ["x"] * rows}, schema=SCHEMA)
