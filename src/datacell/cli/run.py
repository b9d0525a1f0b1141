"""datacell run"""

from __future__ import annotations

import signal
import sys
from enum import Enum
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from datacell.cli.explain import read_script

if TYPE_CHECKING:
    from datacell.cell.result import Result


class Engine(Enum):
    AUTO = "auto"
    SPARK = "spark"
    DUCKDB = "duckdb"


class Strategy(Enum):
    AUTO = "auto"
    INCREMENTAL = "incremental"
    REEVALUATE = "reevaluate"


def run(
    script: Annotated[Path, typer.Argument(help="A file of SQL statements.", metavar="SCRIPT.sql")],
    once: Annotated[bool, typer.Option("--once", help="Read all that is there, close every window, exit.")] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Keep state here: the run can be resumed. On a cluster, all hosts must share it."),
    ] = None,
    engine: Annotated[Engine, typer.Option(help="Where queries run.")] = Engine.AUTO,
    strategy: Annotated[Strategy, typer.Option(help="How windows are evaluated.")] = Strategy.AUTO,
    master: Annotated[
        str | None, typer.Option(help="The Spark master, such as spark://HOST:7077; a local one if not said.")
    ] = None,
    driver_memory: Annotated[
        int, typer.Option(help="Megabytes of what queries keep that may be in the driver.", metavar="MB")
    ] = 256,
    kept_firings: Annotated[
        int, typer.Option(help="Firings that are kept of a query without an emitter.", metavar="N", min=1)
    ] = 1_000,
    refuse_infeasible: Annotated[
        bool, typer.Option("--refuse-infeasible", help="Do not start queries that cannot keep up with declared rates.")
    ] = False,
) -> None:
    """Run a script: its streams, continuous queries and emitters."""
    text = read_script(script)

    from datacell.cell.cell import connect
    from datacell.cli.status import StatusLine

    cell = connect(
        checkpoint,
        engine=engine.value,
        strategy=strategy.value,
        master=master,
        refuse_infeasible=refuse_infeasible,
        driver_memory=driver_memory << 20,
        kept_firings=kept_firings,
    )
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with StatusLine(cell, sys.stderr):
            cell.run_script(text, str(script), once, _show)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    finally:
        cell.stop()


def _show(answer: Result) -> None:
    print(answer, flush=True)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
