"""The number of chunks per slice adapts itself (figure 8 of the paper)."""

from __future__ import annotations

from datacell.bench.effort import Effort
from datacell.bench.paper import Q1, uniform
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine
from datacell.incremental.strategy import Strategy

HEADLINE = ("response_first_over_last", "chunks")
SLIDES = {Effort.FULL: 60, Effort.QUICK: 40}
"""Chunks are doubled every five slides, and have settled by the thirtieth."""
_WINDOW, _SLIDE, _PIECES = 10_240_000, 1_024_000, 256
_LEAST = 11
"""The first slide, five that are early and five that are late."""


def run(effort: Effort, progress: Progress) -> Report:
    """Q1 with a slide of 1,024,000 rows that come in 256 pieces: the response time is that of the last piece."""
    query = Q1(_WINDOW, _SLIDE)
    rows: list[tuple[int, int, float]] = []
    with query.bed(DuckDBEngine(), Strategy.INCREMENTAL) as bed:
        for slide in progress.turns(SLIDES[effort], least=_LEAST):
            held = bed.factory.evaluation.held()
            assert held is not None
            response = 0.0
            for _ in range(_PIECES):
                response = bed.deposit("s", uniform(_SLIDE // _PIECES))
            rows.append((slide + 1, held.chunks, response * 1000))
            if slide % 5 == 4:
                progress.say(
                    f"slide {slide + 1}: {held.chunks} chunks per slice, response in {response * 1000:,.4g} ms"
                )
    first, last = rows[1:6], rows[-5:]
    headline = {
        "response_first_over_last": sum(r[2] for r in first) / sum(r[2] for r in last),
        "chunks": float(rows[-1][1]),
    }
    lines = {"response time": [(float(i), ms) for i, _, ms in rows]}
    plot = Plot("response time while the number of chunks adapts", lines, "slide", "ms")
    remark = (
        "as in the paper: chunks start at one, are doubled every five slides while the response falls, "
        "and settle at the best"
    )
    return Report("adaptive", headline, ("slide", "chunks per slice", "response, ms"), rows, remark, plot)
