"""Which strategy evaluates a query's windows: increments, or re-evaluation where that is cheaper."""

from __future__ import annotations

from enum import Enum

from datacell.algebra import tree
from datacell.algebra.plan import Input, Map, Plan
from datacell.algebra.query import Query
from datacell.algebra.window import Rows, Session, is_keyed
from datacell.incremental.relations import Kept, Latest, Pairs, Split
from datacell.incremental.split import split

TINY = 2_000
"""Rows up to which a window is evaluated again in less time than increments take to be kept; `bench against-engine`."""


class Strategy(Enum):
    AUTO = "auto"
    INCREMENTAL = "incremental"
    REEVALUATE = "reevaluate"


def choose(query: Query, wanted: Strategy = Strategy.AUTO, tiny_joined: int = TINY) -> tuple[Split | None, str]:
    """The query split, or None if it is to be re-evaluated; and why so.

    Windows of up to `tiny_joined` rows are joined again in less time than increments take to be kept.
    """
    if (written := query.opaque) is not None:
        return None, f"Spark answers it as written, over whole windows at each boundary: {written.why}"
    if any(isinstance(w.window, Session) for w in tree.windows(query.plan)):
        return None, "a session is looked at once, when it has ended"
    if any(is_keyed(w.window) for w in tree.windows(query.plan)):
        return None, "under LATEST one row of each key is kept, and looked at where the window is"
    if wanted is Strategy.REEVALUATE:
        return None, "as asked"
    found = split(query)
    if wanted is Strategy.INCREMENTAL:
        return found, "as asked"
    if _all_have(query, TINY):
        return None, f"its windows have at most {TINY:,} rows: evaluating them again is cheaper"
    if any(isinstance(r, Pairs) for r in found.relations) and _all_have(query, tiny_joined):
        return None, f"its windows have at most {tiny_joined:,} rows: joining them again is cheaper here"
    if all(isinstance(r, Kept) and _only_projects(r.plan) for r in found.relations) and not _is_trimmed(found):
        return None, "nothing can be done before the whole window is there"
    return found, "a boundary costs what has changed"


def _all_have(query: Query, at_most: int) -> bool:
    """Do its windows have so many rows at most, as far as that is known?"""
    specs = [w.window for w in tree.windows(query.plan)]
    return all(isinstance(s, Rows) and not s.partition and s.count <= at_most for s in specs)


def _only_projects(plan: Plan) -> bool:
    return all(isinstance(node, Map | Input) for node in tree.descendants(plan))


def _is_trimmed(found: Split) -> bool:
    """Without slices, the last rows of each key would need all rows ever."""
    return any(isinstance(leaf, Latest) for leaf in found.leaves)
