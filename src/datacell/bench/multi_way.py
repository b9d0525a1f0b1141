"""The multi-way joins of the paper's section 8.2, built after CQ4: averages per plug over windows of several lengths.

Each input is SELECT, AGGR; two of them JOIN; above all joins a PROJECT. Up to five inputs join as ((A⋈B)⋈C)⋈(D⋈E),
every further one on top: these shapes have as many plans as the paper counts.
"""

from __future__ import annotations

from functools import reduce

from datacell.placement.operators import Operator, OperatorKind, Source

VALUE = 8.0
"""Bytes of a column."""
RATE, PLUGS = 2000.0, 1000.0
"""Rows per second of the stream, half of them loads; results of each aggregate per second, with a slide of one."""


def join_query(ways: int) -> Operator:
    """The query with so many windows: 2, 5 or more."""
    inputs = [_average(2 * number + 1) for number in range(ways)]
    if ways < 5:
        joined = reduce(_joined, inputs)
    else:
        a, b, c, d, e, *more = inputs
        joined = reduce(_joined, more, _joined(_joined(_joined(a, b), c), _joined(d, e)))
    return Operator(OperatorKind.MAP, "PROJECT", (joined,), joined.rate, joined.bytes)


def _average(minutes: int) -> Operator:
    plugs = Source(f"plugs of {minutes} min", RATE, 3 * VALUE)
    selected = Operator(OperatorKind.FILTER, "SELECT", (plugs,), RATE / 2, 2 * VALUE)
    return Operator(OperatorKind.AGGREGATE, "AGGR", (selected,), PLUGS, 2 * VALUE)


def _joined(left: Operator, right: Operator) -> Operator:
    return Operator(OperatorKind.JOIN, "JOIN", (left, right), PLUGS, left.bytes + right.bytes - VALUE)


def join_text(ways: int) -> str:
    """The same as a query over smart plugs."""
    inputs = [
        "(SELECT house, household, plug, avg(value) AS mean FROM plugs "
        f"[RANGE {2 * n + 1} MINUTES SLIDE 1 SECOND] WHERE property = 1 GROUP BY house, household, plug) AS w{n}"
        for n in range(ways)
    ]
    first, *others = inputs
    joined = "".join(f" JOIN {other} USING (house, household, plug)" for other in others)
    means = ", ".join(f"w{n}.mean AS mean_{n}" for n in range(ways))
    return f"SELECT house, household, plug, {means} FROM {first}{joined}"
