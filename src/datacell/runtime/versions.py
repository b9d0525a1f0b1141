"""The rows of a LATEST window as they are kept: durable as they come, dated when time has come to them.

What comes of a batch is durable before the batch counts as taken. Of the rows that no later answer needs, only the
last of each key is left, once they are so many that it is worth it: so what is kept goes by the keys that are alive and
by what is still to be answered. All else follows from these rows, also after a restart.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from datacell.algebra.open_ends import NOTHING_ENDED, Ended, OpenEnds, ended
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.schema import Schema
from datacell.algebra.versions import NUMBER, OPEN_END, TIME, UNTIL, Rows, Versions
from datacell.engines.arrow import arrow_schema
from datacell.runtime.kept_rows import KeptRows
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.batch import Batch, positions

_NO_CUTS: Positions = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Dated:
    """New rows with their validity, whose ends may be open, and what has become known of open ends."""

    rows: pa.Table
    begins: Positions
    ends: Positions
    ended: Ended


class KeptVersions:
    """It has dated what begins before `until`."""

    def __init__(
        self, described: Versions, plans: Plans, directory: Path, last_batch: int, open_ends: OpenEnds
    ) -> None:
        """`last_batch` is the last one that was taken whole."""
        self.described, self.until = described, -FOREVER
        self._ends = open_ends
        self._below, self._dated, self._last = (plans.prepare(*named) for named in described.named())
        self._columns = [f.name for f in described.columns]
        self._open_schema = arrow_schema(Schema(described.open))
        self.rows = KeptRows(arrow_schema(Schema(described.kept)), TIME, directory, last_batch)
        self._coming, self._open = self.rows.all(), self._open_schema.empty_table()

    def put(self, batch: Batch, since: int) -> None:
        """Once this returns, the rows of a batch are safe; those before an instant come too late.

        If the batch comes again, it was forgotten.
        """
        rows = batch.rows.append_column(TIME, pa.array(batch.times)).append_column(NUMBER, pa.array(batch.numbers))
        in_time = batch.times >= since
        if not in_time.all():
            rows = rows.filter(pa.array(in_time))
        schema = self.rows.schema
        made = self._below({Rows.ARRIVED: rows}).select(schema.names).cast(schema)
        self.rows.put(batch.number, made)
        self._coming = pa.concat_tables([self._coming, made])

    def forget_from(self, number: int) -> bool:
        """A batch that could not be taken comes again; then everything is dated again."""
        was_there = self.rows.forget_from(number)
        if was_there:
            self.reset()
        return was_there

    def reset(self) -> None:
        """Begin again, as if nothing had been dated."""
        self.until = -FOREVER
        self._coming, self._open = self.rows.all(), self._open_schema.empty_table()

    def advance(self, until: int, cuts: Positions = _NO_CUTS) -> Dated:
        """Date what begins before an instant. Cuts are instants since the last one at which what is valid is cut.

        At the end of all input nothing stays open.
        """
        times = positions(self._coming[TIME])
        early = times < until
        new, self._coming = self._coming.filter(pa.array(early)), self._coming.filter(pa.array(~early))
        self.until, closes = max(self.until, until), until > FOREVER
        if not len(new) and not len(cuts) and not closes:
            return Dated(self._open.select(self._columns)[:0], _NO_CUTS, _NO_CUTS, NOTHING_ENDED)
        found = self._known(new, bool(len(cuts)) or closes)
        return self._in_pieces(found, cuts, closes)

    def begins_between(self, since: int, until: int) -> bool:
        times = positions(self._coming[TIME])
        return bool(((times >= since) & (times < until)).any())

    def open_rows(self) -> int:
        return len(self._open)

    def expire(self, before: int) -> None:
        """No later answer needs what ends before this instant."""
        if not self.rows.is_worth_a_look():
            return
        rows = self.rows.old()
        past = positions(rows[TIME]) < before
        last = self._last({Rows.NEW: rows.filter(pa.array(past))}).select(rows.schema.names).cast(rows.schema)
        self.rows.replace_old(pa.concat_tables([last, rows.filter(pa.array(~past))]).combine_chunks())

    def _known(self, new: pa.Table, with_others: bool) -> pa.Table:
        """New rows and the open rows of their keys, with their ends; the other open rows too if they are asked for."""
        schema = self._open_schema.append(pa.field(UNTIL, pa.int64()))
        if not len(new):
            return self._open.append_column(UNTIL, pa.nulls(len(self._open), pa.int64()))
        found = self._dated({Rows.NEW: new, Rows.OPEN: self._open}).select(schema.names).cast(schema)
        touched = positions(found[OPEN_END].drop_null())
        others = self._open.filter(pa.array(~np.isin(positions(self._open[OPEN_END]), touched)))
        if not with_others:
            self._open = others
            return found
        return pa.concat_tables([found, others.append_column(UNTIL, pa.nulls(len(others), pa.int64()))])

    def _in_pieces(self, found: pa.Table, cuts: Positions, closes: bool) -> Dated:
        """The rows cut; the first piece of one that was open is known already, but for its end."""
        if self.described.spec.ends is not None:
            found = found.filter(_is_not(found[self.described.spec.ends]))
        begins, was = positions(found[TIME]), _filled(found[OPEN_END], -1)
        ends = _filled(found[UNTIL], FOREVER if closes else np.iinfo(np.int64).max)
        first, last = np.searchsorted(cuts, begins, side="right"), np.searchsorted(cuts, ends, side="left")
        count = np.where((begins < ends) | (was >= 0), np.maximum(last - first, 0) + 1, 0)
        of = np.repeat(np.arange(len(begins)), count)
        piece = np.arange(len(of)) - np.repeat(np.cumsum(count) - count, count)
        bounds = np.append(cuts, 0)
        is_first, is_last = piece == 0, piece == count[of] - 1
        since = np.where(is_first, begins[of], bounds[np.minimum(first[of] + piece - 1, len(cuts))])
        until = np.where(is_last, ends[of], bounds[np.minimum(first[of] + piece, len(cuts))])
        known, unknown = is_first & (was[of] >= 0), until > FOREVER
        until = until.copy()
        until[unknown & ~known] = self._ends.take(int((unknown & ~known).sum()))
        until[unknown & known] = was[of][unknown & known]
        self._keep_open(found, of[unknown], since[unknown], until[unknown], bool(len(cuts)) or closes)
        settled = known & ~unknown
        rows = found.select(self._columns).take(pa.array(of[~known]))
        return Dated(rows, since[~known], until[~known], ended(was[of][settled], until[settled]))

    def _keep_open(self, found: pa.Table, of: Positions, since: Positions, ends: Positions, are_all: bool) -> None:
        rows = found.select([*self._columns, TIME, NUMBER]).take(pa.array(of))
        rows = rows.set_column(rows.schema.get_field_index(TIME), TIME, pa.array(since))
        opened = rows.append_column(OPEN_END, pa.array(ends)).cast(self._open_schema)
        self._open = opened if are_all else pa.concat_tables([self._open, opened]).combine_chunks()


def _filled(column: pa.ChunkedArray, value: int) -> Positions:
    return np.asarray(column.fill_null(value).to_numpy(), dtype=np.int64)


def _is_not(column: pa.ChunkedArray) -> pa.Array:
    """Not true: false or NULL."""
    return pa.array(~np.asarray(column.fill_null(False).to_numpy(zero_copy_only=False), dtype=np.bool_))
