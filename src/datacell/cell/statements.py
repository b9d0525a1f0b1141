"""Carrying out statements: each changes the net and the catalog, or gives an answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from sqlglot.tokenizer_core import Token

from datacell.algebra.analysis import no_analysis, no_function
from datacell.algebra.definitions import EmitterDefinition, StreamDefinition
from datacell.algebra.query import Query, Timing
from datacell.cell.answers import answer, once
from datacell.cell.continuous import ContinuousQueries
from datacell.cell.dropping import drop
from datacell.cell.made_of import of_emitter, of_stream
from datacell.cell.refreshing import Refreshing
from datacell.cell.result import Result
from datacell.cell.works import Works
from datacell.emitters.kinds import Surroundings, open_emitter
from datacell.emitters.ownership import Claim, Existing
from datacell.emitters.paths import reads
from datacell.emitters.protocol import Emitter
from datacell.emitters.sinks import TableEmitter
from datacell.errors import SourceError
from datacell.placement.statistics import declared, is_declaration
from datacell.runtime.net.factory import Factory
from datacell.runtime.net.members import as_given
from datacell.sql import script
from datacell.sql.catalog import Catalog
from datacell.sql.statements.safe import Safety
from datacell.sql.statements.statement import (
    CreateEmitter,
    CreateQuery,
    CreateStream,
    Drop,
    InsertInto,
    Refresh,
    Restart,
    Select,
    Statement,
    Switch,
    after,
)
from datacell.sql.text.source import Source

_LOG = logging.getLogger("datacell")


class Statements:
    """Knows the catalog. `is_running` says whether streams are being read, so that a new one is, too."""

    def __init__(
        self, works: Works, refuses_infeasible: bool, is_running: Callable[[], bool], safety: Safety | None = None
    ) -> None:
        self.works, self._is_running = works, is_running
        self.safety, self._net = safety, works.scheduler.members
        find, definition = works.tables.find, works.tables.definition
        analyze = works.analyze if safety is None else no_analysis  # as written, a text may reach anything
        calls = works.find_function if safety is None else no_function
        self.catalog = Catalog(find_table=find, find_definition=definition, analyze=analyze, find_function=calls)
        self.refreshing = Refreshing(works)
        self.queries = ContinuousQueries(works, self.refreshing, lambda: self.catalog, refuses_infeasible)

    def bound(self, source: Source, tokens: Sequence[Token]) -> Statement:
        """A statement, if it may be carried out here."""
        return script.bind(source, tokens, self.catalog, self.safety).statement

    def execute(self, statement: Statement) -> Result | None:
        """Carry out one statement; its answer, if it has one."""
        if isinstance(statement, CreateStream) and self.catalog.stream(statement.stream.name) is not None:
            return None
        result = self.carry_out(statement)
        self.catalog = after(self.catalog, statement)
        return result

    def carry_out(self, statement: Statement) -> Result | None:
        """The statement without its effect on the catalog."""
        match statement:
            case CreateStream(stream):
                self._create_stream(stream)
            case CreateQuery(name, query):
                self.queries.create(name, query)
            case CreateEmitter(emitter):
                self._create_emitter(emitter)
            case InsertInto(target, query):
                self._insert(target, query)
            case Select(query) if query.timing is not Timing.ONCE:
                self._show_continuously(query)
            case Drop(thing, name):
                drop(thing, name, self.works)
            case Restart(name):
                self.queries.restart(name)
            case Switch(stream_name, enabled):
                self._switch(stream_name, enabled)
            case Refresh(name):
                self.refreshing.refresh(name, self.catalog)
            case _:
                return answer(statement, self.works, self.catalog, self.refreshing.versions())
        return None

    def factory(self, name: str) -> Factory:
        """The factory of a query."""
        return self.queries.named(name).factory

    def deliver(self, name: str, source: str, emitter: Emitter, definition: EmitterDefinition | None = None) -> None:
        """Start delivering the answers of a query, or the rows of a stream."""
        found = self.queries.source(source)
        made_of = of_emitter(definition or EmitterDefinition(name, source), found.name)
        self.works.deliveries.start(name, found, emitter, made_of)

    def _create_stream(self, definition: StreamDefinition) -> None:
        declared(definition.name, definition.options)
        theirs = tuple(option for option in definition.options if not is_declaration(option[0]))
        source, intake = replace(definition, options=theirs), self.works.intake
        if reads(source, str(self.works.checkpoint.root)):
            where = self.works.checkpoint.root
            raise SourceError(
                f"stream {source.name} would read its own checkpoint, {where}", hint="keep the checkpoint elsewhere"
            )
        directory = self.works.checkpoint.stream(definition.name)
        with self.works.checkpoint.admitted("stream", definition.name, of_stream(source)):
            with self.works.scheduler.exclusively() as net:
                run, room = self.works.engines.run, self.works.memory.takes
                net.add_stream(source, directory, run, lambda: intake.is_reading(definition.name), room)
            intake.add(source)
        if self._is_running():
            intake.start(definition.name, once=False)

    def _create_emitter(self, definition: EmitterDefinition) -> None:
        def claimed(directory: Path, existing: Existing) -> Claim:
            source = self.queries.source(definition.source)
            made_of = of_emitter(definition, source.name)
            return self.works.deliveries.claim(directory, definition.name, source, existing, made_of)

        known = self.catalog.emitters.values(), self.catalog.streams.values()
        emitter = open_emitter(definition, Surroundings(self.works.spark, *known, claimed))
        try:
            self.deliver(definition.name, definition.source, emitter, definition)
        except BaseException:
            emitter.close()  # what it had claimed is free again
            raise

    def _insert(self, target: str, query: Query) -> None:
        stream, scheduler = self.catalog.stream(target), self.works.scheduler
        if stream is not None and query.timing is Timing.ONCE:
            scheduler.insert(stream.name, query.text, lambda: once(query, self.works, self.catalog))
            return
        number = sum(name.startswith(f"into {target} ") for name in self._net.queries) + 1
        name = f"into {target} {number}"
        if stream is None:
            self.queries.create(name, query)
            self.deliver(name, name, TableEmitter(self.works.spark, target, query.plan.schema.names))
            return
        self.queries.feed(name, query, stream.name)

    def _show_continuously(self, query: Query) -> None:
        name = self.queries.fresh_name()
        self.queries.create(name, query)
        self._create_emitter(EmitterDefinition(name, name))

    def _switch(self, name: str, enabled: bool) -> None:
        found, intake = as_given(name, self._net.streams), self.works.intake
        self._net.streams[found].enabled = enabled
        if not enabled:
            intake.stop(found)
        elif self._is_running() and found not in intake.receptors:
            intake.start(found, once=False)
