"""A Python function that is called with each answer. At least once: if it raises, it is called again."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession

from datacell.result import Result
from datacell.runtime.output import Firing


class CallbackEmitter:
    guarantee = "at least once"

    def __init__(self, callback: Callable[[Result], object], spark: SparkSession) -> None:
        self.callback, self.spark = callback, spark

    def deliver(self, firing: Firing) -> None:
        if len(firing.rows):
            self.callback(Result(firing.rows, self.spark, firing.number))

    def close(self) -> None:
        pass
