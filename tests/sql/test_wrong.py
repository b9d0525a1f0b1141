"""Every wrong script ends with exit code 2 and one message: what, where, what to do. They are in wrong/*.txt."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import datacell
from command import Outcome, run

WRONG = Path(__file__).parent / "wrong"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(datacell.__file__).parent.parent)}
SCRIPTS = sorted(WRONG.glob("*.sql"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_a_wrong_script_gets_its_message(script: Path, regenerate: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(WRONG)
    outcome = run("explain", script.name)
    expected = script.with_suffix(".txt")
    if regenerate:
        expected.write_text(outcome.stderr, encoding="utf-8")
    assert outcome == Outcome(2, "", expected.read_text(encoding="utf-8"))


def test_every_message_belongs_to_a_script() -> None:
    assert [p.stem for p in sorted(WRONG.glob("*.txt"))] == [p.stem for p in SCRIPTS]


@pytest.mark.parametrize("name", ["column_misspelt", "unclosed_string", "empty", "aggregate_without_window"])
def test_the_command_itself_says_the_same(name: str) -> None:
    command = [sys.executable, "-m", "datacell", "explain", f"{name}.sql"]
    done = subprocess.run(
        command, cwd=WRONG, env=ENVIRONMENT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (WRONG / f"{name}.txt").read_text(encoding="utf-8")
