"""Spark's own sinks: any batch format, and tables. At least once: a sink cannot be asked what it has already."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from datacell.errors import EmitterError
from datacell.runtime.storage.output import Firing


class SparkSinkEmitter:
    guarantee = "at least once"

    def __init__(self, spark: SparkSession, form: str, options: dict[str, str]) -> None:
        self.spark, self.form, self.options = spark, form, options

    def deliver(self, firing: Firing) -> None:
        _write(self.spark, firing.rows, self._save, f"write {self.form}")

    def close(self) -> None:
        pass

    def _save(self, frame: DataFrame) -> None:
        frame.write.format(self.form).options(**self.options).mode("append").save()


class SavedTableEmitter:
    """A table of Spark's that has the answer's columns by name; it is made if there is none."""

    guarantee = "at least once"

    def __init__(self, spark: SparkSession, table: str) -> None:
        self.spark, self.table = spark, table

    def deliver(self, firing: Firing) -> None:
        _write(self.spark, firing.rows, self._save, f"write table {self.table}")

    def close(self) -> None:
        pass

    def _save(self, frame: DataFrame) -> None:
        frame.write.mode("append").saveAsTable(self.table)


class TableEmitter:
    """INSERT INTO a table: the query's own columns, by position."""

    guarantee = "at least once"

    def __init__(self, spark: SparkSession, table: str, columns: Sequence[str]) -> None:
        self.spark, self.table, self.columns = spark, table, list(columns)

    def deliver(self, firing: Firing) -> None:
        _write(self.spark, firing.rows.select(self.columns), self._insert, f"insert into {self.table}")

    def close(self) -> None:
        pass

    def _insert(self, frame: DataFrame) -> None:
        frame.write.insertInto(self.table)


def _write(spark: SparkSession, rows: pa.Table, action: Callable[[DataFrame], None], what: str) -> None:
    if not len(rows):
        return
    try:
        action(spark.createDataFrame(rows))
    except (PySparkException, Py4JError) as error:
        raise EmitterError(f"Spark cannot {what}: {str(error).strip().splitlines()[0]}") from error
