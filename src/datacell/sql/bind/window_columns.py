"""``window_start`` and ``window_end``: constants of a snapshot, written as expressions of its boundary.

The bare name ``window_end`` is the boundary itself. A window with a slower slide shows its own latest boundary until
the next, so ``p.window_end`` is the last multiple of its slide.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.types import BIGINT, TIMESTAMP
from datacell.algebra.window import (
    Fixed,
    Landmark,
    LandmarkRows,
    LatestBy,
    Range,
    Rows,
    Session,
    WindowSpec,
    counts_rows,
)
from datacell.sql.bind.context import Typed


def query_end(counts_rows: bool) -> Typed:
    return Typed(scalar.boundary(), BIGINT if counts_rows else TIMESTAMP)


def boundaries(window: WindowSpec) -> tuple[int, int] | None:
    """What tells a window's own boundaries apart: their first one modulo the slide, and the slide."""
    match window:
        case Rows(count=count, slide=slide, partition=()):
            return count % slide, slide
        case Rows(slide=slide) | LandmarkRows(slide=slide) | Landmark(slide=slide):
            return 0, slide
        case Range(slide=int(slide)) | Fixed(slide=int(slide)) | LatestBy(slide=int(slide)):
            return 0, slide
    return None


def own_end(window: WindowSpec, others: Collection[WindowSpec]) -> Typed:
    """The boundary that the window itself shows: the query's own where all windows have the same."""
    if len({boundaries(w) for w in (window, *others)} - {None}) <= 1:
        return query_end(counts_rows(window))
    match window:
        case Range(slide=int(slide)) | Fixed(slide=int(slide)) | LatestBy(slide=int(slide)) | Landmark(slide=slide):
            micros = scalar.call("unix_micros", scalar.boundary())
            return Typed(_timestamp(_minus(micros, _modulo(micros, slide))), TIMESTAMP)
        case LandmarkRows(slide=slide) | Rows(slide=slide, partition=(_, *_)):
            return Typed(_minus(scalar.boundary(), _modulo(scalar.boundary(), slide)), BIGINT)
        case Rows(count=count, slide=slide):
            since_first = exp.Paren(this=_minus(scalar.boundary(), _number(count)))
            return Typed(_minus(scalar.boundary(), _modulo(since_first, slide)), BIGINT)
    return Typed(scalar.boundary(), TIMESTAMP)


def own_start(window: WindowSpec, others: Collection[WindowSpec]) -> Typed | None:
    """The start of what the window shows; None where it has none that could be named."""
    end = own_end(window, others).value
    match window:
        case Session():
            return Typed(scalar.boundary_start(), TIMESTAMP)
        case Range(size=size):
            return Typed(_timestamp(_minus(scalar.call("unix_micros", end), _number(size))), TIMESTAMP)
        case Fixed(size=size) | Landmark(reset=int(size)):
            last = exp.Paren(this=_minus(scalar.call("unix_micros", end), _number(1)))
            return Typed(_timestamp(_minus(last, _modulo(last, size))), TIMESTAMP)
        case Landmark(since=since) | LandmarkRows(since=since) if since is not None:
            return Typed(_timestamp(_number(int(since.timestamp() * 1_000_000))), TIMESTAMP)
        case Rows(count=count, partition=()):
            return Typed(exp.Add(this=_minus(end, _number(count)), expression=_number(1)), BIGINT)
        case LandmarkRows():
            return Typed(exp.cast(_number(1), "bigint"), BIGINT)
    return None


def _timestamp(micros: exp.Expr) -> exp.Expr:
    return scalar.call("timestamp_micros", micros)


def _minus(left: exp.Expr, right: exp.Expr) -> exp.Sub:
    return exp.Sub(this=left.copy(), expression=right.copy())


def _modulo(value: exp.Expr, by: int) -> exp.Expr:
    return scalar.call("pmod", value, _number(by))


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)
