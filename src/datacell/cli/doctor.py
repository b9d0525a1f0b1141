"""datacell doctor"""

from __future__ import annotations

import typer

from datacell.tools.doctor import findings


def doctor() -> None:
    """Check Python, Java, Spark, DuckDB, disk and memory: what is wrong and how to mend it."""
    sick = False
    for finding in findings():
        sick = sick or finding.mend is not None
        mark = typer.style("ok ", fg="green") if finding.mend is None else typer.style("bad", fg="red")
        typer.echo(f"{mark} {finding.what:<8} {finding.found}")
        if finding.mend is not None:
            typer.echo(f"             to mend: {finding.mend}")
    if sick:
        raise typer.Exit(1)
