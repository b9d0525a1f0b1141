"""datacell actuator"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from datacell.errors import SqlError

if TYPE_CHECKING:
    from datacell.tools.actuator import Summary


def actuator(
    port: Annotated[int, typer.Option(help="The port of the TCP emitter.")],
    host: Annotated[str, typer.Option(help="Where the emitter listens.", metavar="HOST")] = "127.0.0.1",
    rows: Annotated[int | None, typer.Option(help="End after so many rows.", min=1)] = None,
    created: Annotated[str | None, typer.Option(help="The column with a row's creation time.")] = None,
    batch: Annotated[int | None, typer.Option(help="Rows per batch, for the elapsed time E(b).", min=1)] = None,
    count: Annotated[bool, typer.Option("--count", help="Count the rows, do not print them.")] = False,
    wait: Annotated[float, typer.Option(help="Seconds to wait for the emitter.")] = 30.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, not the rows.")] = False,
) -> None:
    """Take answers from a TCP emitter and measure latency L(t) and elapsed time E(b)."""
    from datacell.tools import actuator as tool

    if batch is not None and created is None:
        raise SqlError("--batch measures from a row's creation", hint="add --created COLUMN")
    connection = tool.subscribe(host, port, wait)
    acknowledge, show = tool.acknowledging(connection), None if count or as_json else _show
    try:
        seen = tool.measure(tool.received(connection), created, batch, rows, show, acknowledge)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    finally:
        tool.leave(connection)
    times = {"latency": tool.summary(seen.latencies), "elapsed": tool.summary(seen.elapsed)}
    if as_json:
        shown = {name: None if found is None else asdict(found) for name, found in times.items()}
        counts = {"rows": seen.rows, "firings": seen.firings, "seconds": seen.seconds}
        print(json.dumps({**counts, "since creation": seen.since_creation, **shown}))
        return
    print(f"{seen.rows} rows of {seen.firings} firings in {seen.seconds:.2f} s")
    for name, found in times.items():
        if found is not None:
            print(f"{name:<8} {_spelled(found)}")


def _show(row: dict[str, Any]) -> None:
    print(json.dumps(row, ensure_ascii=False))


def _spelled(found: Summary) -> str:
    parts = [f"{name} {1000 * value:.1f} ms" for name, value in asdict(found).items() if name != "count"]
    return ", ".join(parts) + f" ({found.count})"
