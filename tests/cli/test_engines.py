"""`datacell run` on either engine answers as the reference evaluator does: every form of window, every operator."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli import asked


@pytest.mark.parametrize(
    ("engine", "strategy"), [("spark", "incremental"), ("duckdb", "incremental"), ("duckdb", "reevaluate")]
)
def test_a_run_gives_the_answers_of_the_reference(tmp_path: Path, engine: str, strategy: str) -> None:
    script = asked.write(tmp_path, asked.QUERIES)
    done = subprocess.run(
        [sys.executable, "-m", "datacell", "run", str(script), "--once", "--engine", engine, "--strategy", strategy],
        check=False,
    )
    assert done.returncode == 0
    asked.check(tmp_path, asked.QUERIES)
