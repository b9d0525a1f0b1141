"""The paper's running example, end to end: `examples/highway.sql` with the rows beside it, on each engine."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from math import floor
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.cell.result import Result

EXAMPLES = Path(__file__).parent.parent / "examples"
SPEEDS = [
    ("05:00:08", "05:01:32", 18.280),
    ("05:01:32", "05:02:16", 19.805),
    ("05:02:16", "05:15:08", 19.766),
    ("05:15:08", "05:16:32", 20.510),
    ("05:16:32", "05:17:16", 19.690),
]


@pytest.mark.spark
@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_the_example_gives_the_listing_of_the_paper(spark: SparkSession, tmp_path: Path, engine: str) -> None:
    text, *_ = (EXAMPLES / "highway.sql").read_text(encoding="utf-8").split("CREATE EMITTER")
    found: dict[str, list[tuple[str, str, object]]] = {"speeds": [], "congested": []}
    cell = datacell.connect(checkpoint=tmp_path / "state", spark=spark, engine=engine)
    try:
        cell.run_script(text.replace("'examples/", f"'{EXAMPLES}/"), "highway.sql", True, lambda _: None)
        for name in found:
            for result in datacell.RunningQuery(cell, name).results():
                found[name] += _listed(result)
    finally:
        cell.stop()
    assert [(a, b, floor(v * 1000) / 1000) for a, b, v in found["speeds"]] == SPEEDS  # type: ignore[operator]
    at_each_station = {station: [(a, b) for a, b, s in found["congested"] if s == station] for station in (1, 2, 3)}
    assert at_each_station[1] == []
    assert _reach(at_each_station[2]) == ("05:00:30", "05:18:05")
    assert _reach(at_each_station[3]) == ("05:04:40", "05:19:40")


def _listed(result: Result) -> list[tuple[str, str, object]]:
    def clock(instant: datetime) -> str:
        return instant.astimezone(UTC).strftime("%H:%M:%S")

    return [(clock(a), clock(b), value) for a, b, value in (row.values() for row in result.to_pylist())]


def _reach(pieces: list[tuple[str, str]]) -> tuple[str, str]:
    """From when until when, without a gap."""
    assert all(first[1] == second[0] for first, second in pairwise(pieces))
    return pieces[0][0], pieces[-1][1]
