"""Spark's own sinks: any batch format, and tables. At least once: a sink cannot be asked what it has already."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from datacell.errors import EmitterError
from datacell.runtime.output import Firing


class SparkSinkEmitter:
    guarantee = "at least once"

    def __init__(self, spark: SparkSession, form: str, options: dict[str, str]) -> None:
        self.spark, self.form, self.options = spark, form, options

    def deliver(self, firing: Firing) -> None:
        if not len(firing.rows):
            return
        frame = self.spark.createDataFrame(firing.rows)
        try:
            frame.write.format(self.form).options(**self.options).mode("append").save()
        except PySparkException as error:
            raise EmitterError(f"Spark cannot write {self.form}: {str(error).splitlines()[0]}") from error

    def close(self) -> None:
        pass


class TableEmitter:
    """INSERT INTO a table."""

    guarantee = "at least once"

    def __init__(self, spark: SparkSession, table: str, columns: Sequence[str]) -> None:
        self.spark, self.table, self.columns = spark, table, list(columns)

    def deliver(self, firing: Firing) -> None:
        if not len(firing.rows):
            return
        try:
            self.spark.createDataFrame(firing.rows.select(self.columns)).write.insertInto(self.table)
        except PySparkException as error:
            raise EmitterError(f"Spark cannot insert into {self.table}: {str(error).splitlines()[0]}") from error

    def close(self) -> None:
        pass
