"""What flows into an operator, until it may be taken: rows come in any order, and are taken by when they begin."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from datacell.engines.arrow import arrow_schema
from datacell.incremental.relations import projection
from datacell.intervals.operators import Flow
from datacell.intervals.validity import FROM, TO, Instants
from datacell.runtime.evaluation import Runner


class Inbox:
    """The rows of a flow that have not been taken."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.schema = arrow_schema(flow.schema)
        self.rows = self.schema.empty_table()
        self._passed = projection(flow.plan)

    def put(self, new: Mapping[str, pa.Table], run: Runner) -> None:
        """What is new in the leaves."""
        leaves = {name: new[name] for name in self.flow.leaves}
        if not any(map(len, leaves.values())):
            return
        made = self._made(leaves, run).select(self.schema.names)
        self.rows = pa.concat_tables([self.rows, made]) if len(self.rows) else made

    def progress(self, progress: Mapping[str, int]) -> int:
        """No row that begins before this instant will come any more."""
        return min(progress[name] for name in self.flow.leaves)

    def take(self, until: int) -> pa.Table:
        """The rows that begin before this instant."""
        early = instants(self.rows, FROM) < until
        taken = self.rows if early.all() else self.rows.filter(pa.array(early))
        self.rows = self.schema.empty_table() if early.all() else self.rows.filter(pa.array(~early))
        return taken

    def _made(self, leaves: Mapping[str, pa.Table], run: Runner) -> pa.Table:
        if self._passed is None:
            return run(self.flow.plan, leaves)
        (rows,) = leaves.values()
        return rows.select(list(self._passed.values())).rename_columns(list(self._passed))


def instants(rows: pa.Table, column: str) -> Instants:
    return np.asarray(rows[column].to_numpy(), dtype=np.int64)


def reaching(rows: pa.Table, at: int) -> pa.Table:
    """The rows that are valid until this instant or longer."""
    live = instants(rows, TO) >= at
    return rows if live.all() else rows.filter(pa.array(live))
