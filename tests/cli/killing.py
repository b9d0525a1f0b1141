"""A run that is killed, and its restart: run as a script it does so at many moments, and compares the output each time.

``python tests/cli/killing.py 10`` kills ten runs of five queries, among them a join of two streams, one over
rows that another query inserts, and two that are equal. Every other one is killed again, up to three times, when it
has written more. What follows the number goes to `datacell run`:
``--engine spark --driver-memory 0`` lets everything that is kept have its home on the cluster.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

SCRIPT = """
CREATE STREAM a (ts TIMESTAMP, k INT, v DOUBLE, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
  WITH (format = 'csv', path = '{root}/a', header = 'true', maxFilesPerTrigger = '1');
CREATE STREAM b (ts TIMESTAMP, k INT, w DOUBLE, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
  WITH (format = 'csv', path = '{root}/b', header = 'true', maxFilesPerTrigger = '1');
CREATE STREAM c (ts TIMESTAMP, k INT, v DOUBLE CHECK (v < 90), WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS);

CREATE CONTINUOUS QUERY sums AS
SELECT k, sum(v) AS total, count(*) AS n FROM a [RANGE 5 SECONDS SLIDE 1 SECOND] GROUP BY k;
CREATE CONTINUOUS QUERY pairs AS
SELECT x.k, max(x.v + y.w) AS top
FROM a [RANGE 4 SECONDS SLIDE 2 SECONDS] x JOIN b [RANGE 3 SECONDS SLIDE 2 SECONDS] y ON x.k = y.k GROUP BY x.k;
CREATE CONTINUOUS QUERY large AS SELECT * FROM b WHERE w > 50;
CREATE CONTINUOUS QUERY some AS SELECT count(*) AS n, max(v) AS top FROM c [RANGE 5 SECONDS SLIDE 1 SECOND];

CREATE CONTINUOUS QUERY same AS
SELECT x.k, sum(x.v) AS total, count(*) AS n FROM a [RANGE 5 SECONDS SLIDE 1 SECOND] AS x GROUP BY x.k;

CREATE EMITTER o1 FROM sums WITH (format = 'csv', path = '{out}/sums');
CREATE EMITTER o2 FROM pairs WITH (format = 'csv', path = '{out}/pairs');
CREATE EMITTER o3 FROM large WITH (format = 'csv', path = '{out}/large');
CREATE EMITTER o4 FROM some WITH (format = 'csv', path = '{out}/some');
CREATE EMITTER o5 FROM same WITH (format = 'csv', path = '{out}/same');

INSERT INTO b VALUES (TIMESTAMP '2024-01-01 00:00:01', 1, 99);
INSERT INTO b VALUES (TIMESTAMP '2024-01-01 00:00:01', 1, 99);
INSERT INTO c SELECT * FROM a WHERE v > 50;
"""


def write_input(root: Path, files: int = 8, rows: int = 40) -> None:
    """Two streams of csv files, in order of time, each file with an age of its own."""
    chance = random.Random(7)
    start = datetime(2024, 1, 1)
    for stream, value in (("a", "v"), ("b", "w")):
        (root / stream).mkdir(parents=True)
        for number in range(files):
            lines = [f"ts,k,{value}"]
            for row in range(rows):
                time_ = start + timedelta(seconds=number * 4 + row * 0.1 + chance.random())
                lines.append(f"{time_.isoformat()},{chance.randint(1, 4)},{chance.randint(0, 100)}")
            path = root / stream / f"{number}.csv"
            path.write_text("\n".join(lines) + "\n")
            os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))


def start(root: Path, out: Path, checkpoint: Path, *options: str) -> subprocess.Popen[bytes]:
    script = root / f"{out.name}.sql"
    script.write_text(SCRIPT.format(root=root, out=out))
    command = [sys.executable, "-m", "datacell", "run", str(script), "--once", "--checkpoint", str(checkpoint)]
    return subprocess.Popen([*command, *options], start_new_session=True)


def output(out: Path) -> dict[str, list[str]]:
    """The lines of every query, without headers, sorted: what a reader of the directory gets."""
    found = {}
    for query in ("sums", "pairs", "large", "some", "same"):
        parts = sorted((out / query).glob("part-*.csv"))
        found[query] = sorted(line for part in parts for line in part.read_text().splitlines()[1:])
    return found


def parts(out: Path) -> int:
    """How far a run has come: the part files that it has written."""
    return len(list(out.glob("*/part-*.csv")))


def undisturbed(root: Path, *options: str) -> tuple[dict[str, list[str]], int]:
    """The output of a run that nobody kills, and how many files it has."""
    process = start(root, root / "calm", root / "calm-state", *options)
    assert process.wait(300) == 0
    return output(root / "calm"), parts(root / "calm")


def killed(root: Path, name: str, moments: Sequence[int], *options: str) -> dict[str, list[str]]:
    """Kill the run, with all its processes, whenever it has written so many files; then run it to the end."""
    out, checkpoint = root / name, root / f"{name}-state"
    for moment in moments:
        process = start(root, out, checkpoint, *options)
        while parts(out) < moment:
            assert process.poll() is None, "it has ended before it was killed"
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    again = start(root, out, checkpoint, *options)
    assert again.wait(300) == 0
    return output(out)


def moments_of(number: int, times: int, files: int) -> list[int]:
    """After how many files the run of that number is killed, each time; the first time evenly spread over runs."""
    first, again = files * number // times, number % 4 if number % 2 else 0
    return [first + (files - first) * turn // (again + 1) for turn in range(again + 1)]


def main(times: int, *options: str) -> None:
    root = Path(os.environ.get("TMPDIR", "/tmp")) / f"datacell-killing-{os.getpid()}"
    write_input(root)
    expected, files = undisturbed(root, *options)
    print(f"undisturbed: {files} files, lines { ({k: len(v) for k, v in expected.items()}) }", flush=True)
    for number in range(times):
        moments = moments_of(number, times, files)
        same = killed(root, f"killed-{number}", moments, *options) == expected
        after = " and ".join(map(str, moments))
        print(f"killed after {after} files: {'same output' if same else 'DIFFERENT OUTPUT'}", flush=True)
        if not same:
            sys.exit(1)
    shutil.rmtree(root)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10, *sys.argv[2:])
