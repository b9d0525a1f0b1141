"""datacell sensor"""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from datacell.errors import SqlError


class Kind(Enum):
    PLUGS = "plugs"


class Lines(Enum):
    CSV = "csv"
    JSON = "json"


def sensor(
    port: Annotated[int, typer.Option(help="The port of the TCP receptor.")],
    host: Annotated[str, typer.Option(help="Where the receptor listens.", metavar="HOST")] = "127.0.0.1",
    rate: Annotated[
        float | None, typer.Option(help="Rows per second; as fast as it goes if not said.", min=0.001)
    ] = None,
    rows: Annotated[int | None, typer.Option(help="How many rows; all of the file, or no end.", min=0)] = None,
    file: Annotated[Path | None, typer.Option(help="Replay the lines of this file.", metavar="FILE")] = None,
    kind: Annotated[Kind | None, typer.Option(help="Generate rows of this kind.")] = None,
    lines: Annotated[Lines, typer.Option(help="How generated rows are written.")] = Lines.CSV,
    skip: Annotated[int, typer.Option(help="Lines of the file to leave out at its start, such as a header.")] = 0,
    seed: Annotated[int, typer.Option(help="Other rows for another seed.")] = 1,
    houses: Annotated[int, typer.Option(help="Houses of generated plugs: some 40 rows per second each.", min=1)] = 10,
    created: Annotated[str | None, typer.Option(help="Add a last column of this name: when the row was sent.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Send generated or replayed rows to a TCP receptor, at a given rate."""
    from datacell.tools import sensor as tool

    if (file is None) == (kind is None):
        raise SqlError("a sensor sends either --file FILE or --kind plugs", hint="give one of the two")
    if file is not None:
        source = tool.replayed(file, rows, skip)
        form = Lines.JSON if file.suffix in (".json", ".jsonl") else Lines.CSV
    else:
        source, form = tool.generated(rows, seed, houses, lines.value), lines
    stamp = None if created is None else tool.stamped_csv if form is Lines.CSV else tool.stamped_json(created)
    sent = tool.send(host, port, source, rate, stamp)
    if as_json:
        print(json.dumps({**asdict(sent), "rate": sent.rate}))
    else:
        print(f"{sent.rows} rows in {sent.seconds:.2f} s, {sent.rate:.0f} rows/s, {sent.acknowledged} acknowledged")
    if sent.acknowledged < sent.rows:
        raise typer.Exit(1)
