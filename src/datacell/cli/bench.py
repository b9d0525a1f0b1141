"""datacell bench"""

from __future__ import annotations

from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer


class Bench(Enum):
    NET = "net"
    LIFTING = "lifting"
    HOP = "hop"
    BASIC = "basic"
    STEPS = "steps"
    SELECTIVITY = "selectivity"
    WINDOW_SIZE = "window-size"
    LANDMARK = "landmark"
    ADAPTIVE = "adaptive"
    AGAINST_ENGINE = "against-engine"
    GROWTH = "growth"
    OPTIMIZER_TIME = "optimizer-time"
    PLACEMENT = "placement"
    FEASIBILITY = "feasibility"
    INTERVALS = "intervals"


def bench(
    name: Annotated[Bench, typer.Argument(help="What to measure.")],
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on one line, and save nothing.")] = False,
    results: Annotated[Path, typer.Option(help="Where results are kept.")] = Path("benchmarks/results"),
) -> None:
    """Measure, side by side, and print a table."""
    report = import_module(f"datacell.bench.{name.value.replace('-', '_')}").run()
    if json:
        print(report.json_line())
    else:
        print(report.text())
        print(f"saved as {report.save(results)}")
