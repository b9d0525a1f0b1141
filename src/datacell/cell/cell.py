"""The cell: streams, queries and emitters at work on one Spark session. The face of the system for Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from datacell.algebra import show
from datacell.algebra.definitions import EmitterDefinition, StreamDefinition
from datacell.algebra.query import Query, Timing
from datacell.algebra.tree import has_stream, table_names
from datacell.cell import listing
from datacell.cell.deliveries import Deliveries
from datacell.cell.intake import Intake
from datacell.cell.result import Result
from datacell.cell.running_query import RunningQuery
from datacell.cell.tables import Tables
from datacell.compile import describing, physical
from datacell.compile.explain import Format, Setting, explain_query
from datacell.emitters.kinds import open_emitter
from datacell.emitters.protocol import Emitter
from datacell.emitters.sinks import TableEmitter
from datacell.engines.arrow import arrow_schema
from datacell.engines.choice import Choice, Engines
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.spark import SparkEngine
from datacell.errors import DataCellError, SqlError
from datacell.incremental.strategy import Strategy
from datacell.placement import unit_costs
from datacell.placement.logical import best_plan
from datacell.placement.operators import Site
from datacell.placement.statistics import declared, is_declaration
from datacell.receptors.sources import frame_columns
from datacell.rewrite.rules import equivalents, optimized
from datacell.runtime.clock import Clock, SystemClock
from datacell.runtime.net.scheduler import Scheduler
from datacell.runtime.storage.checkpoint import Checkpoint
from datacell.runtime.storage.output import Output
from datacell.sql import script
from datacell.sql.catalog import Catalog
from datacell.sql.statements.statement import (
    Analyze,
    CreateEmitter,
    CreateQuery,
    CreateStream,
    Drop,
    Explain,
    InsertInto,
    Select,
    Show,
    SparkStatement,
    Statement,
    Switch,
    Thing,
    after,
)
from datacell.sql.text.cursor import read_length


def connect(
    checkpoint: str | Path | None = None,
    spark: SparkSession | None = None,
    *,
    engine: str = "auto",
    strategy: str = "auto",
    master: str | None = None,
    clock: Clock | None = None,
    refuse_infeasible: bool = False,
) -> Cell:
    """A cell on a tuned local Spark session, or on yours. With a checkpoint directory it can be resumed.

    A query that cannot keep up with the declared rates is started with a warning, or with `refuse_infeasible` not.
    """
    directory = None if checkpoint is None else Path(checkpoint)
    return Cell(directory, spark, Choice(engine), Strategy(strategy), master, clock or SystemClock(), refuse_infeasible)


class Cell:
    """Streams, queries and emitters, and the net that they form."""

    def __init__(
        self,
        checkpoint: Path | None,
        spark: SparkSession | None,
        engine: Choice,
        strategy: Strategy,
        master: str | None,
        clock: Clock,
        refuses_infeasible: bool,
    ) -> None:
        self.strategy, self.refuses_infeasible = strategy, refuses_infeasible
        self.units = unit_costs.load()
        self.checkpoint = Checkpoint(checkpoint)
        engine_of_spark = SparkEngine(spark, master)
        self.spark = engine_of_spark.session
        self.engines = Engines(engine_of_spark, DuckDBEngine(), engine)
        self.scheduler = Scheduler(clock)
        self.intake = Intake(self.spark, self.scheduler, self.checkpoint)
        self.tables = Tables(self.spark, spark or self.spark, self.scheduler)
        self.catalog = Catalog(find_table=self.tables.find)
        self.deliveries = Deliveries(self.scheduler, self.checkpoint)
        self._running = False
        self._stopping = Event()

    # What a user does

    def sql(self, text: str) -> Result | None:
        """Carry out statements; the answer of the last one, if it has one."""
        answer = None
        for source, tokens in script.statements(text):
            answer = self.execute(script.bind(source, tokens, self.catalog).statement)
        return answer

    def stream(
        self,
        name: str,
        frame: DataFrame,
        *,
        event_time: str | None = None,
        lateness: str = "0 seconds",
        idle_timeout: str | None = None,
    ) -> None:
        """Make a streaming DataFrame a stream."""
        columns = frame_columns(frame, name)
        if event_time is not None and event_time not in frame.columns:
            raise SqlError(f"the frame has no column {event_time}", hint=f"it has {', '.join(frame.columns)}")
        timeout = None if idle_timeout is None else read_length(idle_timeout)
        self.intake.frames[name] = frame
        self.execute(CreateStream(StreamDefinition(name, columns, event_time, read_length(lateness), timeout)))

    def query(self, text: str, name: str | None = None) -> RunningQuery:
        """Start a continuous query."""
        bound = script.query(text, self.catalog)
        if not has_stream(bound.plan):
            raise SqlError("this query reads no stream", hint="cell.sql(…) answers it once")
        chosen = name or self._fresh_name()
        if self.catalog.kind(chosen) is not None:
            raise SqlError(f"there is already a {self.catalog.kind(chosen)} {chosen}", hint="choose another name")
        self.execute(CreateQuery(chosen, bound))
        return RunningQuery(self, chosen)

    def push(self, stream: str, rows: Any) -> int:
        """Put rows into a stream: dicts, tuples, a pandas frame or an Arrow table. Durable once it returns."""
        found = self.catalog.stream(stream)
        if found is None:
            raise SqlError(f"there is no stream {stream}", hint="CREATE STREAM it first")
        return self.intake.push(found.name, rows)

    def run(self, once: bool = False) -> None:
        """Run until stopped; or with `once` read all that is there, close every window, deliver, and return."""
        self.start(once)
        if not once:
            while not self._stopping.wait(0.2):
                self.intake.check()
            return
        try:
            self.intake.wait()
            self.scheduler.drain()
            self.deliveries.finish()
        finally:
            self._halt()

    def run_script(self, text: str, file: str, once: bool, show: Callable[[Result], None]) -> None:
        """Carry out a script and run. With `once`, queries over baskets and answers wait until all input is read."""
        waiting: list[Statement] = []
        for source, tokens in script.statements(text, file):
            statement = script.bind(source, tokens, self.catalog).statement
            if once and self._waits(statement):
                waiting.append(statement)
            elif (answer := self.execute(statement)) is not None:
                show(answer)
        self.run(once)
        for statement in waiting:
            if (answer := self._executed(statement)) is not None:
                show(answer)

    def start(self, once: bool = False) -> None:
        """Start reading in the background."""
        if self._running:
            return
        self._running = True
        self._stopping.clear()
        for running in self.scheduler.factories.values():
            running.output.closed = False
        try:
            for name in list(self.scheduler.streams):
                self.intake.start(name, once)
        except DataCellError:
            self._halt()
            raise
        if not once:
            Thread(target=self._tick, name="ticker", daemon=True).start()

    def stop(self) -> None:
        """Stop reading and delivering. What was taken is in the checkpoint."""
        self._halt()
        self.deliveries.stop_all()
        self.engines.close()
        self.checkpoint.close()

    def progress(self) -> listing.Progress:
        """How far the cell has come."""
        return listing.progress(self.scheduler)

    # Statements

    def execute(self, statement: Statement) -> Result | None:
        """Carry out one statement."""
        if isinstance(statement, CreateStream) and self.catalog.stream(statement.stream.name) is not None:
            return None
        answer = self._executed(statement)
        self.catalog = after(self.catalog, statement)
        return answer

    def _executed(self, statement: Statement) -> Result | None:
        match statement:
            case CreateStream(stream):
                self._create_stream(stream)
            case CreateQuery(name, query):
                self._create_query(name, query)
            case CreateEmitter(emitter):
                self.deliver(emitter.name, emitter.source, open_emitter(emitter, self.spark))
            case InsertInto(target, query):
                self._insert(target, query)
            case Select(query) if query.timing is Timing.ONCE:
                return self._once(query)
            case Select(query):
                self._show_continuously(query)
            case Drop(thing, name):
                self._drop(thing, name)
            case Switch(stream_name, enabled):
                self._switch(stream_name, enabled)
            case Show(thing):
                return Result(listing.listed(thing, self.scheduler, self.deliveries.running), self.spark)
            case Explain(stage, query):
                lines = explain_query(query, stage, Format.TEXT, setting=self.setting()).splitlines()
                return Result(pa.table({"plan": lines}), self.spark)
            case Analyze(name):
                running = self.scheduler.factories[_named(self.scheduler.factories, name)]
                return Result(listing.fragments(running), self.spark)
            case SparkStatement(text):
                return self._spark_statement(text)
        return None

    def _create_stream(self, definition: StreamDefinition) -> None:
        self.checkpoint.admit("stream", definition.name, repr((definition.fields, definition.event_time)))
        declared(definition.name, definition.options)
        theirs = tuple(option for option in definition.options if not is_declaration(option[0]))
        source = replace(definition, options=theirs)
        self.scheduler.add_stream(source, self.checkpoint.stream(definition.name), self.engines.run)
        self.intake.add(source)
        if self._running:
            self.intake.start(definition.name, once=False)

    def _create_query(self, name: str, query: Query) -> None:
        first, *others = equivalents(query)
        best = best_plan((first, *others), self.setting().known)
        self.checkpoint.admit("query", name, query.text if best is first else f"{query.text}\n{show.text(best.plan)}")
        output = Output(self.checkpoint.query(name), arrow_schema(best.result))
        description = describing.described(
            name, best, self.engines, self.strategy, self.setting(), self.refuses_infeasible
        )
        self.scheduler.add_factory(description, output, self.tables.read, self.engines.spark)
        self.scheduler.fire()

    def setting(self) -> Setting:
        """What placement goes by."""
        wanted = None if self.engines.wanted is Choice.AUTO else Site(self.engines.wanted.value)
        return Setting(physical.statistics(self.catalog.streams.values()), self.units, wanted)

    def deliver(self, name: str, source: str, emitter: Emitter) -> None:
        """Start delivering the answers of a query, or the rows of a stream."""
        self.deliveries.start(name, self._output(source), emitter)

    def _output(self, source: str) -> Output:
        """The answers of a query; a stream's rows are those of the query that selects them all."""
        stream = self.catalog.stream(source)
        if stream is None:
            return self.scheduler.factories[_named(self.scheduler.factories, source)].output
        name = f"rows of {stream.name}"
        if name not in self.scheduler.factories:
            quoted = "`" + stream.name.replace("`", "``") + "`"
            self._create_query(name, script.query(f"SELECT * FROM {quoted}", self.catalog))
        return self.scheduler.factories[name].output

    def _insert(self, target: str, query: Query) -> None:
        stream = self.catalog.stream(target)
        if stream is not None and query.timing is Timing.ONCE:
            self.scheduler.insert(stream.name, query.text, lambda: self._once(query).table)
            return
        number = sum(name.startswith(f"into {target} ") for name in self.scheduler.factories) + 1
        name = f"into {target} {number}"
        self._create_query(name, query)
        if stream is not None:
            self.scheduler.feed(name, stream.name)
            self.scheduler.fire()
        else:
            self.deliver(name, name, TableEmitter(self.spark, target, query.plan.schema.names))

    def _show_continuously(self, query: Query) -> None:
        name = self._fresh_name()
        self._create_query(name, query)
        self.deliver(name, name, open_emitter(EmitterDefinition(name, name), self.spark))

    def _drop(self, thing: Thing, wanted: str) -> None:
        """What is not there need not be dropped: without IF EXISTS the statement was refused before."""
        kinds: dict[Thing, tuple[dict[str, Any], Callable[[str], None]]] = {
            Thing.EMITTER: (self.deliveries.running, self.deliveries.stop),
            Thing.QUERY: (self.scheduler.factories, self._drop_query),
            Thing.STREAM: (self.scheduler.streams, self._drop_stream),
        }
        things, drop = kinds[thing]
        name = _named(things, wanted)
        if name in things:
            drop(name)

    def _drop_query(self, name: str) -> None:
        readers = self.deliveries.of(self.scheduler.factories[name].output)
        if readers:
            raise SqlError(f"emitter {readers[0].name} reads {name}", hint=f"DROP EMITTER {readers[0].name} first")
        self.scheduler.drop_factory(name)
        self.checkpoint.forget("query", name)

    def _drop_stream(self, name: str) -> None:
        readers = list(self.scheduler.net.readers(name))
        if readers:
            raise SqlError(f"{readers[0].name} reads {name}", hint=f"DROP CONTINUOUS QUERY {readers[0].name} first")
        self.intake.drop(name)
        self.scheduler.drop_stream(name)
        self.checkpoint.forget("stream", name)

    def _switch(self, name: str, enabled: bool) -> None:
        found = _named(self.scheduler.streams, name)
        self.scheduler.streams[found].enabled = enabled
        if not enabled:
            self.intake.stop(found)
        elif self._running and found not in self.intake.receptors:
            self.intake.start(found, once=False)

    # Answers

    def _once(self, query: Query) -> Result:
        plan = optimized(query).plan
        return Result(self.engines.run(plan, self.tables.inputs(plan)), self.spark)

    def _waits(self, statement: Statement) -> bool:
        """Is a statement about what the run leads to?"""
        match statement:
            case Analyze():
                return True
            case Select(query) if query.timing is Timing.ONCE:
                names = table_names(query.plan)
                return any(self.catalog.stream(n) is not None or self.catalog.is_derived(n) for n in names)
        return False

    def _spark_statement(self, text: str) -> Result | None:
        frame = self.tables.execute(text)
        return Result(frame.toArrow(), self.spark) if frame.columns else None

    def _fresh_name(self) -> str:
        return f"query_{len(self.scheduler.factories) + 1}"

    # Life

    def _tick(self) -> None:
        while not self._stopping.wait(0.5):
            self.scheduler.tick()

    def _halt(self) -> None:
        self._stopping.set()
        self.intake.stop_all()
        self._running = False


def _named(things: dict[str, Any], name: str) -> str:
    """The name as it was given when the thing was made."""
    return next((n for n in things if n.lower() == name.lower()), name)
