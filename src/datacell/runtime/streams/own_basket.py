"""Baskets that one query alone reads: two of the thesis' strategies. The third are shared baskets (`basket`).

*Separate baskets.* Of every batch each query gets a copy of the columns that it needs.

*Partial deletes.* Queries over a stream stand in a chain. Each takes the rows that its predicate may be true for, and
leaves the others to the next one. The law: the regions of no two of them have a row in common (`runtime.net.chain`), so
a row that one takes is a row that none after it would have taken, and the order of the chain does not matter.
Windows come before filters, so a part of a batch still tells when all of the batch's rows came (`Batch.whole`).

Either way the rows are durable once, in the basket of the stream, and stay there until everybody is done with them.
After a restart they are dealt out again, perhaps by another strategy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from datacell.algebra.region import Box, Interval, Region, Values
from datacell.runtime.streams.basket import Basket, Dealt, Progress, is_needed
from datacell.runtime.streams.batch import Batch, Mask, Need


class OwnBasket(Basket):
    """What one query gets of a stream, in memory only."""

    def __init__(self, stream: Basket, schema: pa.Schema) -> None:
        super().__init__(schema, stream.account)
        self._stream = stream

    @property
    def progress(self) -> Progress:
        return self._stream.progress

    @property
    def last_batch(self) -> int:
        return self._stream.last_batch

    def fill(self) -> None:
        """With what the stream still has: for a query that comes later, and after a restart."""
        for batch in self._stream.batches:
            self._put(self.deal(batch).mine)

    def put(self, batch: Batch, oldest: Iterable[Need]) -> None:
        if is_needed(batch, list(oldest)):
            self._put(batch)


class SeparateBasket(OwnBasket):
    """A copy of the columns that a query needs."""

    def __init__(self, stream: Basket, columns: Collection[str]) -> None:
        needed = [f for f in stream.schema if f.name in columns] or [stream.schema.field(0)]
        super().__init__(stream, pa.schema(needed))
        self.fill()

    def deal(self, batch: Batch) -> Dealt:
        columns = [_copied(batch.rows[name]) for name in self.schema.names]
        rows = pa.table(columns, schema=self.schema)
        return Dealt(Batch(batch.number, rows, batch.when, batch.first, batch.whole), batch)


class ChainedBasket(OwnBasket):
    """The rows in a region, which nobody else gets."""

    comes_whole = False

    def __init__(self, stream: Basket, region: Region) -> None:
        super().__init__(stream, stream.schema)
        self.region = region
        self.fill()

    def deal(self, batch: Batch) -> Dealt:
        taken = inside(self.region, batch.rows)
        return Dealt(batch.part(taken), batch.part(~taken))


def inside(region: Region, rows: pa.Table) -> Mask:
    """For each row whether it lies in the region."""
    found: Mask = np.zeros(len(rows), dtype=np.bool_)
    for box in region:
        found |= _in_box(box, rows)
    return found


def _in_box(box: Box, rows: pa.Table) -> Mask:
    found: Mask = np.ones(len(rows), dtype=np.bool_)
    for name, values in box.items():
        found &= _in_values(values, rows[name])
    return found


def _in_values(values: Values, column: pa.ChunkedArray) -> Mask:
    nulls = np.asarray(pc.is_null(column).to_numpy(), dtype=np.bool_)
    found: Mask = nulls if values.null else np.zeros(len(column), dtype=np.bool_)
    for interval in values.intervals:
        found = found | (_in_interval(interval, column) & ~nulls)
    return found


def _in_interval(interval: Interval, column: pa.ChunkedArray) -> Mask:
    """NaN is greater than all constants."""
    found: Mask = np.ones(len(column), dtype=np.bool_)
    if interval.low is not None:
        above = pc.greater_equal if interval.low.is_in else pc.greater
        found &= _true(above(column, _scalar(interval.low.value, column.type)))
    if interval.high is not None:
        below = pc.less_equal if interval.high.is_in else pc.less
        found &= _true(below(column, _scalar(interval.high.value, column.type)))
    elif interval.low is not None and pa.types.is_floating(column.type):
        found |= _true(pc.is_nan(column))
    return found


def _scalar(value: object, type_: pa.DataType) -> pa.Scalar:
    """A whole number may be greater than the column's type has room for."""
    return pa.scalar(int(value), pa.int64()) if pa.types.is_integer(type_) else pa.scalar(value, type_)  # type: ignore[call-overload]


def _true(column: pa.ChunkedArray) -> Mask:
    return np.asarray(pc.fill_null(column, fill_value=False).to_numpy(), dtype=np.bool_)


def _copied(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Rows that have memory of their own."""
    return pa.chunked_array([pa.concat_arrays([chunk]) for chunk in column.chunks], column.type)
