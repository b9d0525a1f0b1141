"""Smart plugs: rows that are distributed like the DEBS 2014 data, from a seed.

Half of the plugs are always off; the loads of the others are spread over three decades. A plug reports every two
seconds or so, two rows at a time: its load in watts (property 1), which mostly is what it was, and its work in kWh
(property 0), which grows very slowly and now and then steps back. Ten houses have some 450 plugs and 400 rows a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

START = 1_377_986_401
"""Seconds since the epoch: when the real data begins."""

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("ts", pa.timestamp("us", tz="UTC")),
        ("value", pa.float64()),
        ("property", pa.int32()),
        ("plug", pa.int32()),
        ("household", pa.int32()),
        ("house", pa.int32()),
    ]
)

COLUMNS = "id BIGINT, ts TIMESTAMP, value DOUBLE, property INT, plug INT, household INT, house INT"

_GAPS, _GAP_SHARES = np.array([0, 1, 2, 3, 4, 5, 6]), np.array([0.03, 0.12, 0.62, 0.09, 0.06, 0.05, 0.03])
_STEPS, _STEP_SHARES = np.array([0.0, 0.001, -0.001]), np.array([0.983, 0.015, 0.002])
_LOAD_SHARES, _LOADS = np.array([0, 0.324, 0.73, 0.865, 0.973, 1]), np.array([0.8, 15.1, 58.8, 194.0, 409.0, 600.0])
"""Quantiles of the loads of plugs that are on; between them, the logarithm is even."""

_WORK_MEDIAN, _WORK_SPREAD, _LARGEST_WORK = 3.2, 2.0, 174.0
_SPAN = 120
"""Seconds of the stream that are made at a time."""

_Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
_Integers = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True)
class Plugs:
    """The plugs there are: where each one is and what it is like."""

    plug: _Integers
    household: _Integers
    house: _Integers
    load: _Floats
    work: _Floats


@dataclass
class _State:
    """When each plug reports next, and what it reported last."""

    next: _Integers
    load: _Floats
    work: _Floats


def tables(rows: int | None = None, seed: int = 1, houses: int = 10, start: int = START) -> Iterator[pa.Table]:
    """Rows in the order of their time, `rows` of them or without end, in tables of two minutes each."""
    random = np.random.default_rng(seed)
    plugs = population(random, houses)
    count = len(plugs.plug)
    state = _State(start + random.integers(0, 3, count), plugs.load.copy(), plugs.work.copy())
    first = 0
    while rows is None or first < rows:
        table = _table(plugs, _reports(random, plugs, state, start + _SPAN), first)
        start += _SPAN
        kept = len(table) if rows is None else min(len(table), rows - first)
        yield table.slice(0, kept)
        first += kept


def population(random: np.random.Generator, houses: int) -> Plugs:
    """Houses of 2 to 11 households of 1 to 14 plugs."""
    places = [
        (plug, household, house)
        for house in range(houses)
        for household in range(random.integers(2, 12))
        for plug in range(random.integers(1, 15))
    ]
    plug, household, house = np.array(places, dtype=np.int64).T
    count = len(places)
    on = random.permutation(count) < count / 2
    load = np.exp(np.interp(random.random(count), _LOAD_SHARES, np.log(_LOADS))) * on
    work = np.minimum(_WORK_MEDIAN * np.exp(_WORK_SPREAD * random.standard_normal(count)), _LARGEST_WORK)
    return Plugs(plug, household, house, load, np.round(work, 3).astype(np.float64))


def _reports(
    random: np.random.Generator, plugs: Plugs, state: _State, end: int
) -> tuple[_Integers, _Integers, _Floats, _Floats]:
    """When, which plug, load and work, of all reports before `end`, by time."""
    shape = (len(plugs.plug), _SPAN)
    gaps = _chosen(random, _GAPS, _GAP_SHARES, shape)
    times = state.next[:, None] + np.cumsum(gaps, axis=1) - gaps[:, :1]
    load = _held(state.load, random.random(shape) < 0.36, _fresh_loads(random, plugs, shape))
    work = state.work[:, None] + np.cumsum(_chosen(random, _STEPS, _STEP_SHARES, shape), axis=1)
    due = times < end
    used = due.sum(axis=1)
    each = np.arange(len(plugs.plug))
    last = np.maximum(used - 1, 0)
    state.load = np.where(used > 0, load[each, last], state.load)
    state.work = np.where(used > 0, work[each, last], state.work)
    state.next = np.where(used < _SPAN, times[each, np.minimum(used, _SPAN - 1)], end)
    which = np.nonzero(due)[0]
    order = np.argsort(times[due], kind="stable")
    return times[due][order], which[order], np.round(load[due][order], 3), np.round(work[due][order], 3)


def _fresh_loads(random: np.random.Generator, plugs: Plugs, shape: tuple[int, int]) -> _Floats:
    """A load varies by some 8 % around the plug's own, and now and then the plug is off."""
    around: _Floats = plugs.load[:, None] * np.maximum(0.0, 1 + 0.076 * random.standard_normal(shape))
    return around * (random.random(shape) > 0.26)


def _held(before: _Floats, changed: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], fresh: _Floats) -> _Floats:
    """Each value is fresh where it changed, else what it was before."""
    index = np.where(changed, np.arange(1, fresh.shape[1] + 1), 0)
    latest = np.maximum.accumulate(index, axis=1)
    values = np.concatenate([before[:, None], fresh], axis=1)
    held: _Floats = np.take_along_axis(values, latest, axis=1)
    return held


def _chosen(random: np.random.Generator, values: _Floats | _Integers, shares: _Floats, shape: tuple[int, int]):  # type: ignore[no-untyped-def]
    return values[np.searchsorted(np.cumsum(shares), random.random(shape), side="right").clip(max=len(values) - 1)]


def _table(plugs: Plugs, reports: tuple[_Integers, _Integers, _Floats, _Floats], first: int) -> pa.Table:
    """Two rows per report: load, then work."""
    times, which, load, work = reports
    count = 2 * len(times)
    values = np.empty(count)
    values[0::2], values[1::2] = load, work
    columns = [
        np.arange(first, first + count),
        np.repeat(times * 1_000_000, 2),
        values,
        np.tile(np.array([1, 0], np.int32), len(times)),
        *(np.repeat(place[which].astype(np.int32), 2) for place in (plugs.plug, plugs.household, plugs.house)),
    ]
    return pa.table([pa.array(c).cast(f.type) for c, f in zip(columns, SCHEMA, strict=True)], schema=SCHEMA)
