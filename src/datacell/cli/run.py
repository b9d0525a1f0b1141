"""datacell run"""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from datacell.cli import INTERRUPTED, interrupts
from datacell.cli.explain import read_script
from datacell.cli.printing import show

if TYPE_CHECKING:
    from datacell.cell.cell import Cell


class Engine(Enum):
    AUTO = "auto"
    SPARK = "spark"
    DUCKDB = "duckdb"


class Strategy(Enum):
    AUTO = "auto"
    INCREMENTAL = "incremental"
    REEVALUATE = "reevaluate"


class Sharing(Enum):
    AUTO = "auto"
    SEPARATE = "separate"
    SHARED = "shared"
    CHAINED = "chained"


_Kept = Annotated[int, typer.Option(help="Firings that are kept of a query without an emitter.", metavar="N", min=1)]
_Undelivered = Annotated[
    int, typer.Option(help="Megabytes of a query's answers that may wait for its emitters.", metavar="MB", min=1)
]


def run(
    script: Annotated[Path, typer.Argument(help="A file of SQL statements.", metavar="SCRIPT.sql")],
    once: Annotated[bool, typer.Option("--once", help="Read all that is there, close every window, exit.")] = False,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep state here: a run can be resumed. All hosts must see it.", metavar="DIR")
    ] = None,
    engine: Annotated[Engine, typer.Option(help="Where queries run.")] = Engine.AUTO,
    strategy: Annotated[Strategy, typer.Option(help="How windows are evaluated.")] = Strategy.AUTO,
    master: Annotated[
        str | None, typer.Option(help="The Spark master, such as spark://HOST:7077, if not a local one.", metavar="URL")
    ] = None,
    sharing: Annotated[Sharing, typer.Option(help="What queries over the same streams share.")] = Sharing.AUTO,
    driver_memory: Annotated[
        int, typer.Option(help="Megabytes of what queries keep that may be in the driver.", metavar="MB")
    ] = 256,
    kept_firings: _Kept = 1_000,
    undelivered: _Undelivered = 1_024,
    refuse_infeasible: Annotated[
        bool, typer.Option("--refuse-infeasible", help="Do not start queries that cannot keep up with declared rates.")
    ] = False,
    safe: Annotated[
        bool, typer.Option("--safe", help="For a script from somebody else: it reaches no code, hosts or files.")
    ] = False,
    root: Annotated[
        list[Path] | None, typer.Option(help="With --safe: files in it may be reached. Repeatable.", metavar="DIR")
    ] = None,
) -> None:
    """Run a script: its streams, continuous queries and emitters.

    Ctrl-C stops it, with exit code 0; with 130 if --once has not done its work.
    """
    text = read_script(script)
    interrupts.leave_on_signals()
    from datacell.cell.cell import connect

    cell = connect(
        checkpoint,
        engine=engine.value,
        strategy=strategy.value,
        master=master,
        refuse_infeasible=refuse_infeasible,
        driver_memory=driver_memory << 20,
        kept_firings=kept_firings,
        undelivered=undelivered << 20,
        safe=safe,
        roots=root or (),
        sharing=sharing.value,
    )
    if _interrupted(cell, text, str(script), once) and once:
        raise typer.Exit(INTERRUPTED)


def _interrupted(cell: Cell, text: str, script: str, once: bool) -> bool:
    """Run until the end, or until somebody asks to stop: then it says so, in one line."""
    from datacell.cli.status import StatusLine

    interrupts.stop_on_signals()
    interrupted = False
    try:
        with StatusLine(cell, sys.stderr):
            cell.run_script(text, script, once, show)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        interrupts.leave_on_signals()
        cell.stop()
        interrupts.ignore_signals()
    if interrupted:
        print("stopped", file=sys.stderr)
    return interrupted
