"""What is declared beside queries: streams with their columns and constraints, and emitters."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sqlglot import exp

from datacell.algebra.schema import Field
from datacell.algebra.types import STRING, TIMESTAMP, Type, array
from datacell.errors import Place

REJECTED = (Field("arrived", TIMESTAMP), Field("reason", STRING), Field("row", STRING))
"""The columns of `<stream>__rejected`: the row as it came, and why it was not taken."""

MISSED_BY = "missed_by"
"""The column of `<stream>__late`, beside those of the stream, that names the queries that missed something of a row."""

REASON = "__reason"
"""The column by which rows that come to a stream say why they must not enter; NULL for those that may."""

_RESERVED = re.compile(
    r"__(batch|boundary|field_\d+|file_\w+|line|malformed|parsed|reason|row)|.*′", re.IGNORECASE | re.DOTALL
)


def reserved(name: str) -> str | None:
    """Why no column may have this name: beside those of the user the system puts columns of its own. None if it may."""
    if not _RESERVED.fullmatch(name):
        return None
    return f"a column cannot be called {name}: the system has a column of that name beside yours"


@dataclass(frozen=True)
class StreamColumn:
    name: str
    type: Type
    nullable: bool = True
    check: exp.Expr | None = None
    collated: Type | None = None
    """Its type with what its text is compared by, which matters where that is done."""

    @property
    def field(self) -> Field:
        return Field(self.name, self.type)


@dataclass(frozen=True)
class StreamDefinition:
    """A stream as declared. Without an event-time column a row's time is its arrival."""

    name: str
    columns: tuple[StreamColumn, ...]
    event_time: str | None = None
    lateness: int = 0
    idle_timeout: int | None = None
    options: tuple[tuple[str, str], ...] = ()
    ahead: int | None = None
    """How far ahead of all others a row's event time may be; None if nobody said."""
    keep: int | None = None
    """The rows of so long are kept for one-time queries."""
    key: tuple[str, ...] = ()
    """What tells apart the things that it tells of, of which each row is the latest until the next."""
    is_enveloped: bool = False
    """Does its source tell of changes, in messages that say what a row was before and is after?"""

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(c.field for c in self.columns)

    @property
    def compared(self) -> tuple[Field, ...]:
        """Its columns with the collations that were declared."""
        return tuple(Field(c.name, c.collated or c.type) for c in self.columns)

    @property
    def late_fields(self) -> tuple[Field, ...]:
        """The columns of `<stream>__late`; a stream that has a column of that name itself keeps it."""
        own = {c.name.lower() for c in self.columns}
        name = next(n for n in (MISSED_BY + "_" * count for count in range(len(own) + 1)) if n not in own)
        return (*self.fields, Field(name, array(STRING)))


@dataclass(frozen=True)
class EmitterDefinition:
    """An emitter as declared; `place` is where its options were written."""

    name: str
    source: str
    options: tuple[tuple[str, str], ...] = ()
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True)
class TableDefinition:
    """What a statement says of a table, beside its columns: when it is replaced by a newer version of itself.

    By itself so many microseconds after it was pinned; with `is_fixed` never; else when REFRESH TABLE says so.
    """

    text: str = ""
    is_fixed: bool = False
    interval: int | None = None
