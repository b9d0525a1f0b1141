"""The operators of the temporal algebra, as frozen nodes that check themselves.

Every operator but the window is snapshot-reducible: at each instant it does to the snapshots of its inputs what its SQL
namesake does to tables. Basic operators: filter σ, map µ, product and join ⋈, distinct δ, difference −, group γ,
aggregate α, union ∪, window ω. Derived ones are defined by them, for any inputs A and B:

- semi join      A ⋉ B      = the rows of A that match some row of B
- anti join      A ▷ B      = A − (A ⋉ B)
- intersection   A ∩ B      = A − (A − B)
- max-union      A ∪max B   = (A − B) ∪ (B − A) ∪ (A ∩ B)
- strict difference         = δ(A) without the rows equal to some row of B

Two operators change no snapshot, only how validities are cut: *coalesce* joins equal rows that follow each other
without a gap, *split* cuts rows in pieces.

*Over* and *unfold* work on rows as they are, within one snapshot. *Opaque* is SQL that is not understood here.

An invalid plan cannot be constructed: a node raises `PlanError` if its inputs do not fit.
"""

from datacell.algebra.plan.groups import Aggregate, Group
from datacell.algebra.plan.inputs import Input, Slot
from datacell.algebra.plan.joins import Apply, Join, JoinKind
from datacell.algebra.plan.node import Plan, SortKey, descendants
from datacell.algebra.plan.opaque import Opaque
from datacell.algebra.plan.rows import Distinct, Filter, Map, Order, Over, Spread, Unfold
from datacell.algebra.plan.sets import Difference, Intersection, MaxUnion, SetOperation, StrictDifference, Union
from datacell.algebra.plan.sources import Stream, Table, Values
from datacell.algebra.plan.validity import Coalesce, Coalescing, SplitEvery, Window

__all__ = [
    "Aggregate",
    "Apply",
    "Coalesce",
    "Coalescing",
    "Difference",
    "Distinct",
    "Filter",
    "Group",
    "Input",
    "Intersection",
    "Join",
    "JoinKind",
    "Map",
    "MaxUnion",
    "Opaque",
    "Order",
    "Over",
    "Plan",
    "SetOperation",
    "Slot",
    "SortKey",
    "SplitEvery",
    "Spread",
    "Stream",
    "StrictDifference",
    "Table",
    "Unfold",
    "Union",
    "Values",
    "Window",
    "descendants",
]
