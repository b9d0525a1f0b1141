"""Sensor and actuator against a receptor and an emitter on loopback; the plugs are what they should be."""

from __future__ import annotations

import json
import time
from pathlib import Path
from threading import Thread

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import typer
from typer.testing import CliRunner

from datacell.cli.actuator import actuator as actuator_command
from datacell.cli.sensor import sensor as sensor_command
from datacell.emitters.tcp import TcpEmitter
from datacell.errors import DataCellError
from datacell.receptors.tcp import TcpListener
from datacell.runtime.storage.output import Firing
from datacell.tools import actuator, plugs, sensor


class Memory:
    def __init__(self) -> None:
        self.content = b""

    def append(self, content: bytes) -> None:
        self.content += content

    def size(self) -> int:
        return 0


def test_plugs_are_the_same_for_the_same_seed() -> None:
    first, again = (pa.concat_tables(plugs.tables(150_000, seed=3)) for _ in range(2))
    other = pa.concat_tables(plugs.tables(150_000, seed=4))
    assert first.equals(again)
    assert len(first) == 150_000
    assert not first.equals(other)
    assert pa.concat_tables(plugs.tables(1000, seed=3)).equals(first.slice(0, 1000))


def test_plugs_are_distributed_like_the_real_ones() -> None:
    rows = pa.concat_tables(plugs.tables(400_000))
    assert rows.schema == plugs.SCHEMA
    assert rows["id"].to_pylist()[:3] == [0, 1, 2]
    times = rows["ts"].cast(pa.int64()).to_numpy()
    assert bool((np.diff(times) >= 0).all())
    load = rows.filter(pc.equal(rows["property"], 1))["value"].to_numpy()
    assert 2 * len(load) == len(rows)
    assert 0.58 < float((load == 0).mean()) < 0.68
    assert 15 < float(load.mean()) < 45
    assert float(load.max()) < 900
    assert 200 < len(rows) / ((times[-1] - times[0]) / 1e6) < 600


def test_a_sensor_counts_acknowledgements() -> None:
    journal = Memory()
    listener = TcpListener("127.0.0.1", 0, journal, b"")
    listener.start()
    sent = sensor.send("127.0.0.1", listener.port, sensor.generated(20_000, 1, 10, "json"))
    listener.stop()
    assert (sent.rows, sent.acknowledged) == (20_000, 20_000)
    assert json.loads(journal.content.splitlines()[7])["id"] == 7


def test_a_sensor_keeps_its_rate_and_stamps_rows() -> None:
    journal = Memory()
    listener = TcpListener("127.0.0.1", 0, journal, b"")
    listener.start()
    began = time.time()
    sent = sensor.send("127.0.0.1", listener.port, [b"1\n"] * 300, rate=1000, stamp=sensor.stamped_csv)
    listener.stop()
    assert sent.seconds > 0.25
    last = journal.content.splitlines()[-1].decode()
    assert began < actuator._moment({"c": last.split(",")[1]}, "c") < time.time()


def test_nobody_listens() -> None:
    with pytest.raises(DataCellError, match=r"nobody listens on 127\.0\.0\.1:1"):
        sensor.send("127.0.0.1", 1, [])
    with pytest.raises(DataCellError, match=r"nobody listens on 127\.0\.0\.1:1"):
        actuator.subscribe("127.0.0.1", 1, patience=0)


def test_latency_and_elapsed_time() -> None:
    tuples = [({"__firing": i // 4, "created": 100 + i}, 110.0 + i // 2) for i in range(6)]
    seen = actuator.measure(iter(tuples), "created", batch=3)
    assert (seen.rows, seen.firings, seen.seconds) == (6, 2, 2.0)
    assert seen.latencies == [10, 9, 9, 8, 8, 7]
    assert seen.elapsed == [11 - 0, 12 - 3]
    found = actuator.summary(seen.latencies)
    assert found is not None
    assert (found.count, found.p50, found.max) == (6, 8.5, 10)
    assert actuator.summary([]) is None


def test_a_row_without_its_creation_time() -> None:
    with pytest.raises(DataCellError, match="made is no creation time in a row of a"):
        actuator.measure(iter([({"a": 1}, 0.0)]), "made")


def _run(command: object, *arguments: str) -> tuple[int, str]:
    app = typer.Typer()
    app.command()(command)  # type: ignore[type-var]
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


def test_the_sensor_command(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a,b\n1,2\n3,4")
    journal = Memory()
    listener = TcpListener("127.0.0.1", 0, journal, b"")
    listener.start()
    code, printed = _run(sensor_command, "--port", str(listener.port), "--file", str(file), "--skip", "1", "--json")
    listener.stop()
    found = json.loads(printed)
    assert (code, found["rows"], found["acknowledged"], journal.content) == (0, 2, 2, b"1,2\n3,4\n")


def test_the_actuator_command() -> None:
    emitter = TcpEmitter("127.0.0.1", 0)
    rows = pa.table({"created": [time.time()] * 5})

    def deliver() -> None:
        for number in range(2):
            emitter.deliver(Firing(number, rows, {}))

    delivering = Thread(target=deliver)
    delivering.start()
    code, printed = _run(
        actuator_command, "--port", str(emitter.port), "--rows", "10", "--created", "created", "--batch", "5", "--json"
    )
    delivering.join(10)
    emitter.close()
    found = json.loads(printed)
    assert (code, found["rows"], found["firings"]) == (0, 10, 2)
    assert (found["latency"]["count"], found["elapsed"]["count"]) == (10, 2)
    assert 0 <= found["latency"]["p50"] < 20
