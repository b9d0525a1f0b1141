"""Nothing is on standard error unless something is wrong, and then it is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from datacell.engines.java_errors import GREETINGS, without_greetings

_JOB_AND_STOPPED_QUERY = """
import sys, time
from datacell.engines.session import session

spark = session()
spark.range(10).selectExpr("sum(id)").collect()
source = spark.readStream.format("rate").option("rowsPerSecond", "100").load()
counted = source.groupBy("value").count().writeStream.outputMode("complete").format("noop")
query = counted.option("checkpointLocation", sys.argv[1]).start()
while not query.lastProgress:
    time.sleep(0.05)
query.stop()
spark.stop()
"""


def test_a_greeting_is_left_out_and_the_rest_is_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    greeting = f"{GREETINGS[0].decode()}some.module"
    with pytest.raises(subprocess.CalledProcessError), without_greetings():
        subprocess.run(["sh", "-c", f"echo '{greeting}' >&2; echo 'no memory' >&2; exit 1"], check=True)
    os.write(2, b"afterwards\n")
    assert capfd.readouterr().err == "no memory\nafterwards\n"


@pytest.mark.spark
def test_a_session_says_nothing(tmp_path: Path) -> None:
    done = _python(_JOB_AND_STOPPED_QUERY, str(tmp_path), **os.environ)
    assert (done.returncode, done.stderr) == (0, "")


def test_why_java_does_not_start_is_said(tmp_path: Path) -> None:
    program = "from datacell.engines.session import session; session()"
    done = _python(program, **{**os.environ, "JAVA_HOME": str(tmp_path), "LC_ALL": "C"})
    assert done.returncode == 1
    assert f"JAVA_HOME is {tmp_path}, which has no bin/java" in done.stderr


def _python(program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], env=environment, capture_output=True, text=True, check=False
    )
