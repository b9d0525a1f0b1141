"""What does not add up, at every instant: by frames and by pairs, at once or in portions, as the reference says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.engines.spark import SparkEngine
from datacell.intervals.framed import Way
from datacell.placement import shapes
from datacell.placement.operators import Site
from datacell.runtime.instants import sweep
from properties.judging import answers_at_every_instant
from properties.queries import CUTS, EVERY_INSTANT, SEVERAL, data
from runtime.netrun import Cuts
from sample import Values, engine

CALLS = [
    "median(v)",
    "count(DISTINCT n)",
    "sum(DISTINCT v)",
    "percentile(v, 0.3)",
    "median(n) FILTER (WHERE v > 0)",
    "count(*)",
    "max(v)",
    "min(n)",
]
ROWS = [
    "s [{}]",
    "(SELECT * FROM s [{}] WHERE n > 0) AS s",
    "s [{}] JOIN t ON s.n = t.a",
    "(TABLE s [{0}] UNION ALL TABLE s [{0}])",
]
KEYS = ["", "GROUP BY s.k", "GROUP BY s.k, s.n", "GROUP BY v > 0 HAVING count(*) > 1"]


@st.composite
def holistic(draw: st.DrawFn) -> str:
    """One call at least cannot be made of parts."""
    calls = [draw(st.sampled_from(CALLS[:5])), *draw(st.lists(st.sampled_from(CALLS), max_size=3))]
    rows, window, keys = (draw(st.sampled_from(of)) for of in (ROWS, EVERY_INSTANT, KEYS))
    named = ", ".join(f"{call} AS c{n}" for n, call in enumerate(calls))
    key = "s.k, " if keys.startswith("GROUP BY s.k") else ""
    return f"SELECT {key}{named} FROM {rows.format(window)} {keys}".replace("s.", "" if "UNION" in rows else "s.")


@settings(SEVERAL, max_examples=60)
@given(holistic(), data(), CUTS, st.sampled_from([Way.FRAMES, Way.PAIRS]), st.sampled_from([1, 5, sweep.MOST_PAIRS]))
def test_every_snapshot_is_the_reference_s(text: str, rows: dict[str, Values], cuts: Cuts, way: Way, most: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(shapes.FRAMED, Site.DUCKDB, way)
        patched.setattr(sweep, "MOST_PAIRS", most)
        answers_at_every_instant(engine(), text, rows, cuts)


@pytest.mark.spark
@settings(SEVERAL, max_examples=5)
@given(holistic(), data(), CUTS)
def test_every_snapshot_is_the_reference_s_on_spark(
    spark_engine: SparkEngine, text: str, rows: dict[str, Values], cuts: Cuts
) -> None:
    answers_at_every_instant(spark_engine, text, rows, cuts)
