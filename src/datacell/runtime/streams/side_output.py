"""Side outputs: the late rows of a stream, and its dead letters, the rejected ones. Bounded: the oldest leave first."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from datacell.runtime.storage import files

MOST_ROWS = 10_000
_BATCH = "__batch"


class SideOutput:
    """A small table in one file, which can be queried.

    Rows are put batch by batch; those of a batch that was not taken in the end are replaced by what comes next.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path, self.schema = path, schema
        with_batch = schema.append(pa.field(_BATCH, pa.int64()))
        saved = [files.read_table(path)[0]] if path.exists() else []
        self._rows = pa.concat_tables([with_batch.empty_table(), *saved], promote_options="default")
        self._last = pc.max(self._rows[_BATCH]).as_py() or 0

    def put(self, batch: int, rows: pa.Table) -> None:
        if not len(rows) and (self._last < batch or not len(self._rows)):
            return
        others = self._rows.filter(pc.less(self._rows[_BATCH], pa.scalar(batch)))
        new = rows.cast(self.schema).append_column(_BATCH, pa.array([batch] * len(rows), pa.int64()))
        together = pa.concat_tables([others, new])
        self._rows = together.slice(max(0, len(together) - MOST_ROWS)).combine_chunks()
        self._last = batch
        files.write_table(self.path, self._rows)

    def rows(self) -> pa.Table:
        return self._rows.drop_columns([_BATCH])
