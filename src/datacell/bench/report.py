"""What a bench reports: named numbers, the table behind them, and the machine they were measured on."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import psutil
import pyspark

from datacell.bench.plot import Plot


@dataclass(frozen=True)
class Report:
    """The headline has the numbers that the bench is about."""

    name: str
    headline: Mapping[str, float]
    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    remark: str = ""
    plot: Plot | None = None

    def json_line(self) -> str:
        rows = [dict(zip(self.columns, map(_plain, row), strict=True)) for row in self.rows]
        headline = {name: round(value, 4) for name, value in self.headline.items()}
        return json.dumps(
            {"bench": self.name, "headline": headline, "rows": rows, "remark": self.remark, "machine": machine()}
        )

    def text(self) -> str:
        """A table, for a person and for `benchmarks/results`."""
        cells = [list(self.columns), *([_shown(v) for v in row] for row in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        lines = [
            "  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)).rstrip() for row in cells
        ]
        headline = [f"{name} = {_shown(value)}" for name, value in self.headline.items()]
        return "\n".join([*lines, "", *headline, *([self.remark] if self.remark else []), machine()])

    def save(self, directory: Path) -> Path:
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / f"{self.name}.txt"
        path.write_text(f"{self.name}, {datetime.now(UTC):%Y-%m-%d}\n\n{self.text()}\n", encoding="utf-8")
        if self.plot is not None:
            self.plot.save(path.with_suffix(".png"), f"{datetime.now(UTC):%Y-%m-%d}, {machine()}")
        return path


def machine() -> str:
    memory = psutil.virtual_memory().total / (1 << 30)
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GB, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, Spark {pyspark.__version__}, DuckDB {duckdb.__version__}"
    )


def _plain(value: object) -> object:
    return round(value, 4) if isinstance(value, float) else value


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value)
