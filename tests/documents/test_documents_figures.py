"""The figures of README.md are those of benchmarks/results, rounded."""

from __future__ import annotations

import re
from math import floor, log10

import pytest

from documents.results import Results, read
from documents.running import ROOT

README = ROOT / "README.md"
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


@pytest.mark.parametrize("claim", CLAIMS)
def test_figures_are_those_of_the_results(claim: str, regenerate: bool) -> None:
    text = README.read_text(encoding="utf-8")
    found = _pattern(claim).search(text)
    assert found is not None, f"README does not say any more: {claim}"
    figures = CLAIMS[claim]()
    if regenerate:
        README.write_text(_with(text, found, figures), encoding="utf-8")
    else:
        assert list(found.groups()) == figures


def test_merging_many_slices_costs_no_more_than_few() -> None:
    assert "merging 2048 slices costs no more than merging 64" in _on_one_line(README.read_text(encoding="utf-8"))
    assert max(read("steps").headline.values()) <= 1


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
