"""Shapes: how work is done where it was placed. What an engine is good at decides; nothing before placement knows.

- Running combinations are sorted on Spark. DuckDB joins and groups rows so much faster than it sorts them that an
  aggregate tree takes a third of the time there.
- DuckDB slides over sorted rows in n log n steps, whatever is computed; Spark begins again in each frame, and then to
  join is the same work in a form that it can group.
- A call costs what so many rows do; work that saves less than that is not worth a call.
- Where a call costs much, windows of many rows are joined again in less time than increments take to be kept.
"""

from __future__ import annotations

from collections.abc import Mapping

from datacell.algebra import tree
from datacell.algebra.plan import Plan
from datacell.incremental.running import Running, Shape, shaped
from datacell.incremental.strategy import TINY
from datacell.intervals.framed import Framed, Way, in_way
from datacell.placement.operators import Site

FRAMED = {Site.SPARK: Way.PAIRS, Site.DUCKDB: Way.FRAMES}
RUNNING = {Site.SPARK: Shape.SORTED, Site.DUCKDB: Shape.TREE}

CALL_OVERHEAD_ROWS: Mapping[Site, int] = {Site.SPARK: 100_000, Site.DUCKDB: 5_000}
"""So many rows of input cost about as much as one more call does; measured, and far from exact."""

LITTLE_ROWS: Mapping[Site, int] = {Site.SPARK: 25_000, Site.DUCKDB: 0}
"""So few rows of a relation are combined again at each boundary in less time than a call takes that would save it."""

_TINY_JOINED = {Site.SPARK: 200_000}
"""Two windows of 102,400 rows are joined again in half the time that increments take on Spark, of 819,200 in three
times as much."""


def expanded(plan: Plan, site: Site) -> Plan:
    """The plan in relational terms, as it runs best on an engine."""
    return _expanded(plan, RUNNING[site], FRAMED[site])


def fallen_back(plan: Plan, site: Site) -> Plan:
    """The plan over what it would read on an engine, in terms that Spark understands."""
    return _expanded(plan, RUNNING[site], FRAMED[Site.SPARK])


def _expanded(plan: Plan, shape: Shape, way: Way) -> Plan:
    def change(node: Plan) -> Plan:
        match node:
            case Running():
                return shaped(node, shape)
            case Framed():
                return in_way(node, way)
        return node

    return tree.transform_up(plan, change)


def tiny_joined(site: Site | None) -> int:
    """Rows up to which windows are better joined again, if all of a query runs on one engine."""
    return TINY if site is None else _TINY_JOINED.get(site, TINY)
