"""What a table's name stands for now: a basket, a side output, a query's latest answer, or a table of Spark."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from datacell.algebra.definitions import TableDefinition
from datacell.algebra.plan import Plan
from datacell.algebra.schema import Field
from datacell.algebra.tree import Key, table_names
from datacell.cell.kept_rows import all_rows
from datacell.engines.arrow import shaped
from datacell.engines.protocol import Files
from datacell.engines.reasons import SPARK_ERRORS, explained, is_gone, lost, place_of
from datacell.engines.spark import written
from datacell.engines.transfers import Account, read_in_driver, to_driver
from datacell.engines.types import type_of
from datacell.errors import Place, SqlError, in_backticks
from datacell.runtime.net.scheduler import Scheduler
from datacell.runtime.plans.memory import DriverMemory
from datacell.runtime.plans.table_versions import Rows
from datacell.sql.statements.settings import may_be_set
from datacell.sql.statements.statement import SparkStatement
from datacell.sql.statements.table_options import REFRESH, refreshed

LITTLE = 100_000
"""Rows that are asked for first: of most tables these are all."""

_LOG = logging.getLogger("datacell")


class Tables:
    """Reads tables as they are now; executors use the directory `scratch` for what is read once and may be too much."""

    def __init__(
        self, spark: SparkSession, owner: SparkSession, scheduler: Scheduler, memory: DriverMemory, scratch: Path
    ) -> None:
        self.spark, self.owner, self.scheduler = spark, owner, scheduler
        self._memory, self._scratch = memory, scratch
        self.account = Account()

    def find(self, name: str) -> tuple[Field, ...] | None:
        """The columns of a table of Spark, if there is one."""
        try:
            if "." not in name and not self._exists(name):
                return None
            fields = self._frame(name).schema.fields
            return tuple(Field(f.name, type_of(f.dataType)) for f in fields)
        except (PySparkException, Py4JJavaError, ValueError):
            return None

    def definition(self, name: str) -> TableDefinition:
        """What is said of a table that no statement here has made, in its TBLPROPERTIES."""
        try:
            found = to_driver(self.spark.sql(f"SHOW TBLPROPERTIES {_quoted(name)}"), self.account).to_pylist()
        except PySparkException:
            return TableDefinition()
        value = next((row["value"] for row in found if row["key"] == REFRESH), None)
        return TableDefinition() if value is None else refreshed("", value)

    def fetch(self, name: str, directory: str) -> Rows:
        """The rows of a table of Spark; those that do not fit into the driver executors put into the directory."""
        try:
            frame = self._frame(name)
            few = to_driver(frame.limit(LITTLE + 1), self.account)
            if not len(few):
                self._look_at_files(name)
            if len(few) <= LITTLE and self._memory.has_room_for(self, few.nbytes):
                return few
            files = written(frame, directory)
        except SPARK_ERRORS as error:
            if is_gone(error):
                raise lost() from error
            raise SqlError(f"the table {name} cannot be read: {explained(error)}") from error
        if not self._memory.has_room_for(self, files.count * few.nbytes / max(1, len(few))):
            return files
        found = shaped(read_in_driver(files, few.schema.names, self.account), few.schema)
        shutil.rmtree(directory, ignore_errors=True)
        return found

    @contextmanager
    def inputs(self, plan: Plan) -> Iterator[Mapping[Key, Rows]]:
        """All tables that a plan reads, as they are at one moment."""
        try:
            with self.scheduler.exclusively():
                yield {name: self._read(name) for name in table_names(plan)}
        finally:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def execute(self, statement: SparkStatement) -> pa.Table | None:
        """Let Spark carry out a statement of its own; what it shows, if anything.

        Relative paths in it start at the working directory.
        """
        text = statement.text
        if statement.path is not None:
            start, end, path = statement.path
            absolute = str(Path(path).absolute()).replace("\\", "\\\\").replace("'", "\\'")
            text = f"{text[:start]}'{absolute}'{text[end:]}"
        before = self.spark.conf.getAll
        try:
            frame = self.spark.sql(text)
            shown = to_driver(frame, self.account) if frame.columns else None
        except SPARK_ERRORS as error:
            if is_gone(error):
                raise lost() from error
            reason = f"Spark refuses this statement: {explained(error)}"
            raise SqlError(reason, place=place_of(error, text, statement.place)) from error
        finally:
            self._require_meaning(before, statement.place)
        return shown

    def _require_meaning(self, before: dict[str, str], place: Place | None) -> None:
        """A statement that runs others, as EXECUTE IMMEDIATE does, does not change what queries mean either."""
        now = self.spark.conf.getAll
        if now == before:
            return
        changed = [key for key in {*now, *before} if now.get(key) != before.get(key) and not may_be_set(key)]
        for key in changed:
            self.spark.conf.set(key, before[key]) if key in before else self.spark.conf.unset(key)
        if changed:
            raise SqlError(f"this statement changed {changed[0]}, and with it what queries mean", place=place)

    def refresh(self, name: str) -> None:
        """Let Spark look at the files of a table again."""
        try:
            self.spark.sql(f"REFRESH TABLE {_quoted(name)}")
        except PySparkException as error:
            try:
                self.owner.sql(f"REFRESH TABLE {_quoted(name)}")
            except PySparkException:
                raise _refused(error) from error

    def _read(self, name: str) -> Rows:
        own = self._own(name.lower())
        return self.fetch(name, str(self._scratch / str(len(name)) / name.lower())) if own is None else own

    def _own(self, name: str) -> pa.Table | None:
        for stream in self.scheduler.members.streams.values():
            base = stream.definition.name.lower()
            if name == base:
                return all_rows(stream)
            if name == f"{base}__late":
                return stream.late.rows()
            if name == f"{base}__rejected":
                return stream.rejected.rows()
        queries = self.scheduler.members.queries.items()
        return next((query.latest() for n, query in queries if n.lower() == name), None)

    def _look_at_files(self, name: str) -> None:
        """A table without rows may be one that looks for its files in the wrong place."""
        try:
            rows = to_driver(self.spark.sql(f"DESCRIBE TABLE EXTENDED {_quoted(name)}"), self.account).to_pylist()
        except PySparkException:
            return
        found = {row["col_name"]: row["data_type"] for row in rows}
        location = Path(found.get("Location", "").removeprefix("file:"))
        if found.get("Type") != "EXTERNAL" or not location.is_absolute():
            return
        if not location.exists():
            hint = f"relative paths start at the working directory, which is {Path.cwd()}; or make the directory first"
            raise SqlError(f"the directory {location} of the table {name} does not exist", hint=hint)
        if not any(p.is_file() and not p.name.startswith((".", "_")) for p in location.rglob("*")):
            _LOG.warning("the table %s has no rows: there are no files in %s", name, location)

    def _exists(self, name: str) -> bool:
        """That is answered sooner than it is found out by reading."""
        sessions = (self.spark,) if self.owner is self.spark else (self.spark, self.owner)
        return any(session.catalog.tableExists(_quoted(name)) for session in sessions)

    def _frame(self, name: str) -> DataFrame:
        """Our own session first; the owner's has temporary views that ours does not see."""
        try:
            return self.spark.table(_quoted(name))
        except (PySparkException, Py4JJavaError):
            if "." in name:
                raise
            return self.owner.table(_quoted(name))


def is_in_driver(inputs: Mapping[Key, Rows]) -> bool:
    return not any(isinstance(rows, Files) for rows in inputs.values())


def _quoted(name: str) -> str:
    return ".".join(map(in_backticks, name.split(".")))


def _refused(error: PySparkException) -> SqlError:
    return SqlError(f"Spark refuses this statement: {explained(error)}")
