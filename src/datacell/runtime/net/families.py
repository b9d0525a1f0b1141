"""Families: queries that are equal but for their constants, and are answered by one factory (`algebra.members`).

The first query of a template is answered by itself. The second one founds a family, with a factory of its own, and
whoever comes later joins it: that is a row more in the table of members, and nothing is compiled or started. A row of
the table goes with the last query that has those constants; its number is never given again, so what is kept under a
number is always of one member.

A member sees the rows that come after it: no slice has anything of it that was made before. What is kept of all rows,
whatever a member's constants, it sees from the beginning, as an equal query does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import pyarrow as pa

from datacell.algebra.members import MEMBER, MEMBERS, NUMBER
from datacell.algebra.template import Constants, Template, value
from datacell.engines.arrow import arrow_type
from datacell.runtime.plans.table_versions import Rows
from datacell.runtime.storage.answered import Answered
from datacell.runtime.storage.by_member import ByMember


class Family:
    """The members of one factory. Not thread-safe but for reading the table: the scheduler's lock guards it."""

    def __init__(self, template: Template, records: Iterable[Answered] = ()) -> None:
        self.template, self.by_member = template, ByMember(MEMBER)
        self._numbers: dict[Constants, int] = {}
        self._readers = Counter[int]()
        self._queries: set[str] = set()
        self._given = -1
        self._table: pa.Table | None = None
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
            self._numbers[record.constants], self._table = record.member, None

    def remove(self, record: Answered) -> None:
        """A query is gone."""
        assert record.member is not None
        self._queries.remove(record.query.lower())
        self._readers[record.member] -= 1
        if not self._readers[record.member]:
            del self._readers[record.member], self._numbers[record.constants]
            self._table = None

    def reader(self, otherwise: Callable[[str], Rows]) -> Callable[[str], Rows]:
        """The table of members, beside other tables."""
        return lambda name: self.table() if name == MEMBERS else otherwise(name)

    def table(self) -> pa.Table:
        """The members at present."""
        found = self._table
        if found is None:
            found = self._table = self._made()
        return found

    def _made(self) -> pa.Table:
        columns = {NUMBER.name: pa.array(list(self._numbers.values()), arrow_type(NUMBER.type))}
        for place, parameter in enumerate(self.template.parameters):
            values = [value(constants[place], parameter.type) for constants in self._numbers]
            columns[parameter.name] = pa.array(values, arrow_type(parameter.type))
        return pa.table(columns)
