"""The figures of README.md and docs/scaling.md are those of benchmarks/results, rounded."""

from __future__ import annotations

import re
from math import floor, log10
from pathlib import Path

import pytest

from datacell.tools.scaling import Model
from documents.results import Results, read
from documents.running import ROOT

README, SCALING = ROOT / "README.md", ROOT / "docs" / "scaling.md"
CLAIMS = {
    "on {} cores (`datacell bench hop`": lambda: [_cores(read("hop"))],
    "| DuckDB beside Spark | {} |": lambda: [_rows_per_second("datacell on auto")],
    "`--engine spark` | {} |": lambda: [_rows_per_second("datacell on spark")],
    "Spark's own `window()` aggregation | {} |": lambda: [_rows_per_second("Spark's own")],
    "10,240,000 rows costs {} ms instead of {} ms by re-evaluation on DuckDB": lambda: _slides("Q1", "duckdb"),
    "and {} s instead of {} s on Spark; merging": lambda: _slides("Q1", "spark", 1000),
    "two windows of 102,400 rows costs {} ms instead of {} ms on DuckDB": lambda: _slides("Q2", "duckdb"),
    "but {} s instead of {} s on Spark, where": lambda: _slides("Q2", "spark", 1000),
}
"""Sentences of README with gaps for figures, and what belongs there."""

OF_SCALING = {
    "(`datacell bench hop`): on {} cores": lambda: [_cores(read("hop"))],
    "every second, takes {} rows a second": lambda: [_rows_per_second("datacell on auto")],
}
OF_EXECUTORS = {
    "-m datacell.tools.scaling --rate {}": lambda: [_of_one_executor()],
    "a second worker makes it {} times as fast": lambda: [_rounded(read("executors").headline["speedup_2"], 3)],
}
"""Of docs/scaling.md, too."""

NEAR = 0.25
"""How far the model may be from what was measured."""


@pytest.mark.parametrize("claim", CLAIMS)
def test_figures_are_those_of_the_results(claim: str, regenerate: bool) -> None:
    _check(README, claim, CLAIMS[claim](), regenerate)


@pytest.mark.parametrize("claim", OF_SCALING)
def test_figures_of_one_machine(claim: str, regenerate: bool) -> None:
    _check(SCALING, claim, OF_SCALING[claim](), regenerate)


@pytest.mark.parametrize("claim", OF_EXECUTORS)
def test_figures_of_executors(claim: str, regenerate: bool) -> None:
    _check(SCALING, claim, OF_EXECUTORS[claim](), regenerate)


def test_the_model_is_near_what_was_measured() -> None:
    assert Model(float(_of_one_executor())).step() == pytest.approx(read("executors").headline["speedup_2"], rel=NEAR)


def test_merging_many_slices_costs_no_more_than_few() -> None:
    assert "merging 2048 slices costs no more than merging 64" in _on_one_line(README.read_text(encoding="utf-8"))
    assert max(read("steps").headline.values()) <= 1


def _check(document: Path, claim: str, figures: list[str], regenerate: bool) -> None:
    text = document.read_text(encoding="utf-8")
    found = _pattern(claim).search(text)
    assert found is not None, f"{document.name} does not say any more: {claim}"
    if regenerate:
        document.write_text(_with(text, found, figures), encoding="utf-8")
    else:
        assert list(found.groups()) == figures


def _of_one_executor() -> str:
    """Rows per second, as a command takes it."""
    (rate,) = read("executors").numbers("rows/s", engine="auto", workers="1")
    return f"{float(f'{rate:.2e}'):.0f}"


def _cores(results: Results) -> str:
    return results.machine.split(" cores")[0]


def _rows_per_second(path: str) -> str:
    return _rounded(max(read("hop").numbers("rows/s", path=path, aggregate="avg")), 3)


def _slides(query: str, engine: str, unit: int = 1) -> list[str]:
    """What a slide costs by increments and by re-evaluation, in milliseconds or in a larger unit."""
    bench = read("basic")
    ways = [
        bench.numbers("ms per slide", query=query, engine=engine, strategy=s) for s in ("incremental", "reevaluate")
    ]
    return [_rounded(milliseconds / unit, 2) for (milliseconds,) in ways]


def _rounded(value: float, digits: int) -> str:
    """So many digits that count."""
    places = digits - 1 - floor(log10(value))
    return f"{round(value, places):,.{max(0, places)}f}"


def _pattern(claim: str) -> re.Pattern[str]:
    words = (re.escape(word).replace(r"\{\}", r"(\d[\d.,]*)") for word in claim.split())
    return re.compile(r"\s+".join(words))


def _with(text: str, found: re.Match[str], figures: list[str]) -> str:
    for place, figure in reversed(list(enumerate(figures, 1))):
        text = text[: found.start(place)] + figure + text[found.end(place) :]
    return text


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
