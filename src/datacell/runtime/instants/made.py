"""Rows of a flow that the first stage has made: what is filtered away never comes to the driver.

What was made of a batch is durable before the batch counts as taken. It stays as long as its rows reach beyond what has
been given out, as raw rows do in a basket: after a restart it is taken once more. It does not matter to a flow which of
its rows were made there and which come of raw rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.plan import Filter, Join, JoinKind, Plan
from datacell.algebra.positions import Positions
from datacell.compile.evaluation import FlowOfWindow
from datacell.engines.arrow import arrow_schema
from datacell.engines.transfers import Account
from datacell.intervals.validity import FROM, TO, oldest_valid, valid_to
from datacell.runtime.plans.memory import row_bytes
from datacell.runtime.plans.plans import Plans
from datacell.runtime.storage.saved import SavedTables
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Batch, positions
from datacell.runtime.streams.first_stage import Arrived, Made, Wanted

_LATEST = "latest"


@dataclass(frozen=True, eq=False)
class _MadeOfBatch:
    """What was made of a batch whose rows came up to `latest`, also those that were filtered away."""

    made: Batch
    latest: int

    @cached_property
    def times(self) -> Positions:
        return np.append(self.made.times, self.latest)


class MadeRows:
    """Of the rows of one window, in one flow."""

    def __init__(self, described: FlowOfWindow, basket: Basket, plans: Plans, directory: Path) -> None:
        self.described, self.window, self.account = described, described.window, Account(basket.account)
        self.schema = arrow_schema(described.plan.schema)
        self._saved, self._batches = SavedTables(directory), list[_MadeOfBatch]()
        self._memory = plans.memory
        self._prepared = plans.prepare(described.name, described.plan)
        self.wanted = Wanted(
            described.plan,
            None,
            self._prepared.tables,
            lambda batch: str(directory / str(batch)),
            lambda: False,
            self._learn,
            self.account,
            time=FROM,
        )
        self._recover(basket.last_batch)

    def is_for_cluster(self, expected: float) -> bool:
        """Is it cheaper to make what comes of about so many rows where they are than to transfer these?"""
        return self._prepared.is_for_cluster(expected)

    def put(self, arrived: Arrived, made: Made, missed: Positions) -> None:
        """Once this returns, the rows are safe; those that come too late are left out."""
        rows = made.without(missed, FROM).rows
        assert isinstance(rows, pa.Table)
        if arrived.time is not None:
            times = pa.array(np.full(len(rows), arrived.time, dtype=np.int64))
            rows = rows.set_column(rows.schema.get_field_index(FROM), FROM, times)
        self.forget_from(arrived.number)
        self._saved.put(arrived.number, rows, {_LATEST: arrived.latest})
        self._add(arrived.number, rows, arrived.latest)

    def forget_from(self, number: int) -> None:
        """A batch that could not be taken comes again."""
        self._drop([batch for batch in self._batches if batch.made.number >= number])

    def between(self, since: int, until: int) -> pa.Table:
        """The rows that begin between two instants, with their validity."""
        found = [batch.made.between(Axis.TIME, since, until)[0] for batch in self._batches]
        rows = pa.concat_tables([self.schema.empty_table(), *found])
        return rows.append_column(TO, pa.array(valid_to(self.window, positions(rows[FROM]))))

    def times(self) -> list[Positions]:
        """Of each batch the times of its rows, and the last time of all that it was made of."""
        return [batch.times for batch in self._batches]

    def expire(self, since: int) -> None:
        """Let go of batches whose rows are no longer valid at this instant."""
        oldest = oldest_valid(self.window, since)
        self._drop([batch for batch in self._batches if batch.latest < oldest])

    def size(self) -> tuple[int, int]:
        """Rows, and their bytes in memory."""
        tables = [batch.made.rows for batch in self._batches]
        return sum(map(len, tables)), sum(table.nbytes for table in tables)

    def _learn(self, read: int, made: int, seconds: float) -> None:
        self._prepared.operators.learn(read, made)
        self._prepared.on_cluster.was_staged(made, seconds)

    def _add(self, number: int, rows: pa.Table, latest: int) -> None:
        self._batches.append(_MadeOfBatch(Batch(number, rows, positions(rows[FROM]), first=0), latest))
        self._memory.holds(self, self.size()[1])

    def _drop(self, gone: Sequence[_MadeOfBatch]) -> None:
        for batch in gone:
            self._saved.remove(batch.made.number)
        if gone:
            self._batches = [batch for batch in self._batches if batch not in gone]
            self._memory.holds(self, self.size()[1])

    def _recover(self, last_batch: int) -> None:
        """Batches that were not taken will come again."""
        for number, rows, noted in self._saved.read():
            self._add(number, rows, noted[_LATEST])
        self.forget_from(last_batch + 1)


def narrows(made: Sequence[MadeRows], rows: pa.Schema) -> bool:
    """Do fewer rows come to the driver than a stream has, or is less of each?"""
    nodes = [node for one in made for node in tree.descendants(one.described.plan)]
    return any(map(_filters, nodes)) or sum(row_bytes(one.schema) for one in made) < row_bytes(rows)


def _filters(node: Plan) -> bool:
    match node:
        case Join(kind=kind):
            return kind in (JoinKind.INNER, JoinKind.SEMI, JoinKind.ANTI)
    return isinstance(node, Filter)
