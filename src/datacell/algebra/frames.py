"""Frames: a call over those rows of a partition that an order has come to, a running combination.

Every frame begins at an edge of the partition and grows by a row at a time, because that is linear on both engines. A
prefix runs forward, a suffix backward.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra import scalar

_CURRENT = {"end": "CURRENT ROW"}
_PREVIOUS = {"end": "1", "end_side": "PRECEDING"}


def among(call: exp.Expr, by: Sequence[str]) -> exp.Window:
    """A call over all rows of the partition."""
    return exp.Window(this=call.copy(), partition_by=[scalar.column(b) for b in by], over="OVER")


def so_far(call: exp.Expr, by: Sequence[str], order: Sequence[str]) -> exp.Window:
    """A call over the rows up to this one: a prefix."""
    return _framed(_forward(call, by, order), _CURRENT)


def before(call: exp.Expr, by: Sequence[str], order: Sequence[str]) -> exp.Window:
    """A call over the rows before this one."""
    return _framed(_forward(call, by, order), _PREVIOUS)


def after(call: exp.Expr, by: Sequence[str], order: Sequence[str]) -> exp.Window:
    """A call over the rows after this one: a suffix."""
    return _framed(_backward(call, by, order), _PREVIOUS)


def following(column: str, by: Sequence[str], order: Sequence[str]) -> exp.Window:
    """The column's value in the next row."""
    return _forward(scalar.call("lead", scalar.column(column)), by, order)


def row_number(by: Sequence[str], order: Sequence[str]) -> exp.Window:
    return _forward(scalar.call("row_number"), by, order)


def numbered(by: Sequence[str], keys: Sequence[exp.Ordered]) -> exp.Window:
    """The number of a row within its partition, ordered by any keys."""
    window = among(scalar.call("row_number"), by)
    return _ordered(window, keys) if keys else window


def _forward(call: exp.Expr, by: Sequence[str], order: Sequence[str]) -> exp.Window:
    return _ordered(among(call, by), [exp.Ordered(this=scalar.column(c), nulls_first=True) for c in order])


def _backward(call: exp.Expr, by: Sequence[str], order: Sequence[str]) -> exp.Window:
    keys = [exp.Ordered(this=scalar.column(c), desc=True, nulls_first=False) for c in order]
    return _ordered(among(call, by), keys)


def _ordered(window: exp.Window, keys: Sequence[exp.Ordered]) -> exp.Window:
    window.set("order", exp.Order(expressions=list(keys)))
    return window


def _framed(window: exp.Window, end: dict[str, str]) -> exp.Window:
    window.set("spec", exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", **end))
    return window
