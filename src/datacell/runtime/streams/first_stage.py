"""The first stage of a stream: what is made of a micro-batch on the executors, for all queries in one pass.

The law: what a reader *wants* is a plan over the rows of a micro-batch alone, so it can be made before the batch is
taken and wherever the rows are. A reader that wants nothing needs the rows as they are: they are transferred. What was
made has a home: it was transferred to the driver, or executors have written it to files. Whether a row may enter, and
how far time has come, is found out in the same jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from datacell.algebra.plan import Plan
from datacell.algebra.positions import FOREVER, Positions
from datacell.engines.protocol import Csv, Files
from datacell.engines.transfers import Account
from datacell.incremental.cuts import Cuts
from datacell.runtime.streams.ahead import Spans

ANY_SLICE = 0
"""The slice that rows are made in whose time is not known before they are taken; then they are all in one."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """What a reader wants made of every micro-batch: `plan` over its rows, which know their slices if there are cuts.

    `tables` gives what the plan reads beside the stream. What stays on the cluster is put into `directory(batch)`.
    """

    plan: Plan
    cuts: Cuts | None
    tables: Callable[[], Mapping[str, pa.Table]]
    directory: Callable[[int], str]
    stays: Callable[[], bool | None]
    """Do the rows that are made stay on the cluster? None as long as nobody knows how many they will be."""
    learn: Callable[[int, int, float], None]
    """Is told how many rows were read and how many made of them, and in how many seconds."""
    account: Account
    form: Callable[[], Csv | None] = lambda: None
    """How the rows are written that stay on the cluster; None is Parquet."""
    time: str | None = None
    """The column of what is made that tells the time of each row, if there is one: then the plan reads times."""


@dataclass(frozen=True, eq=False)
class Made:
    """Rows that were made, and the slices that the batch had rows in; of rows that know their times, these."""

    rows: pa.Table | Files
    occupied: Positions

    def without(self, slices: Positions, column: str) -> Made:
        """What was made, but nothing of these slices; files still have their rows, which nobody asks for."""
        if not len(slices):
            return self
        left = self.occupied[~np.isin(self.occupied, slices)]
        if isinstance(self.rows, Files):
            return Made(self.rows, left)
        at = self.rows[column].to_numpy()
        return Made(self.rows.filter(pa.array(~np.isin(at, slices))), left)


MadeOf = tuple[Wanted, Made]
"""What was wanted, and what was made."""


@dataclass(frozen=True)
class Arrived:
    """A batch that stays on the cluster: its number, and the arrival number of what comes after it.

    `time` is that of all its rows, where a row's time is its arrival; `latest` is the greatest of their times.
    """

    number: int
    next_row: int
    time: int | None
    latest: int


@dataclass(frozen=True, eq=False)
class Staged:
    """A micro-batch whose rows stay on the cluster: what is known of them, and what was made of them.

    `times` gives the times of the rows before an instant, each with how often it is there; `rows_before` gives some of
    these rows, with their times. Both take a job, and both are asked only if rows have come too late.
    """

    count: int
    earliest: int
    latest: int
    rejected: int
    dead_letters: pa.Table
    """Of the rejected rows as many as are kept."""
    made: Sequence[MadeOf]
    times: Callable[[int], tuple[Positions, Positions]]
    rows_before: Callable[[int], tuple[pa.Table, Positions]]
    spans: Callable[[int], Spans]
    """The times of the rows in spans shorter than this. It takes a job, and is asked only if time may have leapt."""

    @property
    def is_empty(self) -> bool:
        return not self.count

    def slices(self) -> Positions:
        """The slices that have rows, and the times of rows that know them; none if nobody asked for any."""
        found = [made.occupied for _, made in self.made]
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *found]))


NO_TIME = (FOREVER, -FOREVER)
"""The least and the greatest time of no rows."""
