"""The selectivity of the selection and of the join varies (figure 5 of the paper)."""

from __future__ import annotations

from datacell.bench.effort import Effort
from datacell.bench.paper import Q1, Q2, compared
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.engines.duckdb import DuckDBEngine

HEADLINE = ("q1_90_percent", "q2_most_pairs")
SHARES = {
    Effort.FULL: ((0.1, 0.3, 0.5, 0.7, 0.9), (1e-7, 1e-6, 1e-5, 1e-4)),
    # Both ends of each line.
    Effort.QUICK: ((0.1, 0.9), (1e-7, 1e-4)),
}
"""Of the rows that Q1 selects, and of the pairs that Q2 joins."""


def run(effort: Effort, progress: Progress) -> Report:
    """Q1 with 10 % to 90 % selected, Q2 with 0.00001 % to 0.01 % of the pairs joined; on DuckDB."""
    engine = DuckDBEngine()
    selected, joined = SHARES[effort]
    asked: list[tuple[str, float, Q1 | Q2]] = [
        *(("Q1", s, Q1(10_240_000, 20_000, s)) for s in selected),
        *(("Q2", m, Q2(102_400, 1_600, m)) for m in joined),
    ]
    rows = [(name, share * 100, *compared(query, engine, effort, progress)) for name, share, query in asked]
    lines: dict[str, list[tuple[float, float]]] = {}
    for name, share, again, increments in rows:
        lines.setdefault(f"{name}, re-evaluation", []).append((float(share), float(again)))
        lines.setdefault(f"{name}, increments", []).append((float(share), float(increments)))
    headline = {
        "q1_90_percent": _gained(rows[len(selected) - 1]),
        "q2_most_pairs": _gained(rows[-1]),
    }
    columns = ("query", "selected %", "re-evaluation, ms", "increments, ms")
    plot = Plot("ms per slide by selectivity", lines, "selected, %", "ms per slide", log_x=True, log_y=True)
    return Report("selectivity", headline, columns, rows, _REMARK, plot)


def _gained(row: tuple[str, float, float, float]) -> float:
    _, _, again, increments = row
    return again / increments


_REMARK = (
    "as in the paper re-evaluation grows with what is selected and increments hardly do: "
    "they touch only what the last slide selected"
)
