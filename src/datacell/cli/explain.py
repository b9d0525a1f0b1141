"""datacell explain"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from datacell.cli.printing import show
from datacell.compile.explain import Analyze, Format, Stage, explain_script
from datacell.errors import SqlError, UnsupportedError


def explain(
    script: Annotated[Path, typer.Argument(help="A file of SQL statements.", metavar="SCRIPT.sql")],
    stage: Annotated[Stage | None, typer.Option(help="Which plan to show; optimized if not said.")] = None,
    format: Annotated[Format, typer.Option(help="How to show it.")] = Format.TEXT,
) -> None:
    """Show the plans of a script's queries, without running anything."""
    text = read_script(script)
    try:
        show(explain_script(text, str(script), stage, format))
    except UnsupportedError:
        show(_with_spark(lambda analyze: explain_script(text, str(script), stage, format, analyze)))


def _with_spark(explained: Callable[[Analyze], str]) -> str:
    """Spark is started only if there is something that only Spark may understand."""
    from pyspark.sql import SparkSession

    from datacell.engines.spark import SparkEngine

    engine = SparkEngine(SparkSession.getActiveSession())
    try:
        return explained(engine.analyze)
    finally:
        engine.close()


def read_script(path: Path) -> str:
    """The text of a script file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SqlError(f"there is no file {path}", hint="check the path") from None
    except UnicodeDecodeError as error:
        raise SqlError(f"{path} is not UTF-8 text: byte {error.start}", hint="save it as UTF-8") from None
    except OSError as error:
        raise SqlError(f"{path} cannot be read: {error.strerror}", hint="give a file of SQL") from None
