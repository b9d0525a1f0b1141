"""The kinds of emitters by their format."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from datacell import sockets
from datacell.algebra.definitions import EmitterDefinition, StreamDefinition
from datacell.emitters import by_executors
from datacell.emitters.console import ConsoleEmitter
from datacell.emitters.files import FileEmitter, WriteCsv, WriteParquet, write_json
from datacell.emitters.ownership import Claim, Existing
from datacell.emitters.paths import check_free, local_directory
from datacell.emitters.protocol import Emitter
from datacell.emitters.sinks import SavedTableEmitter, SparkSinkEmitter, check_format
from datacell.emitters.tcp import Limits, TcpEmitter
from datacell.engines.protocol import Csv
from datacell.errors import EmitterError, did_you_mean


@dataclass(frozen=True)
class Surroundings:
    """What there is beside an emitter; `claim` makes a directory its own, or refuses."""

    spark: SparkSession
    emitters: Iterable[EmitterDefinition]
    streams: Iterable[StreamDefinition]
    claim: Callable[[Path, Existing], Claim]


Open = Callable[[EmitterDefinition, dict[str, str], Surroundings], Emitter]

_OWNED = ("path", "overwrite", "append")
_TCP_LIMITS = ("firings", "bytes", "clients", "silence")

_OPTIONS = {
    "csv": (*_OWNED, "header", "sep"),
    "json": _OWNED,
    "parquet": (*_OWNED, "compression"),
    "console": (),
    "tcp": ("host", "port", *_TCP_LIMITS),
    "table": ("table",),
}
"""What can be said about the formats that are ours; of a Spark sink we do not know."""


_COMPRESSIONS = ("none", "snappy", "gzip", "zstd", "lz4", "brotli")


def open_emitter(definition: EmitterDefinition, beside: Surroundings) -> Emitter:
    """The emitter that a definition describes; any format that is not ours is a Spark batch sink."""
    try:
        return _open(definition, beside)
    except EmitterError as error:
        raise EmitterError(error.message, place=definition.place, hint=error.hint) from error


def _open(definition: EmitterDefinition, beside: Surroundings) -> Emitter:
    options = {name.lower(): value for name, value in definition.options}
    form = options.pop("format", "console").lower()
    check_free(definition, beside.emitters, beside.streams)
    if form not in _OPENED:
        check_format(beside.spark, definition.name, form, _OPENED)
        return SparkSinkEmitter(
            beside.spark, form, {name: v for name, v in definition.options if name.lower() != "format"}
        )
    unknown = next((name for name in options if name not in _OPTIONS[form]), None)
    if unknown is not None:
        hint = did_you_mean(unknown, _OPTIONS[form])
        raise EmitterError(f"emitter {definition.name}: {form} has no option {unknown}", hint=hint)
    return _OPENED[form](definition, options, beside)


def _csv(definition: EmitterDefinition, options: dict[str, str], beside: Surroundings) -> Emitter:
    header = options.get("header", "true").lower()
    separator = options.get("sep", ",")
    if header not in ("true", "false") or len(separator) != 1 or separator in '"\n\r':
        raise EmitterError(f"emitter {definition.name}: header is 'true' or 'false', sep is one character")
    form = Csv(separator, header == "true")
    claim = _claimed(definition, "csv", options, beside)
    return FileEmitter(claim, "csv", WriteCsv(form), beside.spark, by_executors.csv(form))


def _json(definition: EmitterDefinition, options: dict[str, str], beside: Surroundings) -> Emitter:
    claim = _claimed(definition, "json", options, beside)
    return FileEmitter(claim, "json", write_json, beside.spark, by_executors.json)


def _parquet(definition: EmitterDefinition, options: dict[str, str], beside: Surroundings) -> Emitter:
    compression = options.get("compression", "snappy").lower()
    if compression not in _COMPRESSIONS:
        hint = f"there is {', '.join(_COMPRESSIONS)}"
        raise EmitterError(f"emitter {definition.name}: there is no compression {compression}", hint=hint)
    claim = _claimed(definition, "parquet", options, beside)
    return FileEmitter(claim, "parquet", WriteParquet(compression), beside.spark, by_executors.parquet(compression))


def _console(definition: EmitterDefinition, options: dict[str, str], beside: Surroundings) -> Emitter:
    return ConsoleEmitter(definition.source)


def _tcp(definition: EmitterDefinition, options: dict[str, str], beside: Surroundings) -> Emitter:
    thing = f"emitter {definition.name}"
    port = sockets.port_number(options, thing, EmitterError)
    most = {name: sockets.limit(options, name, thing, EmitterError) for name in _TCP_LIMITS if name in options}
    return TcpEmitter(options.get("host", "127.0.0.1"), port, Limits(**most))


def _table(definition: EmitterDefinition, options: dict[str, str], beside: Surroundings) -> Emitter:
    if "table" not in options:
        raise EmitterError(f"emitter {definition.name} needs a table", hint="add table = 'name'")
    return SavedTableEmitter(beside.spark, options["table"])


def _claimed(definition: EmitterDefinition, form: str, options: dict[str, str], beside: Surroundings) -> Claim:
    """The directory of a file emitter, which is its own from now on."""
    overwrite, append = (options.get(name, "false").lower() for name in ("overwrite", "append"))
    if {overwrite, append} - {"true", "false"} or overwrite == append == "true":
        raise EmitterError(
            f"emitter {definition.name}: overwrite and append are 'true' or 'false', and not both 'true'",
            hint="overwrite = 'true' removes the part files that are there, append = 'true' writes after them",
        )
    kept = Existing.KEPT if append == "true" else Existing.REFUSED
    return beside.claim(local_directory(definition, form), Existing.OVERWRITTEN if overwrite == "true" else kept)


_OPENED: dict[str, Open] = {
    "csv": _csv,
    "json": _json,
    "parquet": _parquet,
    "console": _console,
    "tcp": _tcp,
    "table": _table,
}
