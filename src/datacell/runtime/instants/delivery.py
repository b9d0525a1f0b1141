"""The rows of an answer as they are delivered: in order, with the columns that say when they are valid."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from datacell.algebra.positions import FOREVER, Positions
from datacell.algebra.query import TIME_COLUMNS, Timing
from datacell.engines.arrow import arrow_schema, arrow_type
from datacell.intervals.finish import Answer
from datacell.intervals.program import FINISH, Program
from datacell.intervals.validity import FROM, TO
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.batch import positions


class Delivery:
    def __init__(self, program: Program, plans: Plans) -> None:
        self._schema = arrow_schema(program.query.result)
        self._times = {f.name: arrow_type(f.type) for f in TIME_COLUMNS[Timing.EVERY_INSTANT]}
        self._finish = None if program.finish is None else plans.prepare(FINISH, program.finish)
        self._delivered: list[tuple[Positions, pa.Table]] = []
        """Rows and when they end, as long as they may be valid at the last instant that was answered."""

    def deliver(self, rows: pa.Table) -> pa.Table:
        if not len(rows):
            return self._schema.empty_table()
        if self._finish is not None:
            rows = self._finish({Answer.ROWS: rows})
        ordered = rows.take(pc.sort_indices(rows, sort_keys=[(FROM, "ascending"), (TO, "ascending")]))
        columns = {name: ordered[name] for name in ordered.schema.names}
        for (name, type_), source in zip(self._times.items(), (FROM, TO), strict=True):
            finite = pc.if_else(pc.less(ordered[source], FOREVER), ordered[source], None)
            columns.setdefault(name, finite.cast(type_))
        delivered = pa.table([columns[name] for name in self._schema.names], schema=self._schema)
        self._delivered.append((positions(ordered[TO]), delivered))
        return delivered

    def forget(self, before: int) -> None:
        """Let go of rows that end before this instant."""
        self._delivered = [(ends, rows) for ends, rows in self._delivered if ends.max() >= before]

    def valid_until(self, instant: int) -> pa.Table:
        """The rows that are valid until this instant or longer."""
        valid = [rows.filter(pa.array(ends >= instant)) for ends, rows in self._delivered]
        return pa.concat_tables(valid) if valid else self._schema.empty_table()
