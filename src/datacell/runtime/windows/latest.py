"""What a LATEST window shows at boundaries: rows are dated up to each of its own boundaries."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from datacell.algebra.open_ends import is_open
from datacell.algebra.positions import FOREVER
from datacell.algebra.versions import UNTIL
from datacell.algebra.window import LatestBy
from datacell.incremental.boundaries import Validities, latest_own
from datacell.incremental.lift import POSITION
from datacell.runtime.streams.batch import Batch, positions
from datacell.runtime.versions import KeptVersions


class LatestRows:
    """Of one window of a query with these slides; dated rows stay as long as some boundary to come shows them."""

    def __init__(self, kept: KeptVersions, slides: tuple[int, ...]) -> None:
        self.kept, self._slides = kept, slides
        self._rows: pa.Table | None = None

    @property
    def spec(self) -> LatestBy:
        return self.kept.described.spec

    def put(self, batch: Batch, answered: int) -> None:
        """Rows come too late once a boundary after them has been answered."""
        if answered != -FOREVER:
            answered = latest_own(self.spec, answered, self._slides)
        self.kept.put(batch, max(answered, self.kept.until))

    def forget_from(self, number: int) -> None:
        if self.kept.forget_from(number):
            self._rows = None

    def validities(self, watermark: int, ended: bool) -> Validities:
        """When rows are valid, as far as boundaries up to the watermark show it."""
        last = self.kept.rows.extent[1]
        if not self.kept.rows.is_empty() and (ended or watermark != -FOREVER):
            least = min(self._slides if self.spec.slide is None else (self.spec.slide,))
            self._advance(latest_own(self.spec, last + least if ended else watermark, self._slides))
        if self._rows is None:
            nothing = np.empty(0, dtype=np.int64)
            return Validities(nothing, nothing, last)
        ends = positions(self._rows[UNTIL])
        return Validities(positions(self._rows[POSITION]), np.where(is_open(ends), FOREVER, ends), last)

    def shown(self, first: int, last: int) -> pa.Table:
        """The rows that the window shows at some of its own boundaries between these two."""
        self._advance(last)
        assert self._rows is not None
        begins, ends = positions(self._rows[POSITION]), positions(self._rows[UNTIL])
        return self._rows.filter(pa.array((begins < last) & (ends >= first)))

    def expire(self, boundary: int) -> None:
        """Let go of what no boundary after this one shows."""
        needed = boundary + 1 if self.spec.slide is None else (boundary + 1) // self.spec.slide * self.spec.slide
        if self._rows is not None:
            live = positions(self._rows[UNTIL]) >= needed
            self._rows = self._rows if live.all() else self._rows.filter(pa.array(live)).combine_chunks()
        self.kept.expire(needed)

    def _advance(self, until: int) -> None:
        if self._rows is not None and until <= self.kept.until:
            return
        dated = self.kept.advance(until)
        new = dated.rows.append_column(POSITION, pa.array(dated.begins)).append_column(UNTIL, pa.array(dated.ends))
        if self._rows is None:
            self._rows = new
            return
        ends = pa.array(dated.ended.known(positions(self._rows[UNTIL])))
        before = self._rows.set_column(self._rows.schema.get_field_index(UNTIL), UNTIL, ends)
        self._rows = pa.concat_tables([before, new.cast(before.schema)])
