"""What a split query keeps, and how its rest reads that, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import gcd

from datacell.algebra import duration
from datacell.algebra.blocks import blocks
from datacell.algebra.plan import Plan
from datacell.algebra.show import Notes
from datacell.algebra.window import Fixed, Landmark, Now, Range, Rows, WindowSpec, counts_rows
from datacell.incremental.cuts import Cuts, Progression
from datacell.incremental.relations import Kept, Latest, Leaf, Relation, Shown, name

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def relation(number: int, described: Relation, by_rows: bool) -> str:
    """A relation in one line: what it keeps, and how that is cut."""
    if isinstance(described, Kept):
        return f"{name(number)}: slices of stream {described.stream}, {cuts(described.cuts, by_rows)}"
    left, right = described.left.relation, described.right.relation
    both = f"{name(left)} with itself" if left == right else f"{name(left)} and {name(right)}"
    return f"{name(number)}: pairs of {both}, each met once and kept until its older row expires"


def cuts(where: Cuts | None, by_rows: bool) -> str:
    """Where a stream is cut."""
    if where is None:
        return "every row a slice of its own"
    periods: dict[int, list[int]] = {}
    for p in needed(where.progressions):
        first = 1 if by_rows else 0
        periods.setdefault(p.period, []).append((p.offset - first) % p.period)
    every = [_every(period, sorted(offsets), by_rows) for period, offsets in periods.items()]
    points = [f"at {_instant(point)}" for point in where.points]
    return f"cut {_listed([*every, *points])}"


def needed(progressions: Sequence[Progression]) -> list[Progression]:
    """Without those whose members all belong to others."""
    left = list(progressions)
    for p in sorted(progressions, reverse=True):
        others = [q for q in left if q != p]
        if any(_covers(period, others, p) for period in {q.period for q in others}):
            left = others
    return left


def notes(relations: Sequence[Relation]) -> Notes:
    """Of a leaf: under which names it reads its relation, why the plan is cut there, and how what is shown is made."""

    def found(node: Plan) -> Mapping[str, str]:
        if not isinstance(node, Shown | Latest):
            return {}
        renamed = node.columns != relations[node.relation].columns
        named = {"named": ", ".join(node.schema.names)} if renamed else {}
        return {**named, "why": node.why, "merged": _merged(node)} if node.why else named

    return found


def _merged(leaf: Leaf) -> str:
    match leaf:
        case Latest(window=window):
            return f"of each key the last {window.count} are looked for at every boundary"
        case Shown(window=None, combination=None):
            return "the pairs that have not expired"
        case Shown(window=None):
            return "the pairs that have not expired, those that expire together combined"
        case Shown(is_merged=True, window=window) if window is not None:
            return _running(window)
    return "slices are concatenated"


def _running(window: WindowSpec) -> str:
    """How a window is put together from running combinations."""
    found = blocks(window)
    if _share_nothing(window):
        return "windows do not overlap"
    if found.size is None:
        return "one running combination"
    size = f"{found.size} rows" if counts_rows(window) else duration.show(found.size)
    if not found.slides:
        return f"one running combination, begun again every {size}"
    return f"a running suffix of one block of {size} with a running prefix of the next"


def _share_nothing(window: WindowSpec) -> bool:
    match window:
        case Range(size=size, slide=int(slide)) | Rows(count=size, slide=slide):
            return size <= slide
        case Fixed(size=size, slide=int(slide)) | Landmark(reset=int(size), slide=slide):
            return slide % size == 0
    return isinstance(window, Now)


def _covers(period: int, others: Sequence[Progression], covered: Progression) -> bool:
    offsets = {q.offset % period for q in others if q.period == period}
    step = gcd(period, covered.period)
    if period // step > len(offsets):
        return False
    return all((covered.offset + k) % period in offsets for k in range(0, period, step))


def _every(period: int, offsets: Sequence[int], by_rows: bool) -> str:
    """``every 2 seconds at 0 and 1 second``; rows are counted from 1."""
    if by_rows:
        often = "before every row" if period == 1 else f"every {period} rows"
        return often if offsets == [0] else f"{often} from rows {_listed(str(o + 1) for o in offsets)}"
    often = f"every {duration.show(period)}"
    return often if offsets == [0] else f"{often} at {_listed(duration.show(o) if o else '0' for o in offsets)}"


def _listed(items: Iterable[str]) -> str:
    *some, last = items
    return f"{', '.join(some)} and {last}" if some else last


def _instant(position: int) -> str:
    return (_EPOCH + timedelta(microseconds=position)).isoformat()
