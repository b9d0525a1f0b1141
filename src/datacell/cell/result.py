"""Results: Arrow inside, whatever the user likes outside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from datacell.emitters import text
from datacell.engines.transfers import Account, to_cluster

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Result:
    """An answer: of a one-time query, or what one firing of a continuous query wrote."""

    table: pa.Table
    spark: SparkSession
    number: int = 0

    def to_arrow(self) -> pa.Table:
        return self.table

    def to_pandas(self) -> pd.DataFrame:
        return self.table.to_pandas()

    def to_spark(self) -> DataFrame:
        return to_cluster(self.spark, self.table, None, Account())

    def to_pylist(self) -> list[dict[str, Any]]:
        return list(self.table.to_pylist())

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_pylist())

    def __str__(self) -> str:
        columns = map(text.plain_column, self.table.columns)
        lines = [text.csv_line(list(self.table.schema.names))]
        lines += [text.csv_line(list(row)) for row in zip(*columns, strict=True)]
        return "\n".join(lines)


@dataclass(frozen=True)
class Lines(Result):
    """An answer that is text, such as a plan: it is shown as it is."""

    def __str__(self) -> str:
        return "\n".join(self.table.column(0).to_pylist())
