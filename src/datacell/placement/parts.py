"""The plans that a query really runs, how often, and over how many rows: what is placed.

A query by increments makes slices as rows come, pairs of them, and an answer at boundaries; by re-evaluation it looks
at whole windows at boundaries; row by row it looks at batches. Every run has one fragment or several.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from datacell.algebra import scalar, tree
from datacell.algebra.plan import Plan
from datacell.algebra.query import Query
from datacell.algebra.tree import Key
from datacell.incremental import merge
from datacell.incremental.delta_join import SIDES
from datacell.incremental.inputs import BOUNDARIES, BasketRows, Probes, ScanRows, ShownRows, WindowRows
from datacell.incremental.plans import AnswerPlans, Incremental, Reevaluated
from datacell.incremental.relations import SLICE, Kept, Latest, Leaf, Pairs, Split, name
from datacell.placement.homes import Home, kept_at, row_bytes
from datacell.placement.keeping import Intake, Keeping, Room, baskets, is_numbered, raw_intakes, sliced_intakes
from datacell.placement.sizes import HORIZON, Sizes
from datacell.placement.statistics import BATCH, PRIME, Statistics


@dataclass(frozen=True)
class Part:
    """A plan that is run by itself, runs per second, what is known of what it reads in a run, and where that is."""

    name: str
    plan: Plan
    firings: float
    known: Statistics
    homes: Mapping[Key, Home] = field(default_factory=dict)
    """Of what it reads; in the driver unless it stands here."""
    wanted: Home = Home.DRIVER
    """Where its result is kept, or delivered from."""

    @property
    def rows(self) -> float:
        """What it puts out in a run."""
        return Sizes(self.known).rows(self.plan)

    @property
    def bytes(self) -> float:
        """The same in bytes."""
        return self.rows * row_bytes(self.plan.schema)


@dataclass(frozen=True)
class Parts:
    """All that a query runs and keeps, and what must come to the driver before anything runs."""

    run: tuple[Part, ...] = ()
    kept: tuple[Keeping, ...] = ()
    intakes: tuple[Intake, ...] = ()


def row_by_row(plan: Plan, streams: Iterable[str], known: Statistics, room: Room) -> Parts:
    names = tuple(streams)
    batches: dict[Key, float] = {BasketRows(s): known.rate(s) * BATCH for s in names}
    homes: dict[Key, Home] = {BasketRows(s): room.arrival(s) for s in names}
    return Parts((_delivered(Part("answer", plan, 1 / BATCH, known.adding(batches), homes), room),))


def stateless(plans: Iterable[tuple[str, str, Plan]], known: Statistics, room: Room) -> Parts:
    """At every instant: what is done to the rows of streams as they come, by the names of both."""
    found = []
    for name_, stream, plan in plans:
        slot = BasketRows(stream)
        homes: dict[Key, Home] = {slot: room.arrival(stream)}
        found.append(Part(name_, plan, 1 / BATCH, known.adding({slot: known.rate(stream) * BATCH}), homes))
    return Parts(tuple(found))


def reevaluated(plans: Reevaluated, known: Statistics, room: Room) -> Parts:
    sizes, query = Sizes(known), plans.query
    firings, due = _firings(query, sizes) if plans.answer.many is not None else (sizes.slides(query.plan), 1.0)
    kept = baskets(query, sizes, room)
    rows: dict[Key, float] = {BOUNDARIES: due}
    homes: dict[Key, Home] = {}
    for number, window in enumerate(tree.windows(query.plan)):
        stream = tree.stream_of(window)
        raw = sizes.stream_rows(window)
        rows[WindowRows(number)] = raw + (due - 1) * known.rate(stream) / sizes.slides(window)
        homes[WindowRows(number)] = kept[stream].home
    answer = _answer(plans.answer, firings, due, known.adding(rows, at_boundaries(due)), homes)
    return Parts((_delivered(answer, room),), tuple(kept.values()), tuple(raw_intakes(query, kept, known, room)))


def incremental(plans: Incremental, known: Statistics, room: Room) -> Parts:
    split, sizes = plans.split, Sizes(known)
    firings, due = _firings(split.query, sizes)
    found: list[Part] = []
    kept: list[Keeping] = []
    rows: list[tuple[float, float]] = []
    """Of each relation: the rows of a second, and those alive."""
    for number, relation in enumerate(split.relations):
        if isinstance(relation, Kept):
            part, alive = _kept(number, relation, split, known, room)
        else:
            part, alive = _pairs(number, relation, rows, kept, firings, known)
        rows.append(alive)
        kept.append(_keeping(number, part, alive, split, room))
        if tree.projection(part.plan) is None or Home.CLUSTER in part.homes.values():
            found.append(replace(part, wanted=kept[-1].home))
    read: dict[Key, float] = {BOUNDARIES: due}
    homes: dict[Key, Home] = {}
    for index, leaf in enumerate(split.leaves):
        read |= _read(index, leaf, rows[leaf.relation], split, due, known)
        homes |= dict.fromkeys((ShownRows(index), ScanRows(index)), kept[leaf.relation].home)
    answer = _answer(plans.answer, firings, due, known.adding(read, at_boundaries(due)), homes)
    streams = sorted({r.stream for r in split.relations if isinstance(r, Kept)})
    intakes = tuple(sliced_intakes(split.query, streams, known, room))
    return Parts((*found, _delivered(answer, room)), tuple(kept), intakes)


def at_boundaries(due: float) -> dict[str, float]:
    """Distinct values of the columns that tell the boundary."""
    return {f"{scalar.WINDOW_END}{PRIME}": due, merge.AT: due}


def _answer(plans: AnswerPlans, firings: float, due: float, known: Statistics, homes: Mapping[Key, Home]) -> Part:
    title, plan = list(plans.named())[due > 1]
    return Part(title, plan, firings, known, homes)


def _delivered(answer: Part, room: Room) -> Part:
    """An answer is delivered from the driver unless it would not fit."""
    return replace(answer, wanted=kept_at(answer.bytes, room.memory)[0])


def _firings(query: Query, sizes: Sizes) -> tuple[float, float]:
    """Firings a second, and boundaries in each: batches come no more often than they do."""
    boundaries = sizes.slides(query.plan)
    return min(boundaries, 1 / BATCH), max(1.0, boundaries * BATCH)


def _kept(number: int, kept: Kept, split: Split, known: Statistics, room: Room) -> tuple[Part, tuple[float, float]]:
    batch = known.rate(kept.stream) * BATCH
    slices = {SLICE: max(1.0, Sizes(known).slides(split.query.plan) * BATCH)}
    slot = BasketRows(kept.stream)
    homes: dict[Key, Home] = {} if is_numbered(split.query) else {slot: room.arrival(kept.stream)}
    part = Part(name(number), kept.plan, 1 / BATCH, known.adding({slot: batch}, slices), homes)
    made = part.rows / BATCH
    windows = {w.window for w in tree.windows(split.query.plan) if tree.stream_of(w) == kept.stream}
    return part, (made, made * max((_span(window, split, known) for window in windows), default=0.0))


def _keeping(number: int, part: Part, rows: tuple[float, float], split: Split, room: Room) -> Keeping:
    _, alive = rows
    return room.keeping(name(number), alive * row_bytes(part.plan.schema), number, split.in_driver(number))


def _span(window: object, split: Split, known: Statistics) -> float:
    """Seconds of a stream that a window shows."""
    found = next(w for w in tree.windows(split.query.plan) if w.window == window)
    return Sizes(known).stream_rows(found) / known.rate(tree.stream_of(found))


def _pairs(
    number: int,
    pairs: Pairs,
    rows: Sequence[tuple[float, float]],
    kept: Sequence[Keeping],
    firings: float,
    known: Statistics,
) -> tuple[Part, tuple[float, float]]:
    (left_new, left_all), (right_new, right_all) = (rows[view.relation] for view in (pairs.left, pairs.right))
    sides = (left_new / firings, right_all, left_all, right_new / firings)
    left, right = (kept[view.relation].home for view in (pairs.left, pairs.right))
    homes = dict[Key, Home](zip(SIDES, (left, right, left, right), strict=True))
    part = Part(name(number), pairs.plan, firings, known.adding(dict(zip(SIDES, sides, strict=True))), homes)
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
