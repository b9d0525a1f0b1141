"""datacell demo"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated

import typer

from datacell.cli.explain import read_script

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console
    from rich.table import Table

    from datacell.cell.cell import Cell

_SCRIPT = Path("examples/smart_plugs.sql")
_HOUSES = 4


def demo(
    seconds: Annotated[int, typer.Option(help="How long to run.")] = 60,
    script: Annotated[Path, typer.Option(help="The queries.", metavar="SCRIPT.sql")] = _SCRIPT,
) -> None:
    """Run six queries over generated smart-plug data for about a minute: plans, live answers, rates."""
    from rich.console import Console

    from datacell.cell.cell import connect
    from datacell.compile.explain import Format, explain_script

    console = Console()
    text = read_script(script)
    console.print("[bold]The plans[/] (what stands below a window runs on each row as it comes)\n")
    console.print(explain_script(text, str(script), None, Format.TEXT), markup=False, highlight=False)
    console.print("\n[bold]Starting Spark[/] …")
    with tempfile.TemporaryDirectory(prefix="datacell-demo-") as directory, contextlib.chdir(directory):
        Path("data/plugs").mkdir(parents=True)
        cell = connect()
        try:
            cell.sql(text)
            _show(cell, console, seconds)
        finally:
            cell.stop()


def _show(cell: Cell, console: Console, seconds: int) -> None:
    from rich.live import Live

    stopped = Event()
    Thread(target=_generate, args=(Path("data/plugs"), stopped), name="generator", daemon=True).start()
    cell.start()
    began, rows, then = time.monotonic(), 0, time.monotonic()
    with Live(console=console, refresh_per_second=2) as live:
        while time.monotonic() - began < seconds:
            time.sleep(1)
            cell.check()
            taken, now = cell.progress().rows, time.monotonic()
            live.update(_picture(cell, (taken - rows) / (now - then)))
            rows, then = taken, now
    stopped.set()
    progress = cell.progress()
    console.print(f"\n{progress.rows:,} rows in, {progress.boundaries:,} boundaries answered, each exactly.")
    console.print("Next: README.md, and your own script with `datacell run`.")


def _generate(directory: Path, stopped: Event) -> None:
    """A file for every second, as it passes."""
    for number, part in enumerate(_by_second()):
        due = part["ts"][0].as_py().timestamp()
        if stopped.wait(max(0.0, due + 1 - time.time())):
            return
        _write(directory / f"{number:06d}.csv", part)


def _by_second() -> Iterator[pa.Table]:
    import numpy as np

    from datacell.tools import plugs

    for table in plugs.tables(houses=_HOUSES, start=int(time.time())):
        seconds = table["ts"].cast("int64").to_numpy() // 1_000_000
        starts = [0, *(np.flatnonzero(np.diff(seconds)) + 1).tolist(), len(table)]
        yield from (table.slice(a, b - a) for a, b in pairwise(starts) if b > a)


def _write(path: Path, rows: pa.Table) -> None:
    from pyarrow import csv

    hidden = path.with_name(f".{path.name}")
    csv.write_csv(rows, hidden)
    hidden.replace(path)


def _picture(cell: Cell, rate: float) -> Table:
    from rich.table import Table

    title = f"{rate:,.0f} rows/s in · {cell.progress().boundaries:,} boundaries answered"
    table = Table(title=title, title_justify="left")
    for column in ("query", "engine", "boundaries", "latest answer at", "rows", "first row"):
        table.add_column(column)
    for name, query in sorted(cell.works.scheduler.members.queries.items()):
        factory, latest = query.factory, query.factory.latest()
        row = latest.slice(0, 1).to_pylist()[0] if len(latest) else {}
        end = row.pop("window_end", None)
        table.add_row(
            name,
            factory.plans.engine_names(),
            str(factory.answered),
            f"{end:%H:%M:%S}" if end else "",
            str(len(latest)),
            ", ".join(f"{k} {v:.1f}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()),
        )
    return table
