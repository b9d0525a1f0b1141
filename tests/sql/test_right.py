"""Every right script is accepted, and bound as right/*.txt says."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import run

RIGHT = Path(__file__).parent / "right"
SCRIPTS = sorted(RIGHT.glob("*.sql"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_a_right_script_gets_its_plans(script: Path, regenerate: bool) -> None:
    outcome = run("explain", str(script), "--stage", "logical")
    expected = script.with_suffix(".txt")
    assert (outcome.code, outcome.stderr) == (0, "")
    if regenerate:
        expected.write_text(outcome.stdout, encoding="utf-8")
    assert outcome.stdout == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_a_right_script_can_be_optimized(script: Path) -> None:
    outcome = run("explain", str(script))
    assert (outcome.code, outcome.stderr) == (0, "")


def test_every_plan_belongs_to_a_script() -> None:
    assert [p.stem for p in sorted(RIGHT.glob("*.txt"))] == [p.stem for p in SCRIPTS]
