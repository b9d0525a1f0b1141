"""`datacell run` and `spark-submit` on a real cluster: a standalone master with two workers of one core each.

There is one cluster for all tests here, and one run for as many questions as it can answer: a run takes a while.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from cli import asked
from cli.killing import undisturbed, write_input
from cluster.losing import LONGEST, disturbed
from datacell.tools.standalone import StandaloneCluster, spark_home
from sample import DATA, answers, bind
from window_laws import micros

QUERIES = [
    "SELECT k, count(*) AS n, sum(v) AS total FROM s [RANGE 3 SECONDS SLIDE 1 SECOND] GROUP BY k",
    "SELECT k, v FROM s [ROWS 3 SLIDE 2]",
    "SELECT a.k, b.x FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] a JOIN r [RANGE 3 SECONDS SLIDE 2 SECONDS] b ON a.k = b.k",
    "SELECT a.k, t.a FROM s [RANGE 2 SECONDS SLIDE 2 SECONDS] a LEFT JOIN t ON t.k = a.k",
    "SELECT k, v, n FROM s [RANGE 5 SECONDS SLIDE 1 SECOND] ORDER BY v DESC NULLS LAST, k, n LIMIT 2",
    "SELECT ISTREAM k, count(*) AS n FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] GROUP BY k",
]
ROW_BY_ROW = "SELECT k, n FROM s WHERE n > 1"
EVERY_INSTANT = "SELECT k, count(*) AS c FROM s [RANGE 2 SECONDS] GROUP BY k"


SETTINGS = "".join(
    f"spark.{who}.defaultJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC\n" for who in ("driver", "executor")
)
"""Of a cluster's user, in `spark-defaults.conf`. Java is there sooner with these, which is most of the time here."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandaloneCluster]:
    """Executors are given the name of a Python that does not exist: they must not need one."""
    configuration = tmp_path_factory.mktemp("configuration")
    (configuration / "spark-defaults.conf").write_text(SETTINGS)
    with pytest.MonkeyPatch.context() as patch, StandaloneCluster(workers=2) as started:
        patch.setenv("SPARK_CONF_DIR", str(configuration))
        patch.setenv("PYSPARK_PYTHON", "/nowhere/python")
        patch.setenv("PYSPARK_DRIVER_PYTHON", sys.executable)
        yield started


@pytest.mark.parametrize("engine", ["spark", "auto"])
def test_a_run_gives_the_answers_of_the_reference_and_says_nothing(
    tmp_path: Path, cluster: StandaloneCluster, engine: str
) -> None:
    script = asked.write(tmp_path, [*QUERIES, ROW_BY_ROW, EVERY_INSTANT])
    command = [sys.executable, "-m", "datacell", "run", str(script), "--once", "--engine", engine]
    done = execute([*command, "--master", cluster.master], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    asked.check(tmp_path, QUERIES)
    some, every = (asked.rows(tmp_path / f"out{len(QUERIES) + i}") for i in (0, 1))
    assert Counter((row["k"], row["n"]) for row in some) == Counter((k, n) for _, k, _, n in DATA["s"] if (n or 0) > 1)
    snapshots = answers(bind(EVERY_INSTANT))
    assert [snapshot(every, answer.boundary) for answer in snapshots] == [answer.rows for answer in snapshots]


def test_a_run_that_loses_an_executor_and_a_worker_gives_the_same_output(
    tmp_path: Path, cluster: StandaloneCluster
) -> None:
    write_input(tmp_path, files=4, rows=20)
    expected, files = undisturbed(tmp_path)
    assert all(expected.values())
    assert disturbed(tmp_path, "disturbed", cluster, files // 3, files // 2) == expected


SUBMITTED = """
from pyspark.sql import SparkSession
import datacell
from datacell.errors import CheckpointError

spark = SparkSession.builder.appName("theirs").getOrCreate()
cell = datacell.connect("state", spark=spark, engine="spark")
cell.sql("CREATE STREAM s (ts TIMESTAMP, k INT, WATERMARK FOR ts AS ts)")
counts = cell.query("SELECT k, count(*) AS n FROM s [RANGE 2 SECONDS SLIDE 2 SECONDS] GROUP BY k", name="counts")
cell.push("s", [{"ts": "2026-01-01T00:00:01Z", "k": k % 2} for k in range(5)])
cell.run(once=True)
for result in counts.results():
    print(sorted(map(tuple, result.to_pandas()[["k", "n"]].values.tolist())))
print(cell.spark.conf.get("spark.sql.shuffle.partitions"))
cell.stop()
print(spark.range(3).count(), spark.conf.get("spark.sql.ansi.enabled"))

try:
    datacell.connect("/proc/self/cwd/elsewhere", spark=spark)
except CheckpointError as error:
    print(error)
"""
UNREACHABLE = """
the checkpoint /proc/self/cwd/elsewhere is not the same for the driver and for Spark's executors: 0 of 2 files came back
hint: on a cluster, state is kept in a directory that all hosts share under one path, such as a mount of NFS: \
say one with --checkpoint DIR or connect(checkpoint=…)
"""


def test_a_session_of_spark_submit_is_used_as_it_is_and_a_checkpoint_that_executors_do_not_see_is_refused(
    tmp_path: Path, cluster: StandaloneCluster
) -> None:
    """A path by /proc/self leads every process to a directory of its own, as a disk that is not shared does.

    Executors can write there, so nothing fails but what the check looks for.
    """
    script = tmp_path / "submitted.py"
    script.write_text(SUBMITTED)
    submit = [str(spark_home() / "bin" / "spark-submit"), "--master", cluster.master]
    driver = ("--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.sql.ansi.enabled=true")
    done = execute([*submit, *driver, str(script)], tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"[(0, 3), (1, 2)]\n2\n3 true{UNREACHABLE}"
    assert sorted(path.name for path in (tmp_path / "elsewhere").iterdir()) == ["cell.json", "ledger", "lock"]


def execute(command: list[str], directory: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        command, env=environment, cwd=directory, timeout=LONGEST, capture_output=True, text=True, check=False
    )


def snapshot(rows: list[dict[str, Any]], instant: int) -> Counter[tuple[Any, ...]]:
    """The rows that are valid at an instant."""

    def time(row: dict[str, Any], name: str) -> int:
        return instant + 1 if row[name] is None else micros(datetime.fromisoformat(row[name]))

    valid = [row for row in rows if time(row, "valid_from") <= instant < time(row, "valid_to")]
    return Counter((row["k"], row["c"]) for row in valid)
