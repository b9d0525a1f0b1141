"""The kinds of emitters by their format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from datacell import sockets
from datacell.algebra.definitions import EmitterDefinition
from datacell.emitters import by_executors
from datacell.emitters.console import ConsoleEmitter
from datacell.emitters.files import FileEmitter, WriteCsv, WriteParquet, write_json
from datacell.emitters.protocol import Emitter
from datacell.emitters.sinks import SavedTableEmitter, SparkSinkEmitter
from datacell.emitters.tcp import TcpEmitter
from datacell.engines.protocol import Csv
from datacell.errors import EmitterError, did_you_mean

Open = Callable[[EmitterDefinition, dict[str, str], SparkSession], Emitter]

_OPTIONS = {
    "csv": ("path", "header", "sep"),
    "json": ("path",),
    "parquet": ("path", "compression"),
    "console": (),
    "tcp": ("host", "port"),
    "table": ("table",),
}
"""What can be said about the formats that are ours; of a Spark sink we do not know."""


_COMPRESSIONS = ("none", "snappy", "gzip", "zstd", "lz4", "brotli")


def open_emitter(definition: EmitterDefinition, spark: SparkSession) -> Emitter:
    """The emitter that a definition describes; any format that is not ours is a Spark batch sink."""
    options = {name.lower(): value for name, value in definition.options}
    form = options.pop("format", "console").lower()
    if form not in _OPENED:
        return SparkSinkEmitter(spark, form, {name: v for name, v in definition.options if name.lower() != "format"})
    unknown = next((name for name in options if name not in _OPTIONS[form]), None)
    if unknown is not None:
        hint = did_you_mean(unknown, _OPTIONS[form])
        raise EmitterError(f"emitter {definition.name}: {form} has no option {unknown}", hint=hint)
    return _OPENED[form](definition, options, spark)


def _csv(definition: EmitterDefinition, options: dict[str, str], spark: SparkSession) -> Emitter:
    header = options.get("header", "true").lower()
    separator = options.get("sep", ",")
    if header not in ("true", "false") or len(separator) != 1 or separator in '"\n\r':
        raise EmitterError(f"emitter {definition.name}: header is 'true' or 'false', sep is one character")
    form = Csv(separator, header == "true")
    return FileEmitter(_directory(definition, options), "csv", WriteCsv(form), spark, by_executors.csv(form))


def _json(definition: EmitterDefinition, options: dict[str, str], spark: SparkSession) -> Emitter:
    return FileEmitter(_directory(definition, options), "json", write_json, spark, by_executors.json)


def _parquet(definition: EmitterDefinition, options: dict[str, str], spark: SparkSession) -> Emitter:
    compression = options.get("compression", "snappy").lower()
    if compression not in _COMPRESSIONS:
        hint = f"there is {', '.join(_COMPRESSIONS)}"
        raise EmitterError(f"emitter {definition.name}: there is no compression {compression}", hint=hint)
    return FileEmitter(
        _directory(definition, options), "parquet", WriteParquet(compression), spark, by_executors.parquet(compression)
    )


def _console(definition: EmitterDefinition, options: dict[str, str], spark: SparkSession) -> Emitter:
    return ConsoleEmitter(definition.source)


def _tcp(definition: EmitterDefinition, options: dict[str, str], spark: SparkSession) -> Emitter:
    port = sockets.port_number(options, f"emitter {definition.name}", EmitterError)
    return TcpEmitter(options.get("host", "127.0.0.1"), port)


def _table(definition: EmitterDefinition, options: dict[str, str], spark: SparkSession) -> Emitter:
    if "table" not in options:
        raise EmitterError(f"emitter {definition.name} needs a table", hint="add table = 'name'")
    return SavedTableEmitter(spark, options["table"])


def _directory(definition: EmitterDefinition, options: dict[str, str]) -> Path:
    if "path" not in options:
        raise EmitterError(f"emitter {definition.name} needs a path", hint=f"add path = 'out/{definition.name}'")
    return Path(options["path"].removeprefix("file://"))


_OPENED: dict[str, Open] = {
    "csv": _csv,
    "json": _json,
    "parquet": _parquet,
    "console": _console,
    "tcp": _tcp,
    "table": _table,
}
