"""ISTREAM and DSTREAM: the multiset of rows that entered or left since the boundary before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datacell.algebra.query import TIME_COLUMNS, Emission, Query
from datacell.engines.arrow import arrow_type
from datacell.incremental.boundaries import Boundary
from datacell.incremental.lift import BOUNDARY


def changes(query: Query, rows: pa.Table, ends: Sequence[int], previous: pa.Table | None) -> pa.Table:
    """The changes at each boundary in `ends`; `rows` are the answers there, `previous` the one before the first."""
    before = rows.slice(0, 0).drop_columns([BOUNDARY]) if previous is None else previous
    found = []
    for end in ends:
        now = at(rows, end).drop_columns([BOUNDARY])
        first, second = (now, before) if query.emission is Emission.ISTREAM else (before, now)
        found.append(_stamped(query, _minus(first, second, query.plan.schema.names), end))
        before = now
    return pa.concat_tables(found)


def with_boundary(query: Query, rows: pa.Table, answered: Sequence[Boundary]) -> pa.Table:
    """The answer with its boundary, which the fragment leaves out where there is only one."""
    if BOUNDARY in rows.schema.names:
        return rows
    column = _times(query, rows, answered[0].end)
    return with_time(query, rows, answered[0].end).append_column(BOUNDARY, column)


def with_time(query: Query, rows: pa.Table, end: int) -> pa.Table:
    """The answer at one boundary as it is delivered: with its time, unless the query names that column itself."""
    if BOUNDARY in rows.schema.names:
        return rows.drop_columns([BOUNDARY])
    if len(query.result) == len(query.plan.schema):
        return rows
    (field,) = TIME_COLUMNS[query.timing]
    return rows.add_column(0, field.name, _times(query, rows, end))


def _times(query: Query, rows: pa.Table, end: int) -> pa.Array:
    (field,) = TIME_COLUMNS[query.timing]
    return pa.repeat(pa.scalar(end, arrow_type(field.type)), len(rows))


def in_order(rows: pa.Table) -> pa.Table:
    """The rows by their boundaries; those of one boundary stay in order."""
    ends = rows[BOUNDARY].cast(pa.int64()).to_numpy()
    if (ends[1:] >= ends[:-1]).all():
        return rows
    return rows.take(pa.array(np.argsort(ends, kind="stable")))


def at(rows: pa.Table, boundary: int) -> pa.Table:
    """The rows of one boundary."""
    return rows.filter(pc.equal(rows[BOUNDARY].cast(pa.int64()), pa.scalar(boundary)))


def _minus(left: pa.Table, right: pa.Table, keys: Sequence[str]) -> pa.Table:
    """The multiset difference, by the columns of the query itself."""
    taken: dict[tuple[object, ...], int] = {}
    for row in _values(right, keys):
        taken[row] = taken.get(row, 0) + 1
    kept = []
    for index, row in enumerate(_values(left, keys)):
        if taken.get(row, 0):
            taken[row] -= 1
        else:
            kept.append(index)
    return left.take(pa.array(kept, pa.int64()))


def _values(table: pa.Table, keys: Sequence[str]) -> list[tuple[object, ...]]:
    columns = [[_hashable(v) for v in table[k].to_pylist()] for k in keys]
    return list(zip(*columns, strict=True)) if columns else [()] * len(table)


def _hashable(value: object) -> object:
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - NaN equals NaN here, as it does for DISTINCT
        return "NaN"
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    return tuple(sorted((k, _hashable(v)) for k, v in value.items())) if isinstance(value, dict) else value


def _stamped(query: Query, rows: pa.Table, end: int) -> pa.Table:
    """A change carries the boundary at which it is seen, unless the query names that column itself."""
    for field in TIME_COLUMNS[query.timing]:
        if len(query.result) == len(query.plan.schema):
            continue
        index = rows.schema.get_field_index(field.name)
        stamp = pa.array([end] * len(rows), pa.int64()).cast(rows.schema.field(index).type)
        rows = rows.set_column(index, rows.schema.field(index), stamp)
    return rows
