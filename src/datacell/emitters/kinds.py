"""The kinds of emitters by their format."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from datacell.emitters.console import ConsoleEmitter
from datacell.emitters.files import FileEmitter
from datacell.emitters.protocol import Emitter
from datacell.emitters.sinks import SparkSinkEmitter
from datacell.errors import EmitterError
from datacell.sql.catalog import EmitterDefinition

_FILES = ("csv", "json", "parquet")


def open_emitter(definition: EmitterDefinition, spark: SparkSession) -> Emitter:
    """The emitter that a definition describes; any format that is not ours is a Spark batch sink."""
    options = dict(definition.options)
    form = options.pop("format", "console").lower()
    if form in _FILES:
        if "path" not in options:
            raise EmitterError(f"emitter {definition.name} needs a path", hint=f"add path = 'out/{definition.name}'")
        return FileEmitter(Path(options["path"]), form)
    if form == "console":
        return ConsoleEmitter(definition.source)
    return SparkSinkEmitter(spark, form, options)
