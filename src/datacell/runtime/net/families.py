"""Families: queries that are equal but for their constants, and are answered by one factory (`algebra.members`).

The first queries of a template are answered by themselves. The next one founds a family, with a factory of its own, and
whoever comes later joins it: that is a row more in the table of members, and nothing is compiled or started. A row of
the table goes with the last query that has those constants; its number is never given again, so what is kept under a
number is always of one member.

A member sees the rows that come after it: no slice has anything of it that was made before. What is kept of all rows,
whatever a member's constants, it sees from the beginning, as an equal query does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from threading import RLock

import pyarrow as pa

from datacell.algebra.elementary import INTERVAL, Axis, Kind
from datacell.algebra.members import MEMBER, MEMBERS, NUMBER
from datacell.algebra.template import Constants, Template, value
from datacell.engines.arrow import arrow_type
from datacell.runtime.evaluation import Evaluation
from datacell.runtime.net.axes import KEPT, AxisTables, Range, generation_of, range_of
from datacell.runtime.plans.plans import Plans
from datacell.runtime.plans.table_versions import Rows
from datacell.runtime.storage import files
from datacell.runtime.storage.answered import Answered
from datacell.runtime.storage.by_member import ByMember
from datacell.runtime.windows.at_boundaries import AnswersAtBoundaries
from datacell.runtime.windows.increments import Increments


class Family:
    """The members of one factory, and the axes that they have ranges of.

    Not thread-safe but for `reading`: under that lock all tables are of one moment.
    """

    def __init__(
        self, template: Template, axes: Iterable[Axis], directory: Path, records: Iterable[Answered] = ()
    ) -> None:
        self.template, self.by_member, self.reading = template, ByMember(MEMBER), RLock()
        self._path = directory / "axes.json"
        known = files.read_json(self._path) if self._path.exists() else {}
        self.axes = [AxisTables(axis, known.get(str(axis.number), (0, ()))) for axis in axes]
        self._names = {MEMBERS, *(tables.axis.table(kind) for tables in self.axes for kind in Kind)}
        self._numbers: dict[Constants, int] = {}
        self._readers = Counter[int]()
        self._queries: set[str] = set()
        self._given = -1
        self._made: Mapping[str, pa.Table] | None = None
        for record in records:
            self.add(record)

    def __len__(self) -> int:
        return len(self._queries)

    def __contains__(self, query: str) -> bool:
        return query.lower() in self._queries

    def number(self, constants: Constants) -> int:
        """Of the member with these constants, or of a new one."""
        return self._numbers.get(constants, self._given + 1)

    def add(self, record: Answered) -> None:
        """A query is a member, or asks what a member asks."""
        assert record.member is not None
        self._given = max(self._given, record.member, record.given)
        self._queries.add(record.query.lower())
        self._readers[record.member] += 1
        if record.constants not in self._numbers:
            with self.reading:
                self._numbers[record.constants], self._made = record.member, None

    def remove(self, record: Answered) -> None:
        """A query is gone."""
        assert record.member is not None
        self._queries.remove(record.query.lower())
        self._readers[record.member] -= 1
        if not self._readers[record.member]:
            with self.reading:
                del self._readers[record.member], self._numbers[record.constants]
                self._made = None

    def answered_by(self, plans: Plans) -> Plans:
        """The plans that read its tables."""
        plans.reading, plans.askers = self.reading, lambda: max(1, len(self._numbers))
        return plans

    def reader(self, otherwise: Callable[[str], Rows]) -> Callable[[str], Rows]:
        """Its tables, beside others."""
        return lambda name: self._tables()[name] if name in self._names else otherwise(name)

    def expire(self, evaluation: Evaluation) -> None:
        """Let go of generations of which nothing is kept."""
        if all(len(tables.generations) <= KEPT for tables in self.axes):
            return
        if isinstance(evaluation, AnswersAtBoundaries) and isinstance(evaluation.windowing, Increments):
            least = evaluation.windowing.relations.least(INTERVAL)
            if least is not None:
                with self.reading:
                    gone = [tables.let_go(generation_of(least)) for tables in self.axes]
                    self._made = None if any(gone) else self._made

    def _tables(self) -> Mapping[str, pa.Table]:
        """At present. What rows will be put into is kept before any is."""
        with self.reading:
            if self._made is None:
                self._made = {MEMBERS: self._members(), **self._of_axes()}
            return self._made

    def _members(self) -> pa.Table:
        columns = {NUMBER.name: pa.array(list(self._numbers.values()), arrow_type(NUMBER.type))}
        for place, parameter in enumerate(self.template.parameters):
            values = [value(constants[place], parameter.type) for constants in self._numbers]
            columns[parameter.name] = pa.array(values, arrow_type(parameter.type))
        return pa.table(columns)

    def _of_axes(self) -> dict[str, pa.Table]:
        found = {axis: self._ranges(axis) for axis in self.axes}
        begun = [tables.reaches(ranges.values()) for tables, ranges in found.items()]
        if any(begun):
            files.save_json(self._path, {str(tables.axis.number): tables.saved() for tables in self.axes})
        return {
            tables.axis.table(kind): tables.table(kind, ranges) for tables, ranges in found.items() for kind in Kind
        }

    def _ranges(self, tables: AxisTables) -> dict[int, Range]:
        parameters = self.template.parameters
        return {
            number: range_of(
                tables.axis,
                {p.name: value(text, p.type) for p, text in zip(parameters, constants, strict=True)},
            )
            for constants, number in self._numbers.items()
        }
