"""The commands: one file for each."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from datacell.cli.actuator import actuator
from datacell.cli.bench import bench
from datacell.cli.calibrate import calibrate
from datacell.cli.demo import demo
from datacell.cli.doctor import doctor
from datacell.cli.explain import explain
from datacell.cli.run import run
from datacell.cli.sensor import sensor

app = typer.Typer(
    help="Continuous SQL over windows of streams, on Spark.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(run)
app.command()(explain)
app.command(short_help="Run six queries over generated data, to see it work.")(demo)
app.command()(bench)
app.command(short_help="Measure what operators cost on this machine.")(calibrate)
app.command(short_help="Send generated or replayed rows over TCP.")(sensor)
app.command(short_help="Take answers over TCP and measure how long they took.")(actuator)
app.command(short_help="Check what DataCell needs to run.")(doctor)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"datacell {_version()}")
        raise typer.Exit


def _version() -> str:
    try:
        return version("datacell")
    except PackageNotFoundError:
        return "from source, not installed"


@app.callback()
def options(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
