"""Adaptive coalescing: coalesced rows are fewer, but each of them waits for one that may continue it.

While rows pass as they are, a sample of them is coalesced now and then, only to be counted. While they are coalesced,
what comes in and goes out is counted, in rounds. A round ends as soon as so many rows have come that it costs little to
let the open ones go: so nobody waits for a value that hardly ever changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from datacell.runtime.instants.cut_points import shown

SAMPLE, LARGEST_SAMPLE = 512, 16_384
"""Rows in a sample; twice as many after each that was in vain, because equal rows of many keys lie far apart."""

REST = 8
"""So many times a sample passes before the next."""

WORTH_IT, IN_VAIN = 0.5, 0.8
"""What may be left of rows for coalescing to begin, and what for it to end."""

ROUND = 16
"""So many times the open rows come before these are let go."""

MOST_TAKES = 32
"""In a sample or a round: where rows come in ones and twos, a call of an engine costs more than they do."""


@dataclass
class AdaptiveCoalescing:
    """Whether to coalesce at one place, by what was seen there lately."""

    size: int = field(default_factory=lambda: SAMPLE)
    rows: int = 0
    """Rows that came, in the sample or in the round."""
    made: int = 0
    """What they became, as far as that is known."""
    seen: tuple[int, int] | None = None
    """Rows before and after, of the last sample or since coalescing began."""
    since: int | None = None
    """When coalescing began."""
    _takes: int = 0
    _rest: int = 0
    _sample: list[pa.Table] = field(default_factory=list)

    def passed(self, rows: pa.Table) -> pa.Table | None:
        """Rows have passed as they are; if a sample is full it is given back, to be coalesced and counted."""
        self._rest -= len(rows)
        if self._rest > 0:
            return None
        self._sample.append(rows)
        self._came(rows)
        if self.rows < self.size and self._takes < MOST_TAKES:
            return None
        sample, is_full = pa.concat_tables(self._sample), self.rows >= self.size
        self._rest = REST * max(self.rows, self.size)
        self._begin()
        return sample if is_full else None

    def is_worth_it(self, rows: int, made: int, now: int) -> bool:
        """A sample of so many rows has become so many: shall they be coalesced from now on?"""
        worth = made <= WORTH_IT * rows
        self.size = SAMPLE if worth else min(2 * self.size, LARGEST_SAMPLE)
        self.seen, self.since = ((0, 0), now) if worth else ((rows, made), None)
        return worth

    def coalesced(self, rows: pa.Table, made: int) -> None:
        """Rows have come, and so many went out."""
        self._came(rows)
        self.made += made

    def is_over(self, waiting: int) -> bool:
        """May the round end, now that so many rows wait?"""
        return self._takes >= MOST_TAKES or self.rows >= max(SAMPLE, ROUND * waiting)

    def goes_on(self, waiting: int) -> bool:
        """A round has ended: shall there be another?"""
        rows, made = self.rows, self.made + waiting
        worth = rows >= SAMPLE and made <= IN_VAIN * rows
        before = (self.seen or (0, 0)) if worth else (0, 0)
        self.seen = before[0] + rows, before[1] + made
        self._begin()
        self.made = -waiting  # they were counted, and are still to go out
        return worth

    def remark(self, coalesces: bool) -> str:
        rows, made = self.seen or (0, 0)
        if coalesces:
            since = "" if self.since is None else f" since {shown(self.since)}"
            return f"coalesced{since}: {rows} rows became {made}"
        return f"not coalesced: {rows} rows would become {made}" if rows else ""

    def _came(self, rows: pa.Table) -> None:
        if len(rows):
            self.rows += len(rows)
            self._takes += 1

    def _begin(self) -> None:
        self.rows = self.made = self._takes = 0
        self._sample = []
