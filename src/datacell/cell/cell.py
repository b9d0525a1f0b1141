"""The cell: streams, queries and emitters at work on one Spark session. The face of the system for Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path
from threading import Event, Thread
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from datacell.algebra.definitions import StreamDefinition
from datacell.algebra.query import Timing
from datacell.algebra.tree import has_stream, table_names
from datacell.cell import listing
from datacell.cell.intake import failing
from datacell.cell.result import Result
from datacell.cell.running_query import RunningQuery
from datacell.cell.statements import Statements
from datacell.cell.works import Works
from datacell.emitters.delivery import LONGEST_SILENCE
from datacell.engines.choice import Choice
from datacell.engines.reasons import never_javas_own
from datacell.errors import DataCellError, EngineError, EngineLostError, SqlError, counted
from datacell.incremental.strategy import Strategy
from datacell.placement.homes import DRIVER_MEMORY
from datacell.receptors.sources import frame_columns
from datacell.runtime.clock import Clock, SystemClock
from datacell.runtime.net.sharing import Sharing
from datacell.runtime.storage.firings import Bound
from datacell.sql import script
from datacell.sql.catalog import Catalog
from datacell.sql.statements.safe import Safety
from datacell.sql.statements.statement import Analyze, CreateQuery, CreateStream, Select, Statement
from datacell.sql.text.quantities import length_of


def connect(
    checkpoint: str | Path | None = None,
    spark: SparkSession | None = None,
    *,
    engine: str = "auto",
    strategy: str = "auto",
    master: str | None = None,
    clock: Clock | None = None,
    refuse_infeasible: bool = False,
    driver_memory: int = DRIVER_MEMORY,
    kept_firings: int = Bound.firings,
    undelivered: int = Bound.undelivered,
    safe: bool = False,
    roots: Sequence[str | Path] = (),
    sharing: str = "auto",
) -> Cell:
    """A cell on a tuned local Spark session, or on yours. With a checkpoint directory it can be resumed.

    A query that cannot keep up with the declared rates is started with a warning, or with `refuse_infeasible` not. Of
    what queries keep, `driver_memory` bytes may be in the driver; what would not fit stays on the cluster. Of a query
    without an emitter the last `kept_firings` stay for `results()`, if they have no more than 64 MB. As long as of a
    query `undelivered` bytes wait for its emitters, its streams wait, too. A `safe` cell takes statements from
    strangers: of files they reach what is in `roots`, and of all else nothing. With `sharing`
    "auto" equal queries are answered together; "shared", "separate" and "chained" are the thesis' strategies: each is
    answered by itself, from one basket, from a copy of its own, or from what those before it have left.
    """
    if roots and not safe:
        raise SqlError("roots are what a safe cell may reach", hint="say safe=True, or --safe, too")
    directory = None if checkpoint is None else Path(checkpoint)
    chosen = Choice(engine), Strategy(strategy), clock or SystemClock()
    bound = Bound(kept_firings, undelivered=undelivered)
    works = Works(directory, spark, master, *chosen, driver_memory, bound, Sharing(sharing))
    if safe:
        works.forbid_files_as_tables()
    return Cell(works, refuse_infeasible, Safety(tuple(map(Path, roots))) if safe else None)


class Cell:
    """Streams, queries and emitters, and the net that they form."""

    def __init__(self, works: Works, refuses_infeasible: bool, safety: Safety | None = None) -> None:
        self.works = works
        self.statements = Statements(works, refuses_infeasible, lambda: self._is_running, safety)
        self._is_running = False
        self._is_closed = False
        self._stopping = Event()

    @property
    def spark(self) -> SparkSession:
        """The session that queries run in."""
        return self.works.spark

    @never_javas_own()
    def sql(self, text: str) -> Result | None:
        """Carry out statements; the answer of the last one, if it has one."""
        self._require_open()
        answer = None
        for source, tokens in script.statements(text):
            answer = self.statements.execute(_not_continuous(self.statements.bound(source, tokens)))
        return answer

    @never_javas_own()
    def stream(
        self,
        name: str,
        frame: DataFrame,
        *,
        event_time: str | None = None,
        lateness: str = "0 seconds",
        idle_timeout: str | None = None,
        ahead: str | None = None,
    ) -> None:
        """Make a streaming DataFrame a stream. A row that is further than `ahead` ahead of all others is rejected."""
        self._require_open()
        columns = frame_columns(frame, name)
        if event_time is not None and event_time not in frame.columns:
            raise SqlError(f"the frame has no column {event_time}", hint=f"it has {', '.join(frame.columns)}")
        timeout, bound = (None if length is None else length_of(length) for length in (idle_timeout, ahead))
        definition = StreamDefinition(name, columns, event_time, length_of(lateness), timeout, ahead=bound)
        self.works.intake.frames[name] = frame
        self.statements.execute(CreateStream(definition))

    @never_javas_own()
    def query(self, text: str, name: str | None = None) -> RunningQuery:
        """Start a continuous query."""
        self._require_open()
        catalog = self.statements.catalog
        bound, chosen = (
            script.query(text, catalog, self.statements.safety),
            name or self.statements.queries.fresh_name(),
        )
        if not has_stream(bound.plan):
            raise SqlError("this query reads no stream", hint="cell.sql(…) answers it once")
        if catalog.kind(chosen) is not None:
            raise SqlError(f"there is already a {catalog.kind(chosen)} {chosen}", hint="choose another name")
        self.statements.execute(CreateQuery(chosen, bound))
        return RunningQuery(self, chosen)

    @never_javas_own()
    def push(self, stream: str, rows: Any) -> int:
        """Put rows into a stream: dicts, tuples, a pandas frame or an Arrow table. Durable once it returns."""
        self._require_open()
        found = self.statements.catalog.stream(stream)
        if found is None:
            raise SqlError(f"there is no stream {stream}", hint="CREATE STREAM it first")
        return self.works.intake.push(found.name, rows)

    @never_javas_own()
    def run(self, once: bool = False) -> None:
        """Run until stopped; or with `once` read all that is there, close every window, deliver, and return."""
        self.start(once)
        if not once:
            while not self._stopping.wait(0.2):
                self.check()
            return
        try:
            self.works.intake.wait()
            self.works.scheduler.drain()
            self.works.deliveries.finish()
            self.require_no_failure()
        finally:
            self._halt()

    def require_no_failure(self) -> None:
        """Raise why queries have stopped, if some have; the others have been answered."""
        found = listing.failures(self.works.scheduler.members)
        if not found:
            return
        first, *more = found.values()
        beside = f"; {counted(len(more), 'other')} stopped, too: SHOW QUERIES tells why" if more else ""
        hint = "what all others answer is complete; run again with the same checkpoint, and it is tried again"
        raise EngineError(f"{first.message}{beside}", place=first.place, hint=hint)

    @never_javas_own()
    def run_script(self, text: str, file: str, once: bool, show: Callable[[Result], None]) -> None:
        """Carry out a script and run. With `once`, queries over baskets and answers wait until all input is read."""
        self._require_open()
        waiting: list[Statement] = []
        for source, tokens in script.statements(text, file):
            statement = self.statements.bound(source, tokens)
            if once and _waits(statement, self.statements.catalog):
                waiting.append(statement)
            elif (answer := self.statements.execute(statement)) is not None:
                show(answer)
        try:
            self.run(once)
        finally:
            for statement in waiting:
                if (answer := self.statements.carry_out(statement)) is not None:
                    show(answer)

    @never_javas_own()
    def start(self, once: bool = False) -> None:
        """Start reading in the background."""
        self._require_open()
        if self._is_running:
            return
        self._is_running = True
        self._stopping.clear()
        self.works.scheduler.waiting.open(LONGEST_SILENCE if once else inf)
        self.statements.refreshing.refresh_due(self.statements.catalog)
        net = self.works.scheduler.members
        for factory in list(net.factories.values()):
            factory.output.closed = False
        try:
            for name in list(net.streams):
                self.works.intake.start(name, once)
        except DataCellError:
            self._halt()
            raise
        if not once:
            Thread(target=self._tick, name="ticker", daemon=True).start()

    @never_javas_own()
    def stop(self) -> None:
        """Stop reading and delivering. What was taken is in the checkpoint."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._halt()
        finally:
            self.works.close()

    @never_javas_own()
    def check(self) -> None:
        """Raise what made a receptor or the net stop."""
        self.works.intake.check()

    def progress(self) -> listing.Progress:
        """How far the cell has come."""
        troubles = self.works.deliveries.troubles()
        return listing.progress(self.works.scheduler.members, failing(self.works.intake), troubles)

    def _tick(self) -> None:
        while not self._stopping.wait(0.5):
            try:
                self.works.intake.revive()
                self.statements.refreshing.refresh_due(self.statements.catalog)
                self.works.scheduler.tick()
                self.works.deliveries.tell()
            except EngineLostError:  # `check` finds that out, too, and raises it where somebody waits
                return

    def _halt(self) -> None:
        self._stopping.set()
        self.works.scheduler.waiting.close()
        self.works.intake.stop_all()
        self._is_running = False

    def _require_open(self) -> None:
        if self._is_closed:
            raise DataCellError(
                "this cell was stopped", hint="datacell.connect() makes a new one; state is in its checkpoint"
            )


def _not_continuous(statement: Statement) -> Statement:
    """A query over windows has no answer once and for all."""
    match statement:
        case Select(query) if query.timing is not Timing.ONCE:
            raise SqlError(
                "this query is continuous: it is answered again and again",
                place=query.place,
                hint="CREATE CONTINUOUS QUERY name AS … starts it; then SELECT * FROM name is its latest answer",
            )
    return statement


def _waits(statement: Statement, catalog: Catalog) -> bool:
    """Is a statement about what the run leads to?"""
    match statement:
        case Analyze():
            return True
        case Select(query) if query.timing is Timing.ONCE:
            names = table_names(query.plan)
            return any(catalog.stream(n) is not None or catalog.is_derived(n) or _is_fed(n, catalog) for n in names)
    return False


def _is_fed(table: str, catalog: Catalog) -> bool:
    """Does INSERT INTO bring rows of a stream to it?"""
    return catalog.fed_by(table) != {table.lower()}
