"""What a SELECT over a stream may answer from: all rows that ever came, or those that `datacell.keep` keeps."""

from __future__ import annotations

import pyarrow as pa

from datacell.errors import SqlError, in_backticks
from datacell.runtime.streams.stream import RunningStream


def all_rows(stream: RunningStream) -> pa.Table:
    """The rows; an error if some of those that are asked for have left."""
    if stream.keeper is not None:
        return stream.keeper.rows()
    basket, name = stream.basket, stream.definition.name
    there, taken = sum(len(batch.rows) for batch in basket.batches), basket.progress.rows
    if there == taken:
        return basket.rows()
    what = f"{there:,} of {taken:,} rows" if there else "only partial results"
    raise SqlError(
        f"{what} of {name} are kept, as far as queries still need them",
        hint=f"CREATE STREAM {in_backticks(name) if not name.isidentifier() else name} (…) WITH ('datacell.keep' = "
        "'1 hour') keeps rows; or ask the latest answer of a query: SELECT * FROM the query's name",
    )
