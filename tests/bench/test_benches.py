"""Every bench has both forms, and the same headline in both."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path

import pytest

import command
from datacell.bench import benches
from datacell.bench.benches import Name
from datacell.bench.effort import SECONDS, Effort

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", Name)
def test_a_bench_declares_its_headline_and_takes_an_effort(name: Name) -> None:
    bench = benches.find(name)
    assert bench.HEADLINE
    assert len(set(bench.HEADLINE)) == len(bench.HEADLINE)
    assert list(inspect.signature(bench.run).parameters) == ["effort", "progress"]
    assert [v for v in vars(bench).values() if isinstance(v, dict) and set(v) == set(Effort)]


UNMEASURED = {Name.INTERVALS, Name.STRATEGIES}
"""Benches of which no full run was saved since their figures were declared."""


@pytest.mark.parametrize("name", Name)
def test_the_declared_headline_is_that_of_the_last_full_run(name: Name) -> None:
    path = ROOT / "benchmarks" / "results" / f"{name.value}.txt"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    is_measured = tuple(re.findall(r"^(\w+) = ", text, re.MULTILINE)) == benches.find(name).HEADLINE
    assert is_measured is (name not in UNMEASURED)


def test_every_bench_can_be_asked_for() -> None:
    modules = (ROOT / "src" / "datacell" / "bench").glob("*.py")
    found = {path.stem for path in modules if re.search(r"^def run\(", path.read_text(encoding="utf-8"), re.MULTILINE)}
    assert found == {name.value.replace("-", "_") for name in Name}
    joined = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    assert re.findall(r"^BENCHES := (.*)$", joined, re.MULTILINE)[0].split() == [name.value for name in Name]


def test_a_bench_ends_in_minutes() -> None:
    assert (SECONDS[Effort.FULL] < 8 * 60, SECONDS[Effort.QUICK] < 2 * 60) == (True, True)


def test_a_quick_run_prints_one_report_and_saves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bench that needs no engine."""
    monkeypatch.chdir(ROOT)
    done = command.run("bench", "optimizer-time", "--quick", "--json", "--results", str(tmp_path))
    assert done.code == 0
    (line,) = done.stdout.splitlines()
    assert tuple(json.loads(line)["headline"]) == benches.find(Name.OPTIMIZER_TIME).HEADLINE
    assert "a quick run" in json.loads(line)["remark"]
    assert all(re.match(r"optimizer-time  \d:\d\d  \w", said) for said in done.stderr.splitlines())
    assert done.stderr.endswith("nothing is saved\n")
    assert not list(tmp_path.iterdir())
