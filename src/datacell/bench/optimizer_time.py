"""How long optimization takes and how many plans it looks at: tables 2 and 3 of the paper on federated optimization."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from statistics import median

from datacell.bench.effort import Effort
from datacell.bench.multi_way import join_query, join_text
from datacell.bench.progress import Progress
from datacell.bench.report import Report
from datacell.bench.smart_plugs import STREAM, known, queries
from datacell.compile import Setting, compile
from datacell.placement.costs import Work
from datacell.placement.enumeration import decomposed, exhaustive, pruned
from datacell.placement.logical import best_plan
from datacell.placement.operators import in_post_order
from datacell.placement.unit_costs import SHIPPED
from datacell.rewrite.rules import equivalents
from datacell.sql import script

HEADLINE = ("plans_2", "plans_5", "plans_8", "seconds_5", "seconds_8_decomposed")
TIMES = {Effort.FULL: 10, Effort.QUICK: 3}
"""Runs whose median counts; the longest, the 8-way join without decomposition, takes some 0.3 s."""
_PAPER = {2: (64, 11, 0.9, 12.3), 5: (327168, 312, 68.5, 908.6), 8: (16777216, 8411, 100.5, 61335.5)}
"""Plans without and with pruning, milliseconds of phase one and two; 2¹⁵ is 32768, the paper prints 327168."""
_PAPER_CQ = {"cq1": 9.0, "cq2": 8.8, "cq3": 12.27, "cq4": 11.66, "cq5": 23.8, "cq6": 64.1}
_KNOWN = known(2000.0, 40)
Row = tuple[object, ...]
Measure = Callable[[Callable[[], object]], float]
"""Milliseconds of a task."""


def run(effort: Effort, progress: Progress) -> Report:
    """Milliseconds, the median of several runs; no engine runs."""
    measured = partial(_milliseconds, TIMES[effort], progress)
    progress.say("multi-way joins")
    joins = {ways: _join(ways, measured) for ways in _PAPER}
    progress.say("the six queries")
    rows = [row for row, _ in joins.values()] + [_query(name, measured) for name in _PAPER_CQ]
    headline = {f"plans_{ways}": float(found["plans"]) for ways, (_, found) in joins.items()}
    headline |= {"seconds_5": joins[5][1]["whole"] / 1000, "seconds_8_decomposed": joins[8][1]["decomposed"] / 1000}
    columns = (
        "query",
        "operators",
        "phase one ms",
        "plans unpruned",
        "plans",
        "phase two ms",
        "decomposed ms",
        "paper: plans unpruned",
        "paper: plans",
        "paper: total ms",
    )
    return Report("optimizer-time", headline, columns, rows)


def _join(ways: int, measured: Measure) -> tuple[Row, dict[str, float]]:
    """A multi-way join: phase one on its text, phase two on the shape that the paper's counts tell."""
    query = script.query(join_text(ways), script.defined(STREAM))
    plan = join_query(ways)
    count = len(list(in_post_order(plan)))
    one = measured(lambda: best_plan(equivalents(query), _KNOWN))
    two = measured(lambda: pruned(plan, SHIPPED, Work.PIPELINED))
    in_parts = measured(lambda: decomposed(plan, SHIPPED, Work.PIPELINED))
    plans = pruned(plan, SHIPPED, Work.PIPELINED).examined
    every = exhaustive(plan, SHIPPED, Work.PIPELINED).examined if ways <= 5 else 2**count
    unpruned, theirs, *times = _PAPER[ways]
    row = (f"{ways}-way join", count, one, every, plans, two, in_parts, unpruned, theirs, sum(times))
    return row, {"plans": plans, "whole": one + two, "decomposed": one + in_parts}


def _query(name: str, measured: Measure) -> Row:
    """One of the six queries, with all the plans that it runs."""
    query = queries()[name].query
    one = measured(lambda: best_plan(equivalents(query), _KNOWN))
    roots = [part.root for part in compile(query, Setting(_KNOWN, SHIPPED)).physical.parts]
    two = measured(lambda: [decomposed(root, SHIPPED, Work.IN_TURNS) for root in roots])
    examined = sum(decomposed(root, SHIPPED, Work.IN_TURNS).examined for root in roots)
    count = sum(len(list(in_post_order(root))) for root in roots)
    return (name, count, one, "", examined, two, "", "", "", _PAPER_CQ[name])


def _milliseconds(times: int, progress: Progress, task: Callable[[], object]) -> float:
    found = []
    for _ in progress.turns(times):
        started = time.perf_counter()
        task()
        found.append((time.perf_counter() - started) * 1000)
    return median(found)
