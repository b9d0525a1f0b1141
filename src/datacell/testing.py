"""Trying queries without a cluster and without waiting: rows in, a clock moved by hand, answers out.

::

    from datacell.testing import Trial

    SCRIPT = "CREATE STREAM loads (ts TIMESTAMP, plug INT, watts DOUBLE, WATERMARK FOR ts AS ts);" \\
             "CREATE CONTINUOUS QUERY busy AS SELECT plug, avg(watts) AS mean " \\
             "FROM loads [RANGE 1 MINUTE SLIDE 10 SECONDS] GROUP BY plug"

    def test_the_mean_of_the_last_minute():
        with Trial(SCRIPT) as trial:
            trial.push("loads", [("2026-01-01T00:00:01Z", 1, 90.0), ("2026-01-01T00:00:12Z", 1, 250.0)])
            assert [row["mean"] for row in trial.answers("busy")] == [90.0]

It is the net that `datacell run` runs, with the same gate, baskets and factories; only receptors and emitters, which
are the outside, are the test's own. Every `push` is one micro-batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import pyarrow as pa

from datacell.algebra.analysis import no_analysis, no_function
from datacell.algebra.definitions import StreamDefinition
from datacell.algebra.query import Query, Timing
from datacell.compile import Setting, compile
from datacell.compile.setting import statistics
from datacell.engines.arrow import arrow_schema, fields_of
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine, run_once
from datacell.engines.spark import SparkEngine
from datacell.errors import SqlError
from datacell.incremental.strategy import Strategy
from datacell.placement.operators import Site
from datacell.placement.unit_costs import SHIPPED
from datacell.receptors.rows import to_table
from datacell.runtime.clock import Clock
from datacell.runtime.net.factory import Factory
from datacell.runtime.net.founding import Described, answers, described
from datacell.runtime.net.members import as_given
from datacell.runtime.net.reception import SOURCE
from datacell.runtime.net.refresh import replace_table
from datacell.runtime.net.scheduler import Scheduler
from datacell.runtime.net.sharing import NamedQuery, Sharing
from datacell.runtime.net.strategies import require_room
from datacell.runtime.plans.pinned import PinnedTables, schema_of
from datacell.runtime.plans.plans import Plans
from datacell.runtime.storage import files
from datacell.runtime.storage.answered import Answered, AskedQueries
from datacell.runtime.storage.names import file_name
from datacell.runtime.storage.output import Output
from datacell.runtime.streams.gate import Run
from datacell.runtime.streams.stream import RunningStream
from datacell.sql import script
from datacell.sql.catalog import ByName, Catalog
from datacell.sql.statements.statement import CreateQuery, CreateStream, Drop, InsertInto, Statement, Thing, after

__all__ = ["HandClock", "Trial", "carry_out"]

Found = TypeVar("Found")


class HandClock:
    """A clock that stands still until it is moved."""

    def __init__(self, instant: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.instant = instant

    def now(self) -> datetime:
        return self.instant

    def advance(self, seconds: float) -> None:
        self.instant += timedelta(seconds=seconds)


class Trial:
    """Streams and queries of a script, fed by hand.

    In a `directory` a second trial with the same script goes on where the first one stopped, as after a crash. `tables`
    are what queries may read beside streams. Everything runs on one engine.
    """

    def __init__(
        self,
        text: str = "",
        *,
        tables: Mapping[str, pa.Table] | None = None,
        directory: Path | None = None,
        engine: Engine | None = None,
        strategy: Strategy = Strategy.AUTO,
        clock: Clock | None = None,
        sharing: Sharing = Sharing.AUTO,
    ) -> None:
        self._stack = ExitStack()
        self.directory = directory or self._stack.enter_context(files.temporary_directory())
        self.engine, self.strategy, self.sharing = engine or DuckDBEngine(threads=1), strategy, sharing
        self.asked = AskedQueries(self.directory / "asked")
        self.wanted: Site | None = Site(self.engine.name)
        """The engine that is to run everything; None if every operator is placed by cost."""
        self.compile = compile
        self._run: Run = partial(run_once, self.engine)
        self.hand_clock = HandClock()
        self.scheduler = Scheduler(clock or self.hand_clock, sharing)
        self.tables = dict(tables or {})
        self.pinned = PinnedTables(
            self.directory / "tables", lambda name, _: _found(self.tables, name), self.scheduler.members.clock.now
        )
        columns = {name: fields_of(table.schema) for name, table in self.tables.items()}
        analyze = self.engine.analyze if isinstance(self.engine, SparkEngine) else no_analysis
        calls = self.engine.find_function if isinstance(self.engine, SparkEngine) else no_function
        self.catalog = Catalog(tables=ByName(columns), analyze=analyze, find_function=calls)
        for source, tokens in script.statements(text):
            carry_out(self, script.bind(source, tokens, self.catalog).statement)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def push(self, stream: str, rows: Any) -> None:
        """One micro-batch, in any form that `Cell.push` takes; what is due is answered before this returns."""
        running = self.stream(stream)
        checked = running.gate.check(to_table(rows, running.definition), self._run, self.scheduler.members.clock.now())
        self.scheduler.hand_over(running.definition.name, running.basket.next_number(SOURCE), *checked)
        self.scheduler.check()

    def refresh(self, table: str, rows: pa.Table) -> None:
        """REFRESH TABLE: it has these rows now, and queries see them from the next boundary on."""
        name = _given(self.tables, table)

        def replaced(readers: Sequence[Factory]) -> None:
            self.tables[name] = rows
            self.pinned.replace(name, rows, [reader.output.life for reader in readers], schema_of(rows))

        if not rows.schema.equals(self.tables[name].schema):
            raise SqlError(f"{name} would get other columns", hint="give it the same ones")
        replace_table(self.scheduler, name, replaced)

    def advance(self, seconds: float) -> None:
        """Let time pass: streams become idle, arrival time goes on."""
        self.hand_clock.advance(seconds)
        self.scheduler.run()

    def end(self) -> None:
        """The input has ended: every window is closed."""
        self.scheduler.drain()

    def answers(self, query: str) -> list[dict[str, Any]]:
        """All rows that a query has delivered so far."""
        return [row for rows in self.firings(query) for row in rows.to_pylist()]

    def firings(self, query: str) -> Iterator[pa.Table]:
        """What each firing of a query has delivered; if it has stopped, that is raised."""
        named = _found(self.scheduler.members.queries, query)
        factory, number = named.factory, named.since
        if factory.stopped is not None:
            raise factory.stopped.error(named.name)
        output = factory.output
        while (firing := output.wait(number, 0)) is not None:
            number = firing.number + 1
            yield named.its(firing).rows

    def late(self, stream: str) -> list[dict[str, Any]]:
        """The rows of a stream that came too late."""
        return list(self.stream(stream).late.rows().to_pylist())

    def rejected(self, stream: str) -> list[dict[str, Any]]:
        """The rows that were rejected, with the reasons."""
        return list(self.stream(stream).rejected.rows().to_pylist())

    def stream(self, name: str) -> RunningStream:
        return _found(self.scheduler.members.streams, name)

    def factory(self, query: str) -> Factory:
        return _found(self.scheduler.members.queries, query).factory

    def add_stream(self, definition: StreamDefinition) -> None:
        directory = self.directory / "streams" / file_name(definition.name)
        self.scheduler.members.add_stream(definition, directory, self._run)

    def add_query(self, name: str, query: Query, plans: Plans | None = None) -> Factory:
        """A query that is bound already; `plans` may say otherwise where it runs."""
        return _added(self, name, query, plans, plans is None and self.sharing is Sharing.AUTO)

    def close(self) -> None:
        self._stack.close()


def carry_out(trial: Trial, statement: Statement) -> None:
    """One statement more of a trial."""
    _carry_out(trial, statement)
    trial.catalog = after(trial.catalog, statement)


def _carry_out(trial: Trial, statement: Statement) -> None:
    match statement:
        case CreateStream(definition):
            trial.add_stream(definition)
        case CreateQuery(name, query):
            trial.add_query(name, query)
        case Drop(Thing.QUERY, name):
            _drop(trial, name)
        case InsertInto(target, query) if query.timing is Timing.ONCE:
            plan = compile(query, Setting()).optimized.plan
            name = trial.stream(target).definition.name
            trial.scheduler.insert(name, query.text, lambda: run_once(trial.engine, plan, trial.tables))
        case InsertInto(target, query):
            name = f"into {target} {len(trial.scheduler.members.queries) + 1}"
            _added(trial, name, query, None, may_share=False)
            trial.scheduler.members.feed(name, trial.stream(target).definition.name)
        case _:
            raise SqlError(
                "a trial has streams, continuous queries and INSERT INTO a stream",
                hint="feed it with push(), and read answers()",
            )


def _added(trial: Trial, name: str, query: Query, plans: Plans | None, may_share: bool) -> Factory:
    net = trial.scheduler.members
    answered = answers(net, trial.asked, name, query, may_share)
    found = net.factories.get(answered.factory) or _described(trial, answered, query)
    answered = found.answered if isinstance(found, Described) else answered
    if trial.asked.of(name) is None:
        trial.asked.put(answered)
    factory = _made(trial, found, plans) if isinstance(found, Described) else found
    if factory is not found and may_share:
        net.queries.may_join(factory)
    net.queries.add(NamedQuery(name, factory, name.lower(), answered))
    trial.scheduler.fire()
    return factory


def _described(trial: Trial, answered: Answered, query: Query) -> Described:
    setting = Setting(statistics(trial.catalog.streams.values()), SHIPPED, trial.wanted, trial.strategy)
    first = query if query.text == answered.text else script.query(answered.text, trial.catalog)
    net = trial.scheduler.members
    return described(
        net, trial.asked, first, answered, lambda one: trial.compile(one, setting), lambda name: _directory(trial, name)
    )


def _made(trial: Trial, described: Described, plans: Plans | None) -> Factory:
    answered, compiled, family = described.answered, described.compiled, described.family
    name = answered.factory
    require_room(trial.sharing, answered.query, compiled, trial.scheduler.members.factories.values())
    life, schema = name.lower(), arrow_schema(compiled.optimized.result)
    output = Output(_directory(trial, name), schema, life)
    if plans is None:
        made_of = {table: schema_of(_found(trial.tables, table).schema) for table in compiled.tables.values()}
        trial.pinned.pin(life, made_of)
    reader = trial.pinned.reader(life)
    chosen = plans or Plans.on(trial.engine, name, reader if family is None else family.reader(reader))
    chosen = chosen if family is None else family.answered_by(chosen)
    return trial.scheduler.members.add_factory(name, compiled, output, chosen, compiled.evaluation.why, family)


def _directory(trial: Trial, factory: str) -> Path:
    return trial.directory / "queries" / file_name(factory)


def _drop(trial: Trial, query: str) -> None:
    named = _found(trial.scheduler.members.queries, query)
    with trial.scheduler.exclusively() as net:
        net.drop_query(named.name)
    trial.asked.forget(named.name)
    if not trial.asked.by(named.factory.name):
        files.remove_all(named.factory.output.directory)


def _found(things: Mapping[str, Found], name: str) -> Found:
    return things[_given(things, name)]


def _given(things: Mapping[str, Found], name: str) -> str:
    given = as_given(name, things)
    if given not in things:
        raise SqlError(f"there is no {name}", hint=f"there is {', '.join(things) or 'nothing'}")
    return given
