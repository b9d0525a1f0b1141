"""Re-evaluation: windows are evaluated again at every boundary, over the rows of baskets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from datacell.algebra.open_ends import OpenEnds
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.query import TIME_COLUMNS
from datacell.algebra.tree import Key
from datacell.engines.arrow import arrow_schema
from datacell.engines.transfers import Account
from datacell.incremental import lift
from datacell.incremental.boundaries import Boundary, Validities
from datacell.incremental.inputs import BOUNDARIES, WindowRows
from datacell.incremental.plans import Reevaluated
from datacell.runtime.evaluation import Held, PreparedBatch
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Batch, Need
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
from datacell.runtime.versions import KeptVersions
from datacell.runtime.windows.latest import LatestRows
from datacell.runtime.windows.query_windows import QueryWindows


class Reevaluation:
    """Keeps nothing: the baskets have everything, but for the rows of LATEST windows.

    `answered` says up to which boundary there are answers.
    """

    def __init__(
        self,
        described: Reevaluated,
        baskets: Mapping[str, Basket],
        plans: Plans,
        directory: Path,
        answered: Callable[[], int],
    ) -> None:
        query = described.query
        self._answered = answered
        self.baskets = baskets
        self.windows = QueryWindows.of(query)
        (time,) = TIME_COLUMNS[query.timing]
        self._boundaries_schema = arrow_schema(lift.boundaries_schema(time.type, len(self.windows.specs)))
        self._one, *self._many = (plans.prepare(*named) for named in described.answer.named())
        self._latest = {
            one.index: LatestRows(
                KeptVersions(
                    one,
                    plans,
                    directory / f"latest-{one.index}",
                    baskets[one.stream].last_batch,
                    OpenEnds(),
                ),
                self.windows.slides,
            )
            for one in described.versions
        }

    def prepare(self, stream: str, batch: Batch) -> PreparedBatch:  # noqa: ARG002
        return {}

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch) -> None:  # noqa: ARG002
        """The rows are needed as they are; those of LATEST windows are kept for longer than others."""
        for index, latest in self._latest.items():
            if self.windows.streams[index] == stream:
                latest.forget_from(batch.number)
                latest.put(batch, self._answered())

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:  # noqa: ARG002
        return None

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None:
        """Nothing was wanted."""

    def positions(self, watermark: int, ended: bool) -> list[Positions | Validities]:
        return [
            self._latest[index].validities(watermark, ended) if index in self._latest else self.baskets[stream].times()
            for index, stream in enumerate(self.windows.streams)
        ]

    def at_once(self) -> int:
        return FOREVER if self._many else 1

    def answer(self, due: Sequence[Boundary]) -> pa.Table:
        inputs: dict[Key, pa.Table] = {BOUNDARIES: self._boundaries(due)}
        for index, stream in enumerate(self.windows.streams):
            shown = [b.shown[index] for b in due]
            start, stop = min(s for s, _ in shown), max(e for _, e in shown)
            if index in self._latest:
                inputs[WindowRows(index)] = self._latest[index].shown(min(e for _, e in shown), stop)
                continue
            inputs[WindowRows(index)] = self.baskets[stream].between(self.windows.axis, start, stop, lift.POSITION)
        return (self._one if len(due) == 1 else self._many[0])(inputs)

    def oldest_needed(self, stream: str, boundary: int) -> list[Need]:
        oldest = self.windows.oldest_needed(stream, boundary)
        return [] if oldest is None else [(self.windows.axis, oldest)]

    def expire(self, boundary: int) -> None:
        """Baskets expire by themselves."""
        for latest in self._latest.values():
            latest.expire(boundary)

    def transfers(self) -> list[tuple[str, Account]]:
        return []

    def held(self) -> Held | None:
        if not self._latest:
            return None
        sizes = [latest.kept.rows.size() for latest in self._latest.values()]
        return Held(1, sum(rows for rows, _ in sizes), sum(size for _, size in sizes))

    def _boundaries(self, due: Sequence[Boundary]) -> pa.Table:
        columns: list[Any] = [[b.end for b in due]]
        for index in range(len(self.windows.specs)):
            columns += [[b.shown[index][side] for b in due] for side in (0, 1)]
        schema = self._boundaries_schema
        return pa.table([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)
