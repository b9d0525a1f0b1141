"""What flows into an operator, until it may be taken: rows come in any order, and are taken by when they begin."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from datacell.algebra.open_ends import Ended, is_open
from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.tree import Key
from datacell.engines.arrow import arrow_schema
from datacell.intervals.flow import Flow, Leaf
from datacell.intervals.validity import FROM, TO
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.batch import positions


class InputBuffer:
    """The rows of a flow that have not been taken; `name` is what people read the flow's plan under.

    Rows whose end is open wait here, and all that begin after them, unless who takes them `takes_open`.
    """

    def __init__(self, flow: Flow, name: str, plans: Plans, takes_open: bool = False) -> None:
        self.schema = arrow_schema(flow.schema)
        self.rows = self.schema.empty_table()
        self.name = name
        self._leaves = flow.leaves
        self._holds = flow.may_be_open and not takes_open
        self._flow = plans.prepare(name, flow.plan)

    def put(self, new: Mapping[Leaf, pa.Table]) -> None:
        """What is new in the leaves."""
        leaves: dict[Key, pa.Table] = {leaf: new[leaf] for leaf in self._leaves}
        if not any(map(len, leaves.values())):
            return
        self.add(self._flow(leaves))

    def add(self, made: pa.Table) -> None:
        """Rows of the flow."""
        rows = made.select(self.schema.names)
        self.rows = pa.concat_tables([self.rows, rows]) if len(self.rows) else rows

    def progress(self, progress: Mapping[Leaf, int]) -> int:
        """No row that begins before this instant will come any more."""
        come = min(progress[leaf] for leaf in self._leaves)
        return min(come, self.first_open()) if self._holds else come

    def first_open(self) -> int:
        """When the first row begins of which nobody knows when it ends."""
        begins = positions(self.rows[FROM])
        return int(begins[is_open(positions(self.rows[TO]))].min(initial=FOREVER + 1))

    def settle(self, ended: Ended) -> None:
        """Some ends have become known."""
        self.rows = settled(self.rows, ended)

    def take(self, until: int) -> pa.Table:
        """The rows that begin before this instant."""
        early = positions(self.rows[FROM]) < until
        taken = self.rows if early.all() else self.rows.filter(pa.array(early))
        self.rows = self.schema.empty_table() if early.all() else self.rows.filter(pa.array(~early))
        return taken

    def clear(self) -> None:
        self.rows = self.schema.empty_table()


def settled(rows: pa.Table, ended: Ended) -> pa.Table:
    """The rows with the ends that have become known."""
    return _with(rows, TO, ended.known(positions(rows[TO]))) if ended and len(rows) else rows


def reaching(rows: pa.Table, at: int) -> pa.Table:
    """The rows that are valid until this instant or longer."""
    live = positions(rows[TO]) >= at
    return rows if live.all() else rows.filter(pa.array(live))


def beginning(rows: pa.Table, since: int, until: int) -> pa.Table:
    """The rows that begin between two instants."""
    begins = positions(rows[FROM])
    inside = (begins >= since) & (begins < until)
    return rows if inside.all() else rows.filter(pa.array(inside))


def ending(rows: pa.Table, at: int) -> pa.Table:
    """The rows, none of them valid longer than until this instant."""
    return _with(rows, TO, np.minimum(positions(rows[TO]), at))


def from_instant(rows: pa.Table, at: int) -> pa.Table:
    """The rows from this instant on; those that end before it are left out."""
    if not len(rows):
        return rows
    live = rows.filter(pa.array(positions(rows[TO]) > at))
    return _with(live, FROM, np.maximum(positions(live[FROM]), at))


def first_open(rows: pa.Table, at: int) -> int:
    """When the first of the rows began that are valid beyond this instant."""
    return int(positions(rows[FROM])[positions(rows[TO]) > at].min(initial=FOREVER))


def _with(rows: pa.Table, column: str, values: Positions) -> pa.Table:
    return rows.set_column(rows.schema.get_field_index(column), column, pa.array(values))
