"""Re-evaluation: windows are evaluated again at every boundary, over the rows of baskets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.query import TIME_COLUMNS
from datacell.algebra.tree import Key
from datacell.engines.arrow import arrow_schema
from datacell.engines.transfers import Account
from datacell.incremental import lift
from datacell.incremental.boundaries import Boundary
from datacell.incremental.inputs import BOUNDARIES, WindowRows
from datacell.incremental.plans import Reevaluated
from datacell.runtime.evaluation import PreparedBatch
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Batch, Need
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
from datacell.runtime.windows.query_windows import QueryWindows


class Reevaluation:
    """Keeps nothing: the baskets have everything."""

    def __init__(self, described: Reevaluated, baskets: Mapping[str, Basket], plans: Plans) -> None:
        query = described.query
        self.baskets = baskets
        self.windows = QueryWindows.of(query)
        (time,) = TIME_COLUMNS[query.timing]
        self._boundaries_schema = arrow_schema(lift.boundaries_schema(time.type, len(self.windows.specs)))
        self._one, *self._many = (plans.prepare(*named) for named in described.named())

    def prepare(self, stream: str, batch: Batch) -> PreparedBatch:  # noqa: ARG002
        return {}

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch) -> None:
        """The rows are needed as they are."""

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:  # noqa: ARG002
        return None

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None:
        """Nothing was wanted."""

    def positions(self) -> list[Positions]:
        return [self.baskets[stream].times() for stream in self.windows.streams]

    def at_once(self) -> int:
        return FOREVER if self._many else 1

    def answer(self, due: Sequence[Boundary]) -> pa.Table:
        inputs: dict[Key, pa.Table] = {BOUNDARIES: self._boundaries(due)}
        for index, stream in enumerate(self.windows.streams):
            shown = [b.shown[index] for b in due]
            start, stop = min(s for s, _ in shown), max(e for _, e in shown)
            inputs[WindowRows(index)] = self.baskets[stream].between(self.windows.axis, start, stop, lift.POSITION)
        return (self._one if len(due) == 1 else self._many[0])(inputs)

    def oldest_needed(self, stream: str, boundary: int) -> list[Need]:
        return [(self.windows.axis, self.windows.oldest_needed(stream, boundary))]

    def expire(self, boundary: int) -> None:
        """Baskets expire by themselves."""

    def transfers(self) -> list[tuple[str, Account]]:
        return []

    def held(self) -> None:
        return None

    def _boundaries(self, due: Sequence[Boundary]) -> pa.Table:
        columns: list[Any] = [[b.end for b in due]]
        for index in range(len(self.windows.specs)):
            columns += [[b.shown[index][side] for b in due] for side in (0, 1)]
        schema = self._boundaries_schema
        return pa.table([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)
