"""What a SELECT over a stream may answer from: all rows that ever came, or those that `datacell.keep` keeps."""

from __future__ import annotations

import logging

import pyarrow as pa

from datacell.algebra.window import instant_text
from datacell.errors import SqlError, in_backticks
from datacell.runtime.streams.stream import RunningStream

_LOG = logging.getLogger("datacell")


def all_rows(stream: RunningStream) -> pa.Table:
    """The rows; an error if some of those that are asked for have left, a warning if memory was short."""
    if stream.keeper is not None:
        if (until := stream.keeper.short) is not None:
            told = "%s: rows up to %s were to be kept, and left for want of driver_memory; this answer is without them"
            _LOG.warning(told, stream.definition.name, instant_text(until))
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
