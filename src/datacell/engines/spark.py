"""Spark: the stream engine and the relational kernel. It runs every plan; its answers define what is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import count
from threading import Lock
from typing import TypeVar, cast
from weakref import WeakKeyDictionary

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql.functions import broadcast, expr, lit
from pyspark.sql.functions import count as count_rows
from pyspark.sql.types import StructType
from sqlglot import exp

from datacell.algebra import tree, types
from datacell.algebra.analysis import Analysis, AnalysisError, CalledFunction
from datacell.algebra.empty import without
from datacell.algebra.plan import Input, Plan, Spread, descendants
from datacell.algebra.schema import Field, Schema
from datacell.algebra.tree import Key
from datacell.algebra.types import BIGINT
from datacell.engines import functions, spelling, sql
from datacell.engines.analysis import analysis, refused
from datacell.engines.arrow import arrow_schema, selected, shaped
from datacell.engines.protocol import Annotated, Csv, Files, Frame, Inputs, Source
from datacell.engines.reasons import told
from datacell.engines.session import own_session, session, session_for_large_jobs
from datacell.engines.spelling import Spelled
from datacell.engines.transfers import Account, to_cluster, to_driver
from datacell.errors import EngineError, in_backticks

_NO_ROUTINE = ("UNRESOLVED_ROUTINE", "UNRESOLVABLE_TABLE_VALUED_FUNCTION")
_VIEW_NUMBERS = count()
Given = TypeVar("Given")
_FEW = 10_000
"""Rows up to which an input is worth sending to every task instead of shuffling what it is joined with."""

_ONE_TASK = 1_000_000
"""Rows of input up to which one task is faster than several, because then nothing is shuffled."""

_MANY_TO_SPREAD = 1_000
"""So many rows, each of them much work, that several tasks are worth a shuffle."""

_LARGE = 2_000_000
"""Rows in files from which on a job is worth that Spark plans it again while it runs."""

_COMMITTER = "mapreduce.fileoutputcommitter"
_WRITING = {f"{_COMMITTER}.algorithm.version": "2", f"{_COMMITTER}.marksuccessfuljobs": "false"}
"""Files are put where they belong by the tasks: nobody reads the directory before the job has succeeded."""


class PreparedText:
    """A plan's text, and the views that it reads its inputs from. `account` has what its runs have transferred."""

    def __init__(self, engine: SparkEngine, plan: Plan) -> None:
        self._engine, self._plan, self.schema = engine, plan, arrow_schema(plan.schema)
        self._sources = sql.sources(plan)
        self._views = {key: f"datacell_input_{next(_VIEW_NUMBERS)}" for key in self._sources}
        self._texts: dict[frozenset[Key], tuple[str, list[Key]]] = {}
        self._schemas = {key: cast("StructType", StructType.fromDDL(_ddl(c))) for key, c in self._sources.items()}
        self._spread = _spread(plan)
        self._empty: dict[Key, DataFrame] = {}
        self._lock = Lock()
        self.account = Account()
        calls_users = engine.calls_users(plan)  # such a function cannot stand beside what Spark observes
        self._row_wise = None if calls_users else sql.row_wise(plan, sql.SPARK)

    @cached_property
    def passes(self) -> Column | None:
        """Of a fragment that only filters and maps: whether a row passes."""
        return None if self._row_wise is None else expr(self._row_wise.condition or "true")

    @cached_property
    def _mapped(self) -> list[Column]:
        assert self._row_wise is not None
        return [expr(column) for column in self._row_wise.columns]

    def run(self, inputs: Inputs) -> pa.Table:
        return self._using(inputs, lambda frame: shaped(to_driver(frame, self.account), self.schema))

    def write(self, inputs: Inputs, directory: str) -> Files:
        """The answer as files that executors write; what was in the directory is gone."""
        return self._using(inputs, lambda frame: written(frame, directory))

    def over(self, inputs: Inputs, action: Callable[[DataFrame], Given]) -> Given:
        """What an action makes of the answer, which need not leave the cluster. The frame is gone after it."""
        return self._using(inputs, action)

    def refusal(self) -> str | None:
        """Why Spark does not accept the plan; None if it does."""
        session = self._engine.session
        text = sql.text(self._plan, sql.SPARK, self._views)
        try:
            for key, view in self._views.items():
                session.sql(_no_rows(self._sources[key])).createOrReplaceTempView(view)
            session.sql(text)
        except PySparkException as error:
            return refused(text, error).message
        finally:
            for view in self._views.values():
                session.catalog.dropTempView(view)
        return None

    def close(self) -> None:
        self._empty.clear()

    def _using(self, inputs: Inputs, action: Callable[[DataFrame], Given]) -> Given:
        before = SparkSession.getActiveSession()
        try:
            with told(EngineError, "Spark could not run the fragment"):
                return self._run(inputs, action)
        finally:
            self._engine.leave(before)

    def _run(self, inputs: Inputs, action: Callable[[DataFrame], Given]) -> Given:
        """Without views it may run several times at once."""
        if self.passes is not None and isinstance(frame := inputs[next(iter(self._sources))], Frame):
            return action(frame.frame.where(self.passes).select(*self._mapped))
        with self._lock:
            return self._run_text(inputs, action)

    def _run_text(self, inputs: Inputs, action: Callable[[DataFrame], Given]) -> Given:
        session = self._session(inputs)
        text, read = self._text(inputs)
        try:
            alone = _is_for_one_task([inputs[key] for key in read])
            for key in read:
                frame = _divided(self._frame(session, key, inputs[key]), inputs[key], self._spread.get(key), alone)
                frame.createOrReplaceTempView(self._views[key])
            # Spark tells what it observed below a view only of frames that are made of frames, not of text alone.
            return action(session.sql(text).select("*"))
        finally:
            for key in read:
                session.catalog.dropTempView(self._views[key])

    def _text(self, inputs: Inputs) -> tuple[str, list[Key]]:
        """The text, and what it reads: of inputs without rows as little as can be, for Spark plans it every time."""
        tables = [(key, inputs[key]) for key in self._sources]
        none = frozenset(key for key, source in tables if isinstance(source, pa.Table) and not len(source))
        if none not in self._texts:
            plan = without(self._plan, none)
            self._texts[none] = sql.text(plan, sql.SPARK, self._views), [*sql.sources(plan)]
        return self._texts[none]

    def _session(self, inputs: Inputs) -> SparkSession:
        """That of a micro-batch, which is not ours, if there is one: views are only seen in their own session."""
        sources = [inputs[key] for key in self._sources]
        for source in sources:
            if isinstance(source, Frame):
                return self._engine.lent(cast("SparkSession", source.frame.sparkSession))
        rows = sum(one.count for one in sources if not isinstance(one, pa.Table))
        return self._engine.large if rows > _LARGE else self._engine.session

    def _frame(self, session: SparkSession, key: Key, source: Source) -> DataFrame:
        match source:
            case Frame(frame):
                return cast("DataFrame", frame)
            case Files(paths):
                return session.read.schema(self._schemas[key]).parquet(*paths)
            case Annotated():
                return self._annotated(session, key, source)
        if not len(source):
            return self._nothing(session, key)
        frame = to_cluster(session, selected(source, self._sources[key]), self._schemas[key], self.account)
        return broadcast(frame) if len(source) <= _FEW and key not in self._spread else frame

    def _nothing(self, session: SparkSession, key: Key) -> DataFrame:
        """No rows, in a way that Spark's optimizer sees: then it leaves out what would come of them."""
        if session is not self._engine.session:
            return session.sql(_no_rows(self._sources[key]))
        if key not in self._empty:
            self._empty[key] = session.sql(_no_rows(self._sources[key]))
        return self._empty[key]

    def _annotated(self, session: SparkSession, key: Key, source: Annotated) -> DataFrame:
        value, *beside = source.by.schema.names
        kinds = {f.name: f.type for f in self._sources[key]}
        read = Schema(
            (*(Field(old, kinds[new]) for old, new in source.columns if new in kinds), Field(source.on, BIGINT))
        )
        rows = read_files(session, source.files, read)
        by = broadcast(to_cluster(session, source.by, None, self.account))
        joined = rows.join(by, rows[in_backticks(source.on)] == by[in_backticks(value)])
        own = [rows[in_backticks(old)].alias(new) for old, new in source.columns if new in kinds]
        return joined.select(*own, *(by[in_backticks(name)] for name in beside))


def read_files(session: SparkSession, files: Files, columns: Schema) -> DataFrame:
    """The rows of files with these columns, which need not be looked for in them."""
    reader = session.read.schema(cast("StructType", StructType.fromDDL(_ddl(columns))))
    if files.csv is None:
        return reader.parquet(*files.paths)
    return reader.options(**spelling.csv_reading_options(files.csv)).csv([*files.paths])


def written(frame: DataFrame, directory: str, csv: tuple[Csv, Spelled] | None = None) -> Files:
    """The rows of a frame as files of a directory, which executors write; what was in it is gone.

    They are Parquet, or csv with columns that are spelled for it.
    """
    seen = Observation()
    write(frame.observe(seen, count_rows(lit(1)).alias("count")), directory, csv)
    return Files((directory,), int(seen.get["count"]), None if csv is None else csv[0])


def write(frame: DataFrame, directory: str, csv: tuple[Csv, Spelled] | None = None) -> None:
    """The same, of rows that somebody else counts."""
    if csv is None:
        frame.write.mode("overwrite").options(**_WRITING).parquet(directory)
    else:
        form, columns = csv
        spelling.write_csv(frame, columns, form, directory, _WRITING)


REMEMBERED = 1_000
"""Plans of which is known whether Spark accepts them."""


class SparkEngine:
    """Runs in a session of its own beside the given one; a session that it started itself ends with it."""

    name = "spark"

    def __init__(self, spark: SparkSession | None = None, master: str | None = None) -> None:
        owner = spark or session(master)
        self._owner, self._started = owner, owner if spark is None else None
        self.session = own_session(owner)
        """Ours: with UTC and ANSI mode off, whatever the owner's has."""
        self._users: set[str] = set()
        self._refusals: dict[Plan, str | None] = {}
        """The users' functions that queries call."""
        self._lent: WeakKeyDictionary[SparkSession, int] = WeakKeyDictionary()

    @cached_property
    def large(self) -> SparkSession:
        """For jobs over so many rows that their partitions might not fit into memory."""
        return session_for_large_jobs(self.session)

    def refusals(self, plan: Plan) -> tuple[str, ...]:  # noqa: ARG002 - Spark defines the answers, so it refuses nothing
        return ()

    def prepare(self, plan: Plan) -> PreparedText:
        return PreparedText(self, plan)

    def analyze(self, text: str) -> Analysis:
        """What Spark says of a text."""
        before = SparkSession.getActiveSession()
        try:
            return analysis(self.session, text)
        except AnalysisError as refused:
            cause = refused.__cause__
            if not isinstance(cause, PySparkException) or cause.getCondition() not in _NO_ROUTINE:
                raise
            self._hand_on()
            return analysis(self.session, text)
        finally:
            self.leave(before)

    def refusal(self, plan: Plan) -> str | None:
        """Why Spark does not accept a plan; None if it does. Of one that reads no table that is the same every time."""
        if not tree.table_names(plan) and not self.calls_users(plan):
            if plan not in self._refusals:
                if len(self._refusals) >= REMEMBERED:
                    self._refusals.clear()
                self._refusals[plan] = self._refusal(plan)
            return self._refusals[plan]
        return self._refusal(plan)

    def _refusal(self, plan: Plan) -> str | None:
        before = SparkSession.getActiveSession()
        try:
            return self.prepare(plan).refusal()
        finally:
            self.leave(before)

    def find_function(self, name: str, count: int) -> CalledFunction | None:
        """A function that the user has registered, or has made by a statement; as it is now."""
        self._hand_on()
        found = functions.called_function(self.analyze, name, count)
        if found is not None:
            self._users.add(name.lower())
        return found

    def calls_users(self, plan: Plan) -> bool:
        """Does a plan call a function that the user has made?"""
        calls = (c for node in descendants(plan) for e in node.expressions() for c in e.find_all(exp.Anonymous))
        return bool(self._users) and any(call.name.lower() in self._users for call in calls)

    def lent(self, session: SparkSession) -> SparkSession:
        """A session that was made when fewer functions were known than are called now, with all of them."""
        if self._users and self._lent.get(session) != len(self._users):
            functions.hand_on(self.session, session)
            self._lent[session] = len(self._users)
        return session

    def _hand_on(self) -> None:
        functions.hand_on(self._owner, self.session)
        functions.hand_on(self.session, self.large)

    def leave(self, before: SparkSession | None) -> None:
        """Make the session active again that was before a run."""
        if before is not None and self._started is None:
            _make_active(self._owner if before is self.session else before)

    def close(self) -> None:
        if self._started is not None:
            self._started.stop()


def _spread(plan: Plan) -> dict[Key, list[str]]:
    """The inputs that are to be divided among tasks, by which columns."""
    spread = (node for node in descendants(plan) if isinstance(node, Spread))
    return {tree.key(n.child): [in_backticks(c) for c in n.by] for n in spread if isinstance(n.child, Input)}


def _divided(frame: DataFrame, source: Source, by: Sequence[str] | None, alone: bool) -> DataFrame:
    """The rows of an input as tasks get them."""
    if by is not None and isinstance(source, pa.Table) and len(source) >= _MANY_TO_SPREAD:
        return frame.repartition(*by)
    return frame.coalesce(1) if alone else frame


def _is_for_one_task(sources: Sequence[Source]) -> bool:
    tables = [source for source in sources if isinstance(source, pa.Table)]
    return len(tables) == len(sources) and sum(map(len, tables)) <= _ONE_TASK


def _make_active(owner: SparkSession) -> None:
    """As PySpark does it itself whenever it creates a frame, which is its only public way and takes far longer."""
    SparkSession._activeSession = owner
    SparkSession._get_j_spark_session_class(owner._jvm).setActiveSession(owner._jsparkSession)


def _no_rows(columns: Schema) -> str:
    values = [f"CAST(NULL AS {types.spelled(f.type)}) AS {in_backticks(f.name)}" for f in columns]
    return f"SELECT {', '.join(values) or '1'} WHERE false"


def _ddl(columns: Schema) -> str:
    return ", ".join(f"{in_backticks(f.name)} {types.spelled(f.type)}" for f in columns)
