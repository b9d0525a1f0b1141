"""The cell: streams, queries and emitters at work on one Spark session. The face of the system for Python."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from datacell.algebra import types
from datacell.algebra.plan import Plan, Table
from datacell.algebra.query import Query, Timing
from datacell.algebra.schema import Field, Schema
from datacell.algebra.tree import descendants
from datacell.emitters.delivery import Delivery
from datacell.emitters.kinds import open_emitter
from datacell.emitters.protocol import Emitter
from datacell.emitters.sinks import TableEmitter
from datacell.engines.arrow import arrow_schema, conform
from datacell.engines.choice import Choice, Engines
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.session import own_session, session
from datacell.engines.spark import SparkEngine
from datacell.errors import EmitterError, SqlError
from datacell.explain import Format, explain_query
from datacell.receptors.checks import REASON, ROW
from datacell.receptors.receptor import Receptor
from datacell.receptors.sources import FILE_ORDER, from_frame, open_source
from datacell.receptors.spool import Spool, is_spooled, spool_source
from datacell.result import Result
from datacell.rewrite.rules import optimized
from datacell.runtime import factory
from datacell.runtime.checkpoint import Checkpoint
from datacell.runtime.clock import Clock, SystemClock
from datacell.runtime.factory import Description
from datacell.runtime.output import Output
from datacell.runtime.scheduler import Scheduler
from datacell.runtime.stream import ordered
from datacell.sql import script
from datacell.sql.catalog import Catalog, EmitterDefinition, StreamColumn, StreamDefinition
from datacell.sql.cursor import Cursor
from datacell.sql.source import Source, tokenize
from datacell.sql.statements import (
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

LONGEST_DELIVERY = 60.0
"""Seconds that the end of a run waits for an emitter that makes no progress."""


def connect(
    checkpoint: str | Path | None = None,
    spark: SparkSession | None = None,
    *,
    engine: str = "auto",
    master: str | None = None,
    clock: Clock | None = None,
) -> Cell:
    """A cell on a tuned local Spark session, or on yours. With a checkpoint directory it can be resumed."""
    return Cell(None if checkpoint is None else Path(checkpoint), spark, Choice(engine), master, clock or SystemClock())


class Cell:
    """Streams, queries and emitters, and the net that they form."""

    def __init__(
        self, checkpoint: Path | None, spark: SparkSession | None, engine: Choice, master: str | None, clock: Clock
    ) -> None:
        self.checkpoint = Checkpoint(checkpoint)
        self._started = session(master) if spark is None else None
        self._owner = spark or self._started
        assert self._owner is not None
        self.spark = own_session(self._owner)
        self.engines = Engines(SparkEngine(self.spark), DuckDBEngine(), engine)
        self.clock = clock
        self.scheduler = Scheduler(clock)
        self.catalog = Catalog(find_table=self._find_table)
        self.receptors: dict[str, Receptor] = {}
        self.spools: dict[str, Spool] = {}
        self.deliveries: dict[str, Delivery] = {}
        self._frames: dict[str, DataFrame] = {}
        self._tables: dict[str, pa.Table] = {}
        self._running = False
        self._stopping = Event()
        self._ticker: Thread | None = None

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
        columns = tuple(StreamColumn(f.name, types.of(f.dataType.simpleString())) for f in frame.schema.fields)
        if event_time is not None and event_time not in frame.columns:
            raise SqlError(f"the frame has no column {event_time}", hint=f"it has {', '.join(frame.columns)}")
        timeout = None if idle_timeout is None else _length(idle_timeout)
        definition = StreamDefinition(name, columns, event_time, _length(lateness), timeout)
        self._frames[name] = frame
        self._create_stream(definition)
        self.catalog = self.catalog.with_stream(definition)

    def query(self, text: str, name: str | None = None) -> RunningQuery:
        """Start a continuous query."""
        bound = script.query(text, self.catalog)
        chosen = name or f"query_{len(self.scheduler.factories) + 1}"
        if self.catalog.kind(chosen) is not None:
            raise SqlError(f"there is already a {self.catalog.kind(chosen)} {chosen}", hint="choose another name")
        return self._create_query(chosen, bound)

    def push(self, stream: str, rows: Any) -> int:
        """Put rows into a stream: dicts, tuples, a pandas frame or an Arrow table. Durable once it returns."""
        found = self.catalog.stream(stream)
        if found is None or found.name not in self.spools:
            raise SqlError(f"there is no stream {stream} to push to", hint="CREATE STREAM it without WITH (…)")
        return self.spools[found.name].push(rows)

    def run(self, once: bool = False) -> None:
        """Run until stopped; or with `once` read all that is there, close every window, deliver, and return."""
        self.start(once)
        try:
            if not once:
                self._watch()
                return
            for receptor in list(self.receptors.values()):
                receptor.wait()
            self.scheduler.drain()
            self._deliver_all()
        finally:
            if once:
                self._halt()

    def start(self, once: bool = False) -> None:
        """Start reading in the background."""
        if self._running:
            return
        self._running = True
        self._stopping.clear()
        for running in self.scheduler.factories.values():
            running.output.closed = False
        for name in list(self.scheduler.streams):
            self._start_receptor(name, once)
        if not once:
            self._ticker = Thread(target=self._tick, name="ticker", daemon=True)
            self._ticker.start()

    def stop(self) -> None:
        """Stop reading and delivering. What was taken is in the checkpoint."""
        self._halt()
        for delivery in self.deliveries.values():
            delivery.stop()
        self.deliveries.clear()
        self.engines.close()
        if self._started is not None:
            self._started.stop()
        self.checkpoint.close()

    # Statements

    def execute(self, statement: Statement) -> Result | None:
        """Carry out one statement."""
        answer = self._executed(statement)
        self.catalog = after(self.catalog, statement) if not isinstance(statement, CreateQuery) else self.catalog
        return answer

    def _executed(self, statement: Statement) -> Result | None:
        match statement:
            case CreateStream(stream):
                if self.catalog.stream(stream.name) is None:
                    self._create_stream(stream)
            case CreateQuery(name, query):
                self._create_query(name, query)
            case CreateEmitter(emitter):
                self._create_emitter(emitter)
            case InsertInto(target, query):
                self._insert(target, query)
            case Select(query) if query.timing is Timing.ONCE:
                return self._once(query)
            case Select(query):
                self._show_continuously(query)
            case Drop(thing, name):
                self._drop(thing, name)
            case Switch(stream, enabled):
                self._switch(stream, enabled)
            case Show(thing):
                return self._result(self._listing(thing))
            case Explain(stage, query):
                text = explain_query(query, stage, Format.TEXT)
                return self._result(pa.table({"plan": text.splitlines()}))
            case SparkStatement(text):
                return self._spark_statement(text)
        return None

    def _create_stream(self, definition: StreamDefinition) -> None:
        self.checkpoint.admit("stream", definition.name, repr((definition.fields, definition.event_time)))
        self.scheduler.add_stream(definition, self.checkpoint.stream(definition.name))
        if definition.name not in self._frames and is_spooled(definition):
            self.spools[definition.name] = Spool(definition, self.checkpoint.spool(definition.name))
        if self._running:
            self._start_receptor(definition.name, once=False)

    def _create_query(self, name: str, query: Query) -> RunningQuery:
        self.checkpoint.admit("query", name, query.text)
        best = optimized(query)
        fragment = factory.fragment(best)
        engine, remark = self.engines.choose(fragment)
        output = Output(self.checkpoint.query(name), arrow_schema(best.result))
        description = Description(name, best, fragment, engine, remark)
        self.scheduler.add_factory(description, output, self._table, self.engines.spark)
        self.catalog = self.catalog.with_query(name, query)
        self.scheduler.settle()
        return RunningQuery(self, name)

    def _create_emitter(self, definition: EmitterDefinition) -> None:
        self._deliver(definition.name, definition.source, open_emitter(definition, self.spark))

    def _deliver(self, name: str, source: str, emitter: Emitter) -> None:
        output = self._output(source)
        saved = self.checkpoint.emitter(name)
        delivery = Delivery(name, output, emitter, saved, lambda: self._forget_delivered(output))
        self.deliveries[name] = delivery
        delivery.start()

    def _output(self, source: str) -> Output:
        """The answers of a query; a stream's rows are those of the query that selects them all."""
        running = next((f for n, f in self.scheduler.factories.items() if n.lower() == source.lower()), None)
        if running is not None:
            return running.output
        stream = self.catalog.stream(source)
        assert stream is not None
        quoted = "`" + stream.name.replace("`", "``") + "`"
        everything = script.query(f"SELECT * FROM {quoted}", self.catalog)
        name = f"rows of {stream.name}"
        if name not in self.scheduler.factories:
            self._create_query(name, everything)
        return self.scheduler.factories[name].output

    def _insert(self, target: str, query: Query) -> None:
        number = sum(name.startswith(f"into {target} ") for name in self.scheduler.factories) + 1
        name = f"into {target} {number}"
        self._create_query(name, query)
        stream = self.catalog.stream(target)
        if stream is not None:
            self.scheduler.feed(name, stream.name)
            self.scheduler.settle()
        else:
            self._deliver(name, name, TableEmitter(self.spark, target, query.plan.schema.names))

    def _show_continuously(self, query: Query) -> None:
        name = f"query_{len(self.scheduler.factories) + 1}"
        self._create_query(name, query)
        self._deliver(name, name, open_emitter(EmitterDefinition(name, name), self.spark))

    def _drop(self, thing: Thing, name: str) -> None:
        match thing:
            case Thing.EMITTER:
                dropped = self.deliveries.pop(self._named(self.deliveries, name), None)
                if dropped is not None:
                    dropped.stop()
            case Thing.QUERY:
                found = self._named(self.scheduler.factories, name)
                users = [d for d in self.deliveries.values() if d.output is self.scheduler.factories[found].output]
                if users:
                    raise SqlError(f"emitter {users[0].name} reads {name}", hint=f"DROP EMITTER {users[0].name} first")
                self.scheduler.drop_factory(found)
                self.checkpoint.forget("query", found)
            case Thing.STREAM:
                self._drop_stream(name)

    def _drop_stream(self, name: str) -> None:
        found = self._named(self.scheduler.streams, name)
        readers = list(self.scheduler.net.readers(found))
        if readers:
            raise SqlError(f"{readers[0].name} reads {name}", hint=f"DROP CONTINUOUS QUERY {readers[0].name} first")
        receptor = self.receptors.pop(found, None)
        if receptor is not None:
            receptor.stop()
        self.scheduler.drop_stream(found)
        self.checkpoint.forget("stream", found)

    def _switch(self, name: str, enabled: bool) -> None:
        found = self._named(self.scheduler.streams, name)
        self.scheduler.streams[found].enabled = enabled
        receptor = self.receptors.pop(found, None)
        if receptor is not None and not enabled:
            receptor.stop()
        if enabled and self._running:
            self._start_receptor(found, once=False)

    @staticmethod
    def _named(things: dict[str, Any], name: str) -> str:
        return next((n for n in things if n.lower() == name.lower()), name)

    # Rows in

    def _start_receptor(self, name: str, once: bool) -> None:
        stream = self.scheduler.streams[name]
        if not stream.enabled or (
            name not in self._frames and name not in self.spools and not stream.definition.options
        ):
            return
        frame = self._open(stream.definition)
        directory = self.checkpoint.stream(name) / "spark"
        receptor = Receptor(
            stream.definition, frame, directory, lambda number, batch: self._deposit(name, number, batch)
        )
        self.receptors[name] = receptor
        receptor.start(once)

    def _open(self, definition: StreamDefinition) -> DataFrame:
        if definition.name in self._frames:
            return from_frame(self._frames[definition.name], definition)
        if definition.name in self.spools:
            return spool_source(self.spark, definition, self.spools[definition.name])
        return open_source(self.spark, definition)

    def _deposit(self, stream: str, number: int, frame: DataFrame) -> None:
        """One Spark job brings the checked rows of a micro-batch; then the net settles."""
        running = self.scheduler.streams[stream]
        if self.scheduler.holds(stream, number):
            self.scheduler.settle()
            return
        batch = ordered(frame.toArrow(), FILE_ORDER)
        bad = batch.filter(pc.is_valid(batch[REASON]))
        good = batch.filter(pc.is_null(batch[REASON])).drop_columns([REASON, ROW])
        arrived = pa.array([self.clock.now()] * len(bad), pa.timestamp("us", tz="UTC"))
        rejected = pa.table([arrived, bad[REASON], bad[ROW]], schema=running.rejected.schema)
        self.scheduler.deposit(stream, number, conform(good, Schema(running.definition.fields)), rejected)

    # Rows out

    def _once(self, query: Query) -> Result:
        plan = optimized(query).plan
        engine, _ = self.engines.choose(plan)
        with self.scheduler.lock:
            inputs = {name: self._table(name) for name in _tables(plan)}
        return self._result(engine.run(plan, inputs))

    def _table(self, name: str) -> pa.Table:
        """What a table's name stands for now: a basket, rows set aside, a latest answer, a table of Spark."""
        for stream in self.scheduler.streams.values():
            own = stream.definition.name.lower()
            if name.lower() == own:
                return stream.basket.rows().select(stream.schema.names)
            if name.lower() in (f"{own}__late", f"{own}__rejected"):
                return (stream.late if name.lower().endswith("late") else stream.rejected).rows()
        running = self.scheduler.factories.get(self._named(self.scheduler.factories, name))
        if running is not None:
            return running.output.schema.empty_table() if running.latest is None else running.latest
        if name.lower() not in self._tables:
            self._tables[name.lower()] = self._spark_table(name).toArrow()
        return self._tables[name.lower()]

    def _spark_table(self, name: str) -> DataFrame:
        try:
            return self.spark.table(name)
        except PySparkException:
            assert self._owner is not None
            return self._owner.table(name)

    def _find_table(self, name: str) -> tuple[Field, ...] | None:
        try:
            frame = self._spark_table(name)
            return tuple(Field(f.name, types.of(f.dataType.simpleString())) for f in frame.schema.fields)
        except (PySparkException, ValueError):
            return None

    def _spark_statement(self, text: str) -> Result | None:
        try:
            frame = self.spark.sql(text)
        except PySparkException as error:
            raise SqlError(f"Spark refuses this statement: {str(error).splitlines()[0]}") from error
        self._tables.clear()
        return self._result(frame.toArrow()) if frame.columns else None

    def _result(self, table: pa.Table) -> Result:
        return Result(table, self.spark)

    def _listing(self, thing: Thing) -> pa.Table:
        match thing:
            case Thing.STREAM:
                return _listed(
                    [
                        {
                            "stream": n,
                            "enabled": s.enabled,
                            "rows": s.basket.progress.rows,
                            "in basket": sum(len(b.rows) for b in s.basket.batches),
                            "late": s.basket.progress.late,
                            "rejected": s.basket.progress.rejected,
                        }
                        for n, s in self.scheduler.streams.items()
                    ]
                )
            case Thing.QUERY:
                return _listed(
                    [
                        {
                            "query": n,
                            "engine": f.description.engine.name,
                            "firings": f.output.next_number,
                            "boundaries": f.answered,
                            "remark": f.description.remark,
                        }
                        for n, f in self.scheduler.factories.items()
                    ]
                )
        return _listed(
            [
                {"emitter": n, "guarantee": d.emitter.guarantee, "pending": d.pending, "failure": d.failure or ""}
                for n, d in self.deliveries.items()
            ]
        )

    # Life

    def _forget_delivered(self, output: Output) -> None:
        cursors = [d.cursor for d in self.deliveries.values() if d.output is output]
        cursors += [f.cursor for f in self.scheduler.feeders.values() if f.output is output]
        output.forget(min(cursors, default=0))

    def _deliver_all(self) -> None:
        """Wait until every emitter has delivered everything; an error if one makes no progress."""
        for delivery in self.deliveries.values():
            pending, since = delivery.pending, time.monotonic()
            while delivery.pending:
                if delivery.pending != pending:
                    pending, since = delivery.pending, time.monotonic()
                if time.monotonic() - since > LONGEST_DELIVERY or (delivery.failure and time.monotonic() - since > 10):
                    raise EmitterError(
                        f"emitter {delivery.name} cannot deliver: {delivery.failure or 'it takes too long'}",
                        hint="mend it and run again: nothing is lost",
                    )
                time.sleep(0.01)
        for running in self.scheduler.factories.values():
            running.output.close()

    def _watch(self) -> None:
        """Until stopped; a receptor that fails ends the run with its reason."""
        while not self._stopping.wait(0.2):
            for receptor in list(self.receptors.values()):
                if not receptor.active:
                    receptor.wait(1)

    def _tick(self) -> None:
        """Time passes also when no rows come: idle streams stop holding others back, arrival time goes on."""
        while not self._stopping.wait(0.5):
            timed = [s for s in self.scheduler.streams.values() if s.idle() or s.definition.event_time is None]
            if timed:
                self.scheduler.settle()

    def _halt(self) -> None:
        self._stopping.set()
        for receptor in self.receptors.values():
            receptor.stop()
        self.receptors.clear()
        self._running = False


@dataclass(frozen=True)
class RunningQuery:
    """A continuous query at work."""

    cell: Cell
    name: str

    def results(self, timeout: float | None = None) -> Iterator[Result]:
        """What each firing wrote, as it comes; ends when the input has ended, or nothing came for `timeout` seconds."""
        output = self.cell.scheduler.factories[self.name].output
        if not output.closed:
            self.cell.start()
        number = 0
        while True:
            firing = output.wait(number, timeout)
            if firing is None:
                return
            number = firing.number + 1
            if len(firing.rows):
                yield Result(firing.rows, self.cell.spark, firing.number)

    def explain(self, stage: str = "optimized", format: str = "text") -> str:
        """The query's plan at a stage."""
        from datacell.explain import Stage

        description = self.cell.scheduler.factories[self.name].description
        return explain_query(description.query, Stage(stage), Format(format))


def _tables(plan: Plan) -> set[str]:
    return {node.name for node in descendants(plan) if isinstance(node, Table)}


def _listed(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows) if rows else pa.table({"nothing": pa.array([], pa.string())})


def _length(text: str) -> int:
    """A length of time such as ``2 seconds``."""
    source = Source(text)
    return Cursor(source, tokenize(source)).length("the length")
