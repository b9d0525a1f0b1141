"""Spark's own sinks: any batch format, and tables. At least once: a sink cannot be asked what it has already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from datacell.algebra.schema import Schema
from datacell.engines.arrow import fields_of
from datacell.engines.protocol import Files
from datacell.engines.reasons import told
from datacell.engines.spark import read_files
from datacell.engines.transfers import to_cluster
from datacell.errors import EmitterError, did_you_mean, in_backticks
from datacell.runtime.storage.output import Firing

_SPARKS_OWN = ("orc", "text", "xml", "jdbc", "noop")
_ONLY_READ = ("rate", "rate-micro-batch", "socket", "binaryfile", "memory")


def check_format(spark: SparkSession, emitter: str, form: str, ours: Iterable[str]) -> None:
    """Refuse a format that Spark does not know, or only reads."""
    if form in _ONLY_READ:
        raise EmitterError(f"emitter {emitter}: Spark does not write {form}", hint=did_you_mean(form, ours))
    state = spark._jsparkSession.sessionState()
    if state.dataSourceManager().dataSourceExists(form):
        return
    try:
        assert spark._jvm is not None
        spark._jvm.org.apache.spark.sql.execution.datasources.DataSource.lookupDataSource(form, state.conf())
    except (PySparkException, Py4JError) as error:
        hint = did_you_mean(form, [*ours, *_SPARKS_OWN])
        raise EmitterError(f"emitter {emitter}: Spark knows no format {form}", hint=hint) from error


class SparkSinkEmitter:
    guarantee = "at least once"
    takes_files = True

    def __init__(self, spark: SparkSession, form: str, options: dict[str, str]) -> None:
        self.spark, self.form, self.options = spark, form, options

    def deliver(self, firing: Firing) -> None:
        _write(self.spark, firing, self._save, f"write {self.form}")

    def close(self) -> None:
        pass

    def _save(self, frame: DataFrame) -> None:
        frame.write.format(self.form).options(**self.options).mode("append").save()


class SavedTableEmitter:
    """A table of Spark's that has the answer's columns by name; it is made if there is none."""

    guarantee = "at least once"
    takes_files = True

    def __init__(self, spark: SparkSession, table: str) -> None:
        self.spark, self.table = spark, table

    def deliver(self, firing: Firing) -> None:
        _write(self.spark, firing, self._save, f"write table {self.table}")

    def close(self) -> None:
        pass

    def _save(self, frame: DataFrame) -> None:
        frame.write.mode("append").saveAsTable(self.table)


class TableEmitter:
    """INSERT INTO a table: the query's own columns, by position."""

    guarantee = "at least once"
    takes_files = True

    def __init__(self, spark: SparkSession, table: str, columns: Sequence[str]) -> None:
        self.spark, self.table, self.columns = spark, table, list(columns)

    def deliver(self, firing: Firing) -> None:
        _write(self.spark, firing, self._insert, f"insert into {self.table}")

    def close(self) -> None:
        pass

    def _insert(self, frame: DataFrame) -> None:
        frame.select(*map(in_backticks, self.columns)).write.insertInto(self.table)


def _write(spark: SparkSession, firing: Firing, action: Callable[[DataFrame], None], what: str) -> None:
    if not firing.count:
        return
    with told(EmitterError, f"Spark cannot {what}"):
        action(_frame(spark, firing))


def _frame(spark: SparkSession, firing: Firing) -> DataFrame:
    """What is on the cluster is read there."""
    if isinstance(firing.content, Files):
        assert firing.schema is not None
        return read_files(spark, firing.content, Schema(fields_of(firing.schema)))
    return to_cluster(spark, firing.rows, None, firing.account)
