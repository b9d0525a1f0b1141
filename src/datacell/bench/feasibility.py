"""What the feasibility check changes, over rising rates (figure 6 of the paper on federated optimization).

With the check plans are compared by Definition 1, without it by their total alone. What a plan sustains is the rate, or
as much of it as its bottleneck lets through. On this machine, by the costs that were measured, the check changes
nothing: the parts of a query take turns, so the bottleneck is the total, and DuckDB is cheaper by far. So there is a
forced case too: as in the paper all operators work at once, and the engines cost about the same.
"""

from __future__ import annotations

from functools import cache

from datacell.algebra.query import Query
from datacell.bench.effort import Effort
from datacell.bench.plot import Plot
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.smart_plugs import known, queries
from datacell.placement import unit_costs
from datacell.placement.costs import EngineCosts, TransferCost, UnitCosts, Work
from datacell.placement.enumeration import MOST_UNPRUNED, Placement, cost_of, exhaustive
from datacell.placement.fragments import windowed
from datacell.placement.operators import Operator, OperatorKind, Site
from datacell.placement.sizes import Sizes
from datacell.rewrite.rules import optimized

HEADLINE = ("plans_changed", "plans_changed_forced", "most_gained_forced")
RATES = {
    Effort.FULL: (1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 40_000, 60_000, 80_000, 120_000),
    # Every plan is feasible at the least rate, and none at the greatest.
    Effort.QUICK: (1_000, 20_000, 120_000),
}
HOUSES = 40
_ROW = 2e-5
FORCED = UnitCosts(
    {
        Site.SPARK: EngineCosts(0.0, 0.0, dict.fromkeys(OperatorKind, _ROW), _ROW / 4),
        Site.DUCKDB: EngineCosts(0.0, 0.0, dict.fromkeys(OperatorKind, 0.6 * _ROW), _ROW / 8),
    },
    to_cluster=TransferCost(0.0, _ROW / 160),
    to_driver=TransferCost(0.0, _ROW / 160),
)
Row = tuple[object, ...]


def run(effort: Effort, progress: Progress) -> Report:
    """Rows per second that are sustained, by the model."""
    measured = unit_costs.load()
    rows: list[Row] = []
    changed = {"as measured": 0, "forced": 0}
    series: dict[str, list[tuple[float, float]]] = {}
    for name in queries():
        progress.say(name)
        for rate in RATES[effort]:
            for case, units, work in (("as measured", measured, Work.IN_TURNS), ("forced", FORCED, Work.PIPELINED)):
                checked, unchecked = _both(name, rate, units, work)
                changed[case] += checked.sites != unchecked.sites
                kept = [_sustained(name, rate, plan, units, work) for plan in (checked, unchecked)]
                rows.append((name, case, rate, *kept, _sites(checked), _sites(unchecked)))
                if case == "forced" and name in ("cq1", "cq3", "cq6"):
                    for label, value in zip(("with check", "without check"), kept, strict=True):
                        series.setdefault(f"{name} {label}", []).append((float(rate), value))
    headline = {
        "plans_changed": float(changed["as measured"]),
        "plans_changed_forced": float(changed["forced"]),
        "most_gained_forced": max(float(r[3]) / float(r[4]) for r in rows if r[1] == "forced"),  # type: ignore[arg-type]
    }
    columns = ("query", "costs", "rows/s asked", "with check", "without check", "plan with", "plan without")
    plot = Plot("sustained rows per second, forced costs", series, x="rows/s asked", y="rows/s sustained")
    remark = "forced: all operators work at once and the engines cost about the same, as in the paper; by the model"
    return Report("feasibility", headline, columns, rows, remark, plot)


def _both(name: str, rate: int, units: UnitCosts, work: Work) -> tuple[Placement, Placement]:
    """The best plan by Definition 1, and the one of least total."""
    found = exhaustive(_operators(name, rate), units, work, keep=2**MOST_UNPRUNED)
    return found.best, min((found.best, *found.beaten), key=lambda plan: plan.cost.total)


def _sustained(name: str, asked: float, plan: Placement, units: UnitCosts, work: Work) -> float:
    """The greatest rate up to the one that is asked for at which the plan is feasible."""
    if plan.cost.is_feasible:
        return asked
    low, high = 0.0, asked
    for _ in range(16):
        rate = (low + high) / 2
        feasible = cost_of(_operators(name, rate), plan.sites, units, work).is_feasible
        low, high = (rate, high) if feasible else (low, rate)
    return low


def _operators(name: str, rate: float) -> Operator:
    root = windowed(_optimized(name).plan, Sizes(known(rate, HOUSES)))
    assert isinstance(root, Operator)
    return root


@cache
def _optimized(name: str) -> Query:
    return optimized(queries()[name].query)


def _sites(plan: Placement) -> str:
    """``SDD…``: the engine of each operator, from below."""
    return "".join(site.name[0] for site in plan.sites)
