"""datacell bench"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from datacell.bench.benches import Name, measure
from datacell.bench.effort import SECONDS, Effort
from datacell.bench.progress import Progress


def bench(
    name: Annotated[Name, typer.Argument(help="What to measure.")],
    quick: Annotated[
        bool, typer.Option("--quick", help="A minute or two instead of up to eight; nothing is saved.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object on one line, and save nothing.")] = False,
    results: Annotated[Path, typer.Option(help="Where results are kept.", metavar="DIR")] = Path("benchmarks/results"),
) -> None:
    """Measure, side by side, and print a table. How it goes on is told on standard error."""
    effort = Effort.QUICK if quick else Effort.FULL
    progress = Progress(name.value, SECONDS[effort], sys.stderr)
    report = measure(name, effort, progress)
    print(report.json_line() if json else report.text())
    if effort is Effort.FULL and not json:
        progress.say(f"saved as {report.save(results)}")
    else:
        progress.say("done; nothing is saved")
