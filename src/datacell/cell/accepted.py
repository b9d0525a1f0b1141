"""What Spark says of the plans of a new query: a mistake that only Spark finds is told when the query is created.

A plan that DuckDB may run is made of what was tried on both engines; but in OVER Spark looks at values, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from datacell.algebra import tree, types
from datacell.algebra.plan import Over, Plan
from datacell.compile import Compiled, compile
from datacell.compile.evaluation import AtBoundaries
from datacell.engines.agreed import refusals
from datacell.errors import Place, SqlError, UnsupportedError
from datacell.incremental.running import GROUP
from datacell.incremental.strategy import Strategy
from datacell.placement.operators import Site
from datacell.placement.shapes import expanded

_REMEMBERED = 1_000
"""Plans of many queries are equal: no window is in them."""

_SORTED = frozenset({types.BOOLEAN, *types.INTEGERS, types.DOUBLE, types.STRING, types.DATE, types.TIMESTAMP})

_CALL = re.compile(r"[\"`](\w+)[(`]")
"""The function that a message of Spark's is about."""


def accepted(compiled: Compiled, refusal: Callable[[Plan], str | None]) -> Compiled:
    """The query as Spark accepts it: as it was compiled, over whole windows, or as it is written; an error if none."""
    problem, query = _problem(compiled, refusal), compiled.logical
    if problem is None or query.opaque is not None:
        return compiled
    again = _evaluated_again(compiled, problem)
    if again is not None and _problem(again, refusal) is None:
        return again
    error = SqlError(problem, place=_place(problem, query.place))
    if query.otherwise is None:
        raise error
    try:
        return compile(query.otherwise(UnsupportedError(problem, place=error.place)), compiled.setting)
    except SqlError:
        raise error from None


def _problem(compiled: Compiled, refusal: Callable[[Plan], str | None]) -> str | None:
    doubtful = [plan for _, plan in compiled.evaluation.named() if _is_doubtful(plan)]
    return next((found for plan in doubtful if (found := refusal(expanded(plan, Site.SPARK)))), None)


def _evaluated_again(compiled: Compiled, why: str) -> Compiled | None:
    """The same query with nothing kept but rows: what Spark does not sort is not put together from parts."""
    if compiled.evaluation.strategy != Strategy.INCREMENTAL.value:
        return None
    again = compile(compiled.logical, replace(compiled.setting, strategy=Strategy.REEVALUATE))
    found = again.evaluation
    return replace(again, evaluation=replace(found, why=why)) if isinstance(found, AtBoundaries) else None


@lru_cache(maxsize=_REMEMBERED)
def _is_doubtful(plan: Plan) -> bool:
    doubtful = any(isinstance(node, Over) and not _is_running(node) for node in tree.descendants(plan))
    return doubtful or bool(refusals(expanded(plan, Site.DUCKDB)))


def _is_running(node: Over) -> bool:
    """Is it a running combination of ours, by columns that Spark sorts?"""
    return GROUP in node.child.schema and all(f.type in _SORTED for f in node.child.schema)


def _place(problem: str, within: Place | None) -> Place | None:
    """Where the function stands that is to blame; all of the query, if that cannot be told."""
    call = _CALL.search(problem)
    if call is None or within is None:
        return within
    found = re.compile(rf"\b{call[1]}\b(?=\s*\()", re.IGNORECASE).search(within.text, within.start, within.end)
    return within if found is None else Place(within.text, *found.span(), within.file)
