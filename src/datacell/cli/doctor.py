"""datacell doctor"""

from __future__ import annotations

import typer

from datacell.tools.doctor import findings


def doctor() -> None:
    """Check Python, Java, Spark, DuckDB, disk and memory: what is wrong and how to fix it."""
    sick = False
    for finding in findings():
        sick = sick or finding.fix is not None
        mark = typer.style("ok ", fg="green") if finding.fix is None else typer.style("bad", fg="red")
        typer.echo(f"{mark} {finding.what:<8} {finding.found}")
        if finding.fix is not None:
            typer.echo(f"             to fix: {finding.fix}")
    if sick:
        raise typer.Exit(1)
