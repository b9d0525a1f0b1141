"""The thesis' query chain from outside: sensor → kernel → actuator by TCP, three processes on one machine.

The sensor makes rows of two columns, a random whole number and when it was sent; the actuator takes what the last query
of the chain lets pass, which is everything, and tells how long after its creation each row came. Without a kernel both
are joined by a wire, which passes bytes on.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import numpy as np
from pyspark.sql import SparkSession

from datacell.cell.cell import connect
from datacell.errors import DataCellError

BATCH = 1_000
"""Rows of a batch, of which the elapsed time E(b) = D(last row) - C(first row) is told."""
_PATIENCE = 120.0
_COLUMNS = "v INT, created TIMESTAMP"


@dataclass(frozen=True)
class Passed:
    """What the actuator saw: rows per second from the first that was sent, and the average E(b) and L(t)."""

    rate: float
    elapsed: float
    latency: float


def rows_file(directory: Path, rows: int) -> Path:
    """What the sensor sends, but for the time of creation."""
    path = directory / "rows.jsonl"
    values = np.random.default_rng(1).integers(0, 1 << 30, rows)
    path.write_text("".join(f'{{"v": {value}}}\n' for value in values), encoding="ascii")
    return path


def through_kernel(spark: SparkSession, file: Path, rows: int, queries: int) -> Passed:
    """A chain of so many queries: each is read by the next one."""
    inbound, outbound = free_port(), free_port()
    cell = connect(spark=spark)
    try:
        tcp = "format = 'tcp', host = '127.0.0.1', port = '{}'"
        cell.sql(f"CREATE STREAM s0 ({_COLUMNS}) WITH ({tcp.format(inbound)}, lines = 'json')")
        for number in range(1, queries):
            cell.sql(f"CREATE STREAM s{number} ({_COLUMNS}); INSERT INTO s{number} SELECT * FROM s{number - 1}")
        cell.query(f"SELECT * FROM s{queries - 1}", name="last")
        cell.sql(f"CREATE EMITTER out FROM last WITH ({tcp.format(outbound)})")
        cell.start()
        return _measured(inbound, outbound, file, rows)
    finally:
        cell.stop()


def directly(file: Path, rows: int) -> Passed:
    """From the sensor to the actuator, with a wire between them."""
    with _wire(rows) as (inbound, outbound):
        return _measured(inbound, outbound, file, rows)


def _measured(inbound: int, outbound: int, file: Path, rows: int) -> Passed:
    common = ("--created", "created", "--json")
    actuator = _started("actuator", "--port", str(outbound), "--rows", str(rows), "--batch", str(BATCH), *common)
    time.sleep(1.0)  # until it has connected: what waits for it would count
    sensor = _started("sensor", "--port", str(inbound), "--file", str(file), *common)
    try:
        sensor.communicate(timeout=_PATIENCE)
        out, _ = actuator.communicate(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        raise DataCellError(f"the rows have not come after {_PATIENCE:.0f} seconds") from None
    finally:
        for process in (sensor, actuator):
            process.kill()
    seen = json.loads(out.splitlines()[-1])
    if seen["rows"] != rows:
        raise DataCellError(f"{seen['rows']:,} rows came of {rows:,}")
    return Passed(rows / seen["since creation"], seen["elapsed"]["average"], seen["latency"]["average"])


def _started(*command: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", "datacell", *command], stdout=subprocess.PIPE, text=True)


@contextmanager
def _wire(rows: int) -> Iterator[Sequence[int]]:
    """Two ports: what is sent to the one comes out of the other."""
    with socket.create_server(("127.0.0.1", 0)) as into, socket.create_server(("127.0.0.1", 0)) as out:
        Thread(target=_pass_on, args=(into, out, rows), daemon=True).start()
        yield into.getsockname()[1], out.getsockname()[1]


def _pass_on(into: socket.socket, out: socket.socket, rows: int) -> None:
    (taker, _), (giver, _) = out.accept(), into.accept()
    with taker, giver:
        while found := giver.recv(1 << 16):
            taker.sendall(found)
        giver.sendall(b"ok %d\n" % rows)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
