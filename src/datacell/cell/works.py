"""What a cell works with: engines, the net, receptors, emitters, tables, and where all of it is kept."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from pyspark.sql import SparkSession

from datacell.algebra.analysis import Analysis, CalledFunction
from datacell.algebra.query import Query
from datacell.cell.accepted import accepted
from datacell.cell.deliveries import Deliveries
from datacell.cell.intake import Intake
from datacell.cell.tables import Tables
from datacell.compile import Compiled, Setting, compile
from datacell.compile.setting import statistics, untimed
from datacell.engines.choice import Choice, Engines
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.session import fit_to_cluster
from datacell.engines.spark import SparkEngine
from datacell.errors import CheckpointError
from datacell.incremental.strategy import Strategy
from datacell.placement import unit_costs
from datacell.placement.homes import DRIVER_MEMORY
from datacell.placement.operators import Site
from datacell.runtime.clock import Clock
from datacell.runtime.net.families import Family
from datacell.runtime.net.scheduler import Scheduler
from datacell.runtime.net.sharing import Sharing
from datacell.runtime.plans.memory import DriverMemory
from datacell.runtime.plans.pinned import PinnedTables
from datacell.runtime.plans.plans import Plans
from datacell.runtime.storage import reach
from datacell.runtime.storage.checkpoint import Checkpoint
from datacell.runtime.storage.firings import Bound
from datacell.sql.catalog import Catalog


class Works:
    """Made when a cell is, closed when it stops."""

    def __init__(
        self,
        checkpoint: Path | None,
        spark: SparkSession | None,
        master: str | None,
        engine: Choice,
        strategy: Strategy,
        clock: Clock,
        driver_memory: int = DRIVER_MEMORY,
        kept: Bound = Bound(),  # noqa: B008 - it is immutable
        sharing: Sharing = Sharing.AUTO,
    ) -> None:
        self.kept, self.sharing = kept, sharing
        self.units, self.strategy, self.memory = unit_costs.load(), strategy, DriverMemory(driver_memory)
        self.checkpoint = Checkpoint(checkpoint)
        self._on_spark = on_spark = self._started(spark, master)
        self.spark = on_spark.session
        self.engines = Engines(on_spark, DuckDBEngine(), engine)
        self.scheduler = Scheduler(clock, sharing)
        self.intake = Intake(on_spark, self.scheduler, self.checkpoint)
        root = self.checkpoint.root
        self.tables = Tables(self.spark, spark or self.spark, self.scheduler, self.memory, root / "scratch")
        self.pinned = PinnedTables(root / "tables", self.tables.fetch, clock.now, self.memory, self._is_alive)
        self.deliveries = Deliveries(self.scheduler, self.checkpoint)

    def _started(self, spark: SparkSession | None, master: str | None) -> SparkEngine:
        """Spark at work. On a cluster: its first job, which needs executors; after it their number is known."""
        try:
            engine = SparkEngine(spark, master)
            try:
                reach.check(engine.session, self.checkpoint.root)
            except CheckpointError:
                engine.close()
                raise
        except BaseException:
            self.checkpoint.close()
            raise
        fit_to_cluster(engine.session)
        return engine

    def analyze(self, text: str) -> Analysis:
        """What Spark says of a text that is not understood here."""
        return self._on_spark.analyze(text)

    def compiled(self, query: Query, catalog: Catalog) -> Compiled:
        """A continuous query as it will run, if Spark accepts it."""
        return accepted(compile(query, self.setting(catalog)), self._on_spark.refusal)

    def find_function(self, name: str, count: int) -> CalledFunction | None:
        """What Spark says of a function that the user has made."""
        return self._on_spark.find_function(name, count)

    def setting(self, catalog: Catalog) -> Setting:
        """What queries over the streams of a catalog are compiled by."""
        wanted = None if self.engines.wanted is Choice.AUTO else Site(self.engines.wanted.value)
        known = statistics(catalog.streams.values())
        by_arrival = untimed(catalog.streams.values())
        return Setting(known, self.units, wanted, self.strategy, self.memory.limit, self._fed(catalog), by_arrival)

    def _fed(self, catalog: Catalog) -> frozenset[str]:
        """Streams that only queries feed: nobody has pushed to them, and they have no source."""
        feeders = self.scheduler.members.feeders.values()
        return frozenset(f.stream.definition.name.lower() for f in feeders) & frozenset(map(str.lower, catalog.streams))

    def plans(self, name: str, compiled: Compiled, life: str, family: Family | None = None) -> Plans:
        """The plans of a factory, to be prepared; by its life is known which tables it sees."""
        engines = {Site.SPARK: self.engines.spark, Site.DUCKDB: self.engines.duckdb}
        known, units = compiled.setting.known, compiled.setting.units
        reader = self.pinned.reader(life)
        tables = reader if family is None else family.reader(reader)
        made = Plans.placed(name, engines, compiled.site, tables, known, units, self.memory)
        return made if family is None else family.answered_by(made)

    def _is_alive(self, life: str) -> bool:
        return life in self.checkpoint.definitions.lives()

    def forbid_files_as_tables(self) -> None:
        """In the sessions that queries run in; of the owner's only temporary views are looked at."""
        for session in (self.intake.engine.session, self.intake.engine.large):
            session.conf.set("spark.sql.runSQLOnFiles", "false")

    def close(self) -> None:
        with ExitStack() as closing:
            closing.callback(self.checkpoint.close)
            closing.callback(self.engines.close)
            closing.callback(self.deliveries.stop_all)
