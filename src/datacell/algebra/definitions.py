"""What is declared beside queries: streams with their columns and constraints, and emitters."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from datacell.algebra.schema import Field
from datacell.algebra.types import STRING, TIMESTAMP, Type

REJECTED = (Field("arrived", TIMESTAMP), Field("reason", STRING), Field("row", STRING))
"""The columns of `<stream>__rejected`: the row as it came, and why it was not taken."""

REASON = "__reason"
"""The column by which rows that come to a stream say why they must not enter; NULL for those that may."""


@dataclass(frozen=True)
class StreamColumn:
    name: str
    type: Type
    nullable: bool = True
    check: exp.Expr | None = None

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

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(c.field for c in self.columns)


@dataclass(frozen=True)
class EmitterDefinition:
    name: str
    source: str
    options: tuple[tuple[str, str], ...] = ()
