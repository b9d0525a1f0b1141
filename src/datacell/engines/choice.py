"""Both engines, and which one the user asked for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import pyarrow as pa

from datacell.algebra.plan import Plan
from datacell.engines.protocol import Engine, Inputs, run_once
from datacell.errors import EngineError


class Choice(Enum):
    AUTO = "auto"
    SPARK = "spark"
    DUCKDB = "duckdb"


@dataclass(frozen=True)
class Engines:
    """Spark may run everything, DuckDB what both agree on."""

    spark: Engine
    duckdb: Engine
    wanted: Choice = Choice.AUTO

    def run(self, plan: Plan, inputs: Inputs) -> pa.Table:
        """Run a plan that stands alone: where it may run, and on Spark if that fails."""
        if self.wanted is Choice.SPARK or self.duckdb.refusals(plan):
            return run_once(self.spark, plan, inputs)
        try:
            return run_once(self.duckdb, plan, inputs)
        except EngineError:
            return run_once(self.spark, plan, inputs)

    def close(self) -> None:
        self.duckdb.close()
        self.spark.close()
