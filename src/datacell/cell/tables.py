"""What a table's name stands for now: a basket, a side output, a query's latest answer, or a table of Spark."""

from __future__ import annotations

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from datacell.algebra import types
from datacell.algebra.plan import Plan
from datacell.algebra.schema import Field
from datacell.algebra.tree import Key, table_names
from datacell.engines.reasons import SPARK_ERRORS, explained, is_gone, lost, place_of, told
from datacell.engines.transfers import Account, to_driver
from datacell.errors import EngineError, Place, SqlError
from datacell.runtime.net.scheduler import Scheduler
from datacell.sql.statements.settings import may_be_set


class Tables:
    """Tables of Spark are read once and kept, until a statement may have changed them."""

    def __init__(self, spark: SparkSession, owner: SparkSession, scheduler: Scheduler) -> None:
        self.spark, self.owner, self.scheduler = spark, owner, scheduler
        self._kept: dict[str, pa.Table] = {}
        self.account = Account()

    def read(self, name: str) -> pa.Table:
        own = self._own(name.lower())
        if own is not None:
            return own
        if name.lower() not in self._kept:
            with told(EngineError, f"table {name} cannot be read"):
                self._kept[name.lower()] = to_driver(self._frame(name), self.account)
        return self._kept[name.lower()]

    def find(self, name: str) -> tuple[Field, ...] | None:
        """The columns of a table of Spark, if there is one."""
        try:
            fields = self._frame(name).schema.fields
            return tuple(Field(f.name, types.of(f.dataType.simpleString())) for f in fields)
        except (PySparkException, Py4JJavaError, ValueError):
            return None

    def inputs(self, plan: Plan) -> dict[Key, pa.Table]:
        """All tables that a plan reads, as they are at one moment."""
        with self.scheduler.exclusively():
            return {name: self.read(name) for name in table_names(plan)}

    def execute(self, text: str, place: Place | None = None) -> pa.Table | None:
        """Let Spark carry out a statement of its own, which may change its tables; what it shows, if anything."""
        before = self.spark.conf.getAll
        try:
            frame = self.spark.sql(text)
            shown = to_driver(frame, self.account) if frame.columns else None
        except SPARK_ERRORS as error:
            if is_gone(error):
                raise lost() from error
            reason = f"Spark refuses this statement: {explained(error)}"
            raise SqlError(reason, place=place_of(error, text, place)) from error
        finally:
            self._kept.clear()
            self._require_meaning(before, place)
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

    def _own(self, name: str) -> pa.Table | None:
        for stream in self.scheduler.members.streams.values():
            base = stream.definition.name.lower()
            if name == base:
                return stream.basket.rows()
            if name == f"{base}__late":
                return stream.late.rows()
            if name == f"{base}__rejected":
                return stream.rejected.rows()
        factories = self.scheduler.members.factories.items()
        return next((factory.latest() for n, factory in factories if n.lower() == name), None)

    def _frame(self, name: str) -> DataFrame:
        """Our own session first; the owner's has temporary views that ours does not see."""
        try:
            return self.spark.table(name)
        except (PySparkException, Py4JJavaError):
            if "." in name:
                raise
            return self.owner.table(name)
