"""Rows set aside: late ones and rejected ones, kept for a look. Bounded: the oldest leave first."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from datacell.runtime.storage import files

MOST_ROWS = 10_000
_BATCH = "__batch"


class Aside:
    """A small table in one file. Putting the rows of a batch again replaces them."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path, self.schema = path, schema
        with_batch = schema.append(pa.field(_BATCH, pa.int64()))
        self._rows = files.read_table(path)[0] if path.exists() else with_batch.empty_table()

    def put(self, batch: int, rows: pa.Table) -> None:
        if not len(rows):
            return
        others = self._rows.filter(pc.not_equal(self._rows[_BATCH], pa.scalar(batch)))
        new = rows.cast(self.schema).append_column(_BATCH, pa.array([batch] * len(rows), pa.int64()))
        together = pa.concat_tables([others, new])
        self._rows = together.slice(max(0, len(together) - MOST_ROWS)).combine_chunks()
        files.write_table(self.path, self._rows)

    def rows(self) -> pa.Table:
        return self._rows.drop_columns([_BATCH])
