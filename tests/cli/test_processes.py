"""Three processes: a TCP sensor, `datacell run`, a TCP actuator. Every answer is right."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pyarrow as pa

from datacell.tools import plugs

ROWS = 100_000
SCRIPT = """
CREATE STREAM plugs ({columns}, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
  WITH (format = 'tcp', host = '127.0.0.1', port = '{inbound}', lines = 'csv');
CREATE CONTINUOUS QUERY counts AS
SELECT house, count(*) AS n, max(value) AS top FROM plugs [RANGE 20 SECONDS SLIDE 10 SECONDS] GROUP BY house;
CREATE EMITTER out FROM counts WITH (format = 'tcp', host = '127.0.0.1', port = '{outbound}');
"""


def test_every_answer_arrives_and_is_right(tmp_path: Path) -> None:
    inbound, outbound = _free_port(), _free_port()
    script = tmp_path / "script.sql"
    script.write_text(SCRIPT.format(columns=plugs.COLUMNS, inbound=inbound, outbound=outbound))
    expected = _expected(pa.concat_tables(plugs.tables(ROWS)))
    with _start("run", str(script), "--checkpoint", str(tmp_path / "state")) as running:
        try:
            _wait_for(inbound)
            rows = str(sum(expected.values()))
            actuator = _start("actuator", "--port", str(outbound), "--rows", rows, "--wait", "120")
            sensor = _start("sensor", "--port", str(inbound), "--kind", "plugs", "--rows", str(ROWS), "--json")
            sent = json.loads(sensor.communicate(timeout=200)[0])
            lines = actuator.communicate(timeout=200)[0].decode().splitlines()
        finally:
            running.terminate()
    assert sent["acknowledged"] == ROWS
    answers = [json.loads(line) for line in lines if line.startswith("{")]
    assert Counter((a["window_end"], a["house"], a["n"], a["top"]) for a in answers) == expected


def _expected(rows: pa.Table) -> Counter[tuple[str, int, int, float]]:
    """The answers at every boundary that the watermark reaches, counted by hand."""
    times = [t // 1_000_000 for t in rows["ts"].cast(pa.int64()).to_pylist()]
    triples = list(zip(times, rows["house"].to_pylist(), rows["value"].to_pylist(), strict=True))
    found = Counter[tuple[str, int, int, float]]()
    for end in range(min(times) // 10 * 10 + 10, max(times) - 2 + 1, 10):
        by_house: dict[int, list[float]] = {}
        for second, house, value in triples:
            if end - 20 <= second < end:
                by_house.setdefault(house, []).append(value)
        stamp = pa.scalar(end * 1_000_000, pa.timestamp("us")).as_py().isoformat() + "Z"
        found.update((stamp, house, len(values), max(values)) for house, values in by_house.items())
    return found


def _start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "datacell", *arguments], stdout=subprocess.PIPE)


def _wait_for(port: int) -> None:
    """Until somebody listens there: Spark takes its time to start."""
    for _ in range(300):
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    raise AssertionError("nobody listens")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
