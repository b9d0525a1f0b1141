"""INSERT INTO a stream: the answers of a query become rows of another stream, firing by firing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from datacell.runtime.storage.output import Output
from datacell.runtime.streams.stream import RunningStream


class Feeder:
    """Moves the firings of an output into a basket, each exactly once: its number is the batch's."""

    def __init__(self, source: str, output: Output, columns: Sequence[str], stream: RunningStream) -> None:
        self.source, self.output, self.columns, self.stream = source, output, list(columns), stream

    @property
    def cursor(self) -> int:
        return self.stream.basket.sources.get(self.source, -1) + 1

    def enabled(self) -> bool:
        return self.output.next_number > self.cursor

    def fire(self) -> None:
        firing = self.output.wait(self.cursor, 0)
        if firing is None:
            return
        rows = firing.rows.select(self.columns).rename_columns(self.stream.schema.names).cast(self.stream.schema)
        taken, rejected = self._timed(rows)
        self.stream.take(self.source, firing.number, taken, rejected, None)

    def _timed(self, rows: pa.Table) -> tuple[pa.Table, pa.Table]:
        """A row without its event time has no place in the stream."""
        column = self.stream.definition.event_time
        if column is None or not rows[column].null_count:
            return rows, self.stream.rejected.schema.empty_table()
        without = rows.filter(pc.is_null(rows[column]))
        return rows.filter(pc.is_valid(rows[column])), self._rejected(without, column)

    def _rejected(self, rows: pa.Table, column: str) -> pa.Table:
        count = len(rows)
        values: list[list[Any]] = [
            [self.stream.clock.now()] * count,
            [f"{column}, its event time, is NULL"] * count,
            [str(row) for row in rows.to_pylist()],
        ]
        schema = self.stream.rejected.schema
        return pa.table([pa.array(v, f.type) for v, f in zip(values, schema, strict=True)], schema=schema)
