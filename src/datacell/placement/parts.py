"""The plans that a query really runs, how often, and over how many rows: what is placed.

A query by increments makes slices as rows come, pairs of them, and an answer at boundaries; by re-evaluation it looks
at whole windows at boundaries; row by row it looks at batches. Every run has one fragment or several.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from datacell.algebra import scalar, tree
from datacell.algebra.plan import Plan
from datacell.algebra.query import Query
from datacell.algebra.tree import Key
from datacell.incremental import merge
from datacell.incremental.delta_join import SIDES
from datacell.incremental.inputs import BOUNDARIES, BasketRows, Probes, ScanRows, ShownRows, WindowRows
from datacell.incremental.plans import AnswerPlans, Incremental, Reevaluated
from datacell.incremental.relations import SLICE, Kept, Latest, Leaf, Pairs, Split, name
from datacell.placement.sizes import HORIZON, Sizes
from datacell.placement.statistics import BATCH, PRIME, Statistics


@dataclass(frozen=True)
class Part:
    """A plan that is run by itself, runs per second, and what is known of what it reads in a run."""

    name: str
    plan: Plan
    firings: float
    known: Statistics

    @property
    def rows(self) -> float:
        """What it puts out in a run."""
        return Sizes(self.known).rows(self.plan)


def row_by_row(plan: Plan, streams: Iterable[str], known: Statistics) -> tuple[Part, ...]:
    batches: dict[Key, float] = {BasketRows(s): known.rate(s) * BATCH for s in streams}
    return (Part("answer", plan, 1 / BATCH, known.adding(batches)),)


def reevaluated(plans: Reevaluated, known: Statistics) -> tuple[Part, ...]:
    sizes, query = Sizes(known), plans.query
    firings, due = _firings(query, sizes)
    rows: dict[Key, float] = {BOUNDARIES: due}
    for number, window in enumerate(tree.windows(query.plan)):
        raw = sizes.stream_rows(window)
        rows[WindowRows(number)] = raw + (due - 1) * known.rate(tree.stream_of(window)) / sizes.slides(window)
    return (_answer(plans.answer, firings, due, known.adding(rows, at_boundaries(due))),)


def incremental(plans: Incremental, known: Statistics) -> tuple[Part, ...]:
    split, sizes = plans.split, Sizes(known)
    firings, due = _firings(split.query, sizes)
    found = []
    rows: list[tuple[float, float]] = []
    """Of each relation: the rows of a second, and those alive."""
    for number, relation in enumerate(split.relations):
        if isinstance(relation, Kept):
            part, alive = _kept(number, relation, split, known)
        else:
            part, alive = _pairs(number, relation, rows, firings, known)
        rows.append(alive)
        if tree.projection(part.plan) is None:
            found.append(part)
    read: dict[Key, float] = {BOUNDARIES: due}
    for index, leaf in enumerate(split.leaves):
        read |= _read(index, leaf, rows[leaf.relation], split, due, known)
    return (*found, _answer(plans.answer, firings, due, known.adding(read, at_boundaries(due))))


def at_boundaries(due: float) -> dict[str, float]:
    """Distinct values of the columns that tell the boundary."""
    return {f"{scalar.WINDOW_END}{PRIME}": due, merge.AT: due}


def _answer(plans: AnswerPlans, firings: float, due: float, known: Statistics) -> Part:
    title, plan = list(plans.named())[due > 1]
    return Part(title, plan, firings, known)


def _firings(query: Query, sizes: Sizes) -> tuple[float, float]:
    """Firings a second, and boundaries in each: batches come no more often than they do."""
    boundaries = sizes.slides(query.plan)
    return min(boundaries, 1 / BATCH), max(1.0, boundaries * BATCH)


def _kept(number: int, kept: Kept, split: Split, known: Statistics) -> tuple[Part, tuple[float, float]]:
    batch = known.rate(kept.stream) * BATCH
    slices = {SLICE: max(1.0, Sizes(known).slides(split.query.plan) * BATCH)}
    part = Part(name(number), kept.plan, 1 / BATCH, known.adding({BasketRows(kept.stream): batch}, slices))
    made = part.rows / BATCH
    spans = [_span(w.window, split, known) for w in tree.windows(split.query.plan) if tree.stream_of(w) == kept.stream]
    return part, (made, made * max(spans, default=0.0))


def _span(window: object, split: Split, known: Statistics) -> float:
    """Seconds of a stream that a window shows."""
    found = next(w for w in tree.windows(split.query.plan) if w.window == window)
    return Sizes(known).stream_rows(found) / known.rate(tree.stream_of(found))


def _pairs(
    number: int, pairs: Pairs, rows: list[tuple[float, float]], firings: float, known: Statistics
) -> tuple[Part, tuple[float, float]]:
    (left_new, left_all), (right_new, right_all) = (rows[view.relation] for view in (pairs.left, pairs.right))
    sides = (left_new / firings, right_all, left_all, right_new / firings)
    part = Part(name(number), pairs.plan, firings, known.adding(dict(zip(SIDES, sides, strict=True))))
    made = part.rows * firings
    span = max(left_all / max(left_new, 1e-9), right_all / max(right_new, 1e-9))
    return part, (made, made * min(span, HORIZON))


def _read(
    index: int, leaf: Leaf, rows: tuple[float, float], split: Split, due: float, known: Statistics
) -> dict[Key, float]:
    """What a leaf reads: a front and a suffix of combined rows, or all that is alive."""
    made, alive = rows
    if isinstance(leaf, Latest) or not leaf.is_merged:
        return {ShownRows(index): alive}
    assert leaf.window is not None
    assert leaf.combination is not None
    keys = [scalar.column(k) for k in leaf.combination.keys]
    groups = Sizes(known).groups(keys, made * _span(leaf.window, split, known))
    if due <= 1:
        return {ShownRows(index): 2 * groups}
    return {ShownRows(index): groups * due, ScanRows(index): groups + made * BATCH, Probes(index): due}
