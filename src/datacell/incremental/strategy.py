"""Which strategy evaluates a query's windows: increments, or re-evaluation where that is cheaper."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from datacell.algebra import tree
from datacell.algebra.plan import Map, Plan, Table
from datacell.algebra.query import Query
from datacell.algebra.window import Rows
from datacell.incremental.lift import lift, lift_rest
from datacell.incremental.relations import Kept, Latest, Pairs, Split
from datacell.incremental.split import split

TINY = 2_000
"""Rows up to which a window is looked at anew in less time than increments take to be kept; `bench against-engine`."""

TINY_JOINED_ON_SPARK = 200_000
"""The same for joins of streams where every call costs some 0.1 s: two windows of 102,400 rows are joined anew in half
the time that increments take, of 819,200 in three times as much."""


class Strategy(Enum):
    AUTO = "auto"
    INCREMENTAL = "incremental"
    REEVALUATE = "reevaluate"


@dataclass(frozen=True)
class Plans:
    """A query as it will be evaluated: split if by increments; and why so."""

    query: Query
    split: Split | None
    why: str

    @property
    def strategy(self) -> Strategy:
        return Strategy.REEVALUATE if self.split is None else Strategy.INCREMENTAL

    def fragments(self) -> list[Plan]:
        """All that DuckDB would have to run; Spark refuses nothing, so nobody asks what it would."""
        if self.split is None:
            return [lift(self.query, many) for many in (False, True)]
        kept = [relation.plan for relation in self.split.relations]
        return [*kept, lift_rest(self.split, many=False), lift_rest(self.split, many=True, covers=True)]


def choose(query: Query, wanted: Strategy = Strategy.AUTO, on_spark: bool = False) -> Plans:
    """How a query with windows is evaluated, all of it on Spark or not."""
    if wanted is Strategy.REEVALUATE:
        return Plans(query, None, "as asked")
    found = split(query)
    if wanted is Strategy.INCREMENTAL:
        return Plans(query, found, "as asked")
    if _all_have(query, TINY):
        return Plans(query, None, f"its windows have at most {TINY:,} rows: looking at them anew is cheaper")
    if on_spark and any(isinstance(r, Pairs) for r in found.relations) and _all_have(query, TINY_JOINED_ON_SPARK):
        why = f"its windows have at most {TINY_JOINED_ON_SPARK:,} rows: on Spark joining them anew is cheaper"
        return Plans(query, None, why)
    if all(isinstance(r, Kept) and _only_projects(r.plan) for r in found.relations) and not _is_trimmed(found):
        return Plans(query, None, "nothing can be done before the whole window is there")
    return Plans(query, found, "a boundary costs what has changed")


def _all_have(query: Query, at_most: int) -> bool:
    """Do its windows have so many rows at most, as far as that is known?"""
    specs = [w.window for w in tree.windows(query.plan)]
    return all(isinstance(s, Rows) and not s.partition and s.count <= at_most for s in specs)


def _only_projects(plan: Plan) -> bool:
    return all(isinstance(node, Map | Table) for node in tree.descendants(plan))


def _is_trimmed(found: Split) -> bool:
    """Without slices, the last rows of each key would need all rows ever."""
    return any(isinstance(leaf, Latest) for leaf in found.leaves)
