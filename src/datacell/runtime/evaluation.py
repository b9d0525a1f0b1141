"""The contract between a factory and what answers its query.

There are three ways: row by row, at boundaries, at every instant. Each has a description (`compile.evaluation`), a
state that is saved with every firing, and the logic in between, which is what this protocol is about.

Who calls, and when. Before a batch is put into a basket: `prepare`, from any thread and without effect, then `ingest`.
Of a batch whose rows stay on the cluster, `wanted` is asked before it is read, then `ingest_made` is called instead.
Whenever something has changed: `is_due`, and if it is `fire`; once what it gave is durable, `keep`; then `expire`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from datacell.algebra.positions import Positions
from datacell.engines.transfers import Account
from datacell.runtime.storage.firings import Answer
from datacell.runtime.streams.batch import Batch, Need
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
from datacell.runtime.streams.lateness import AnsweredWindow

PreparedBatch = Mapping[int, Any]
"""What was made of a batch ahead of time, by the number of the relation that it is for."""


@dataclass(frozen=True)
class Readiness:
    """What an evaluation may count on: the least watermark of its streams, and whether the input has ended."""

    watermark: int
    ended: bool


Ready = Callable[[], Readiness]


@dataclass(frozen=True)
class Fired:
    """The outcome of a firing: rows to deliver, the latest answer, what to save, how many times it has answered.

    `beside` is the latest answer where the rows do not tell it.
    """

    rows: Answer
    latest: Answer
    state: Any
    saved: Mapping[str, Any]
    answered: int = 1
    beside: pa.Table | None = None


@dataclass(frozen=True)
class Held:
    """In how many chunks a slice is ingested at present, and how many rows are held beside the baskets.

    `bytes` is what they take in the driver if they are held as they came, until time has come to them.
    """

    chunks: int
    rows: int
    bytes: int = 0


class Evaluation(Protocol):
    strategy: str

    def prepare(self, stream: str, batch: Batch) -> PreparedBatch:
        """What can be made of a batch that is about to come, whatever its number, without changing anything."""

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch) -> None:
        """A batch is about to be put into the basket; what is needed of it may be kept already."""

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:
        """What can be made of a batch of about so many rows where it is; None if its rows are needed, or cheaper."""

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None:
        """A batch stays on the cluster; what is needed was made of it. Slices that were missed are left out."""

    def is_due(self, ready: Ready) -> bool:
        """Is there something to answer?"""

    def fire(self, ready: Ready) -> Fired | None:
        """Answer what is due; None if there is nothing to deliver or save."""

    def keep(self, fired: Fired) -> None:
        """What a firing gave is durable: go on from there."""

    def oldest_needed(self, stream: str, coming: bool) -> list[Need]:
        """What is still needed of a stream's raw rows; of a batch that is `coming`, by who answers row by row, all."""

    def answered_windows(self, stream: str, watermark: int) -> list[AnsweredWindow] | None:
        """Windows over the stream with how far each has been answered; None if no row comes too late."""

    def transfers(self) -> Iterable[tuple[str, Account]]:
        """What was transferred for the query beside what its fragments read and give, by part."""

    def expire(self) -> None:
        """Let go of what no later answer needs."""

    def held(self) -> Held | None:
        """What is held beside the baskets, if anything."""

    def latest(self) -> pa.Table | None:
        """The latest answer, if there is one."""

    def remark(self) -> str:
        """What was decided while it ran, for readers."""
