"""The actuator: subscribes to a TCP emitter and measures how late the answers are.

With C(t) the moment at which a tuple was created and D(t) the one at which it is received, the latency of a tuple is
L(t) = D(t) - C(t), and the elapsed time of a batch b of k tuples is E(b) = D(t_k) - C(t_1).
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from datacell.errors import EmitterError

_FIRING, _END, _ERROR = "__firing", "__end", "__error"

Received = tuple[dict[str, Any], float]
"""A tuple, or the end of a firing, and when it was received, in seconds since the epoch."""

_PATIENCE = 5.0
"""Seconds that the emitter has to hang up after its client has."""

Acknowledge = Callable[[int], None]
"""Tells the emitter that a firing was taken."""


@dataclass(frozen=True)
class Summary:
    """How long something took, in seconds."""

    count: int
    average: float
    p50: float
    p95: float
    p99: float
    max: float


@dataclass
class Measured:
    """What an actuator saw."""

    rows: int = 0
    firings: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    elapsed: list[float] = field(default_factory=list)

    @property
    def since_creation(self) -> float:
        """From the creation of the first row until the last one was received."""
        return self.seconds + (self.latencies[0] if self.latencies else 0.0)


def subscribe(host: str, port: int, patience: float = 30.0) -> socket.socket:
    """Connect to an emitter; one that is not there yet is waited for."""
    until = time.monotonic() + patience
    while True:
        try:
            connection = socket.create_connection((host, port), timeout=5)
        except OSError as error:
            if time.monotonic() >= until:
                raise EmitterError(f"nobody listens on {host}:{port}: {error}", hint="start the emitter") from error
            time.sleep(0.1)
        else:
            connection.settimeout(None)
            return connection


def received(connection: socket.socket) -> Iterator[Received]:
    """The tuples and ends that come, until the emitter hangs up."""
    try:
        with connection.makefile("rb") as lines:
            for line in lines:
                if line.endswith(b"\n"):
                    yield _read(line), time.time()
    except ConnectionError:
        return


def acknowledging(connection: socket.socket) -> Acknowledge:
    """Acknowledges over this connection; one that is gone needs none."""

    def acknowledge(number: int) -> None:
        with suppress(OSError):
            connection.sendall(b"ok %d\n" % number)

    return acknowledge


def leave(connection: socket.socket) -> None:
    """Hang up so that the last acknowledgement arrives: what was not read would let the network forget it."""
    with connection, suppress(OSError):
        connection.settimeout(_PATIENCE)
        connection.shutdown(socket.SHUT_WR)
        until = time.monotonic() + _PATIENCE
        while connection.recv(1 << 16) and time.monotonic() < until:
            pass


def measure(
    tuples: Iterator[Received],
    created: str | None = None,
    batch: int | None = None,
    rows: int | None = None,
    show: Callable[[dict[str, Any]], None] | None = None,
    acknowledge: Acknowledge = lambda _: None,
) -> Measured:
    """Take tuples, `rows` of them or until they end. A firing is acknowledged once all of it was taken."""
    result, firing, first, began = Measured(), None, 0.0, 0.0
    for row, now in tuples:
        if _is_end(row):
            acknowledge(row[_END])
        if result.rows == rows:
            break
        if _is_end(row):
            continue
        began = began or now
        result.seconds = now - began
        result.firings += row.get(_FIRING) != firing
        firing = row.get(_FIRING)
        if created is not None:
            moment = _moment(row, created)
            result.latencies.append(now - moment)
            if batch is not None:
                first = moment if result.rows % batch == 0 else first
                if result.rows % batch == batch - 1:
                    result.elapsed.append(now - first)
        result.rows += 1
        if show is not None:
            show(row)
    return result


def summary(seconds: list[float]) -> Summary | None:
    if not seconds:
        return None
    values = np.asarray(seconds)
    p50, p95, p99 = np.percentile(values, [50, 95, 99])
    return Summary(len(values), float(values.mean()), float(p50), float(p95), float(p99), float(values.max()))


def _is_end(row: dict[str, Any]) -> bool:
    """Tuples have the number of their firing; a column may have any name."""
    return _END in row and _FIRING not in row


def _read(line: bytes) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(line)
    if _ERROR in row and _FIRING not in row:
        raise EmitterError(f"the emitter has hung up: {row[_ERROR]}")
    return row


def _moment(row: dict[str, Any], created: str) -> float:
    """When a tuple was created: an ISO timestamp (in UTC if it does not say), or seconds since the epoch."""
    value = row.get(created)
    if isinstance(value, int | float):
        return float(value)
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        names = ", ".join(row)
        raise EmitterError(f"{created} is no creation time in a row of {names}", hint="name a timestamp") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
