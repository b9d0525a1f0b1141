"""Statements, bound: what a script asks for, with every name resolved."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from datacell.algebra import tree
from datacell.algebra.definitions import EmitterDefinition, StreamDefinition, TableDefinition
from datacell.algebra.query import Query
from datacell.algebra.schema import Field
from datacell.errors import Place
from datacell.sql.catalog import Catalog


class Thing(Enum):
    """What DROP and SHOW are about."""

    STREAM = "stream"
    QUERY = "continuous query"
    EMITTER = "emitter"


class Stage(Enum):
    """The stages that EXPLAIN can show."""

    LOGICAL = "logical"
    OPTIMIZED = "optimized"
    INCREMENTAL = "incremental"
    PHYSICAL = "physical"


@dataclass(frozen=True)
class CreateStream:
    stream: StreamDefinition
    if_not_exists: bool = False


@dataclass(frozen=True)
class CreateQuery:
    name: str
    query: Query


@dataclass(frozen=True)
class CreateEmitter:
    emitter: EmitterDefinition


@dataclass(frozen=True)
class InsertInto:
    """A continuous query that feeds a stream or a table."""

    target: str
    query: Query


@dataclass(frozen=True)
class Select:
    """A query that stands alone: one-time, or continuous and shown on the console if it has windows."""

    query: Query


@dataclass(frozen=True)
class Drop:
    thing: Thing
    name: str
    if_exists: bool = False


@dataclass(frozen=True)
class Restart:
    """RESTART CONTINUOUS QUERY: one that has stopped is tried again."""

    query: str


@dataclass(frozen=True)
class Switch:
    """ENABLE and DISABLE STREAM."""

    stream: str
    enabled: bool


@dataclass(frozen=True)
class Show:
    thing: Thing


@dataclass(frozen=True)
class Explain:
    stage: Stage
    query: Query


@dataclass(frozen=True)
class Analyze:
    """EXPLAIN ANALYZE of a continuous query that runs."""

    name: str


@dataclass(frozen=True)
class SparkStatement:
    """Spark's own: handed over as written. `creates` is the table or view it makes, and what columns the text tells."""

    text: str
    creates: tuple[str, tuple[Field, ...]] | None = None
    drops: str | None = None
    defines: tuple[str, TableDefinition] | None = None
    path: tuple[int, int, str] | None = None
    """A relative path in the text of CREATE: from where to where it stands, and what it is."""
    place: Place | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Refresh:
    """REFRESH TABLE: queries see the table as it is now, from the next boundary on."""

    table: str


Statement = (
    CreateStream
    | CreateQuery
    | CreateEmitter
    | InsertInto
    | Select
    | Drop
    | Restart
    | Switch
    | Show
    | Explain
    | Analyze
    | SparkStatement
    | Refresh
)


@dataclass(frozen=True)
class Placed:
    """A statement and where it stands."""

    statement: Statement
    place: Place


def after(catalog: Catalog, statement: Statement) -> Catalog:
    """The catalog once the statement has been carried out."""
    match statement:
        case CreateStream(stream, if_not_exists):
            there = if_not_exists and catalog.stream(stream.name) is not None
            return catalog if there else replace(catalog, streams=catalog.streams.having(stream.name, stream))
        case CreateQuery(name, query):
            return replace(catalog, queries=catalog.queries.having(name, query))
        case CreateEmitter(emitter):
            return replace(catalog, emitters=catalog.emitters.having(emitter.name, emitter))
        case InsertInto(target, query):
            return catalog.with_feed(target, [s.name for s in tree.streams(query.plan)])
        case Drop(Thing.STREAM, name):
            return catalog.without_stream(name)
        case Drop(Thing.QUERY, name):
            return replace(catalog, queries=catalog.queries.without(name))
        case Drop(_, name):
            return replace(catalog, emitters=catalog.emitters.without(name))
        case SparkStatement(drops=str(name)):
            return replace(catalog, tables=catalog.tables.without(name), definitions=catalog.definitions.without(name))
        case SparkStatement(creates=creates, defines=(name, definition)):
            tables = catalog.tables if creates is None else catalog.tables.having(*creates)
            return replace(catalog, tables=tables, definitions=catalog.definitions.having(name, definition))
    return catalog
