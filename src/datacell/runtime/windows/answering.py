"""The plan that answers from the leaves: one boundary, or many of them at once."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.query import TIME_COLUMNS
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Files
from datacell.incremental import lift
from datacell.incremental.boundaries import Boundary
from datacell.incremental.inputs import BOUNDARIES
from datacell.incremental.plans import Incremental
from datacell.runtime.plans.plans import Plans
from datacell.runtime.windows.leaves import Leaves


class Answering:
    """The lifted plan costs more than the plan for one boundary, so both are prepared."""

    def __init__(self, described: Incremental, plans: Plans) -> None:
        (time,) = TIME_COLUMNS[described.query.timing]
        self._schema = arrow_schema(lift.instants_schema(time.type))
        self._one, self._many = (plans.prepare(*named) for named in described.answer.named())
        self._asks_when = BOUNDARIES in tree.slots(described.answer.one)
        """Does it matter which boundary it is, when there is only one?"""

    def answer(self, due: Sequence[Boundary], leaves: Leaves) -> pa.Table:
        """The rows of the answers at these boundaries."""
        if len(due) > 1:
            return self._many(self._boundaries(due) | leaves.at_many(due, self._many))
        shown = leaves.at_one(due[0])
        return self._one(self._boundaries(due) | shown if self._asks_when else shown)

    def write(self, due: Sequence[Boundary], leaves: Leaves, directory: str) -> Files:
        """The same where some rows are on the cluster; executors write the answers, each row with its boundary."""
        return self._many.on_cluster.write(self._boundaries(due) | leaves.on_cluster(due, self._many), directory)

    def _boundaries(self, due: Sequence[Boundary]) -> dict[tree.Key, pa.Table]:
        ends = [b.end for b in due]
        return {BOUNDARIES: pa.table([pa.array(ends, field.type) for field in self._schema], schema=self._schema)}
