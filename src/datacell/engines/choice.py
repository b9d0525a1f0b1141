"""Which engine runs a fragment: the one that is asked for, if it may; Spark may always."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import pyarrow as pa

from datacell.algebra.plan import Plan
from datacell.engines.protocol import Engine, Inputs
from datacell.errors import EngineError


class Choice(Enum):
    AUTO = "auto"
    SPARK = "spark"
    DUCKDB = "duckdb"


@dataclass(frozen=True)
class Engines:
    """Both engines, and which one is wanted."""

    spark: Engine
    duckdb: Engine
    wanted: Choice = Choice.AUTO

    def choose(self, fragments: Sequence[Plan]) -> tuple[Engine, str]:
        """The engine for the fragments of a query, and why it is not the wanted one if so."""
        if self.wanted is Choice.SPARK:
            return self.spark, ""
        refusals = [refusal for fragment in fragments for refusal in self.duckdb.refusals(fragment)]
        return (self.spark, f"not on DuckDB: {refusals[0]}") if refusals else (self.duckdb, "")

    def main(self, fragments: Sequence[Plan]) -> Engine:
        """The engine that most of a query will run on where operators are placed one by one."""
        return self.spark if all(map(self.duckdb.refusals, fragments)) else self.duckdb

    def run(self, plan: Plan, inputs: Inputs) -> pa.Table:
        """Run a plan that stands alone: where it may run, and on Spark if that fails."""
        engine, _ = self.choose([plan])
        try:
            return engine.run(plan, inputs)
        except EngineError:
            if engine is self.spark:
                raise
            return self.spark.run(plan, inputs)

    def close(self) -> None:
        self.duckdb.close()
        self.spark.close()
