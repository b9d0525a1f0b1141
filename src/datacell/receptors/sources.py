"""A stream's source: any Spark source by its format and options, as a streaming frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import islice
from operator import or_
from pathlib import Path
from typing import Protocol

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from datacell.algebra import types
from datacell.algebra.definitions import StreamColumn, StreamDefinition, reserved
from datacell.engines.reasons import told
from datacell.engines.types import type_of
from datacell.errors import SourceError, SqlError, in_backticks
from datacell.receptors import csv, envelope, headers
from datacell.receptors.checks import MALFORMED
from datacell.receptors.file_order import ANY_FILE, file_order, listed_by_name

_MOST_FILES = 10_000
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_FILES_PER_BATCH = "maxfilespertrigger"
_OLDEST, _ANY_AGE = "maxfileage", "36500d"
"""Spark passes over a file that is a week older than the newest that it has seen, and says nothing of it."""

FILE_FORMATS = frozenset({"csv", "json", "parquet", "orc", "text", "xml", "avro"})


class Listener(Protocol):
    """What takes rows from outside into a spool while a receptor runs."""

    port: int
    failure: str | None
    """Why it takes nothing at present."""
    refused: int
    """Senders that were hung up on because a limit was reached."""

    def start(self) -> None: ...

    def stop(self) -> None: ...


def as_it_is(batch: pa.Table) -> pa.Table:
    return batch


@dataclass(frozen=True)
class Source:
    """The rows as a streaming frame with `__malformed`; `vet` looks at each micro-batch once more.

    What a frame is made of takes its time, so those are made that are read.
    """

    frame: Callable[[], DataFrame]
    vet: Callable[[pa.Table], pa.Table] = as_it_is
    careful: Callable[[], DataFrame] | None = None
    """The same rows read in a way that no line can stop, if `frame` is not such a way."""
    listener: Listener | None = None
    spool: Path | None = None
    """Where the files are that it reads, if they are our own."""
    plain: DataFrame | None = None
    """The same rows without where in the source they are, and without a need to be vetted, if there is such a way."""
    as_expected: Callable[[Iterable[str]], bool] | None = None
    """Have files the header that is expected? If not, their rows must be vetted. None where nobody can tell."""
    size: Callable[[], int | None] = lambda: None
    """Bytes that the first micro-batch reads at most, if that can be told."""
    can_be_read_again: bool = False
    """Is what was read still there after Spark has told the source that it need not keep it?"""


def open_source(spark: SparkSession, stream: StreamDefinition) -> Source:
    """The stream's rows as Spark reads them."""
    options = {_known_spelling(name): value for name, value in stream.options}
    form = options.pop("format", "").lower()
    if form in FILE_FORMATS and "path" in options:
        options["path"] = listed_by_name(_streamable(from_here(options["path"])), options)
        if _OLDEST not in map(str.lower, options):
            options[_OLDEST] = _ANY_AGE
    if options.get("mode", "PERMISSIVE").upper() != "PERMISSIVE":
        raise SourceError(
            f"stream {stream.name}: mode cannot be chosen",
            hint=f"rows that cannot be read are in {stream.name}__rejected",
        )
    what = f"the source of stream {stream.name} cannot be opened"
    with told(SourceError, what, hint="check format, path and options in its WITH (…)"):
        return replace(_opened(spark, stream, form, options), can_be_read_again=_stays(form, options))


def from_frame(frame: DataFrame, stream: StreamDefinition) -> Source:
    """A streaming frame of the user's, under the stream's names and types."""
    found = _cast(frame, stream)
    return Source(lambda: found, plain=found)


def frame_columns(frame: DataFrame, stream: str) -> tuple[StreamColumn, ...]:
    """The columns of a stream that is made of a streaming frame of the user's."""
    columns = []
    for field in frame.schema.fields:
        if refused := reserved(field.name):
            raise SqlError(refused, hint=f'rename it: frame.withColumnRenamed("{field.name}", …)')
        spelled = field.dataType.simpleString()
        try:
            kind = type_of(field.dataType)
        except ValueError:
            kind = types.VARIANT
        if not types.is_portable(kind):
            problem = f"column {field.name} of the frame is {spelled}, which stream {stream} cannot hold"
            raise SqlError(
                problem, hint=f'cast it: frame.withColumn("{field.name}", frame["{field.name}"].cast("string"))'
            )
        columns.append(StreamColumn(field.name, kind))
    return tuple(columns)


def _opened(spark: SparkSession, stream: StreamDefinition, form: str, options: dict[str, str]) -> Source:
    if form in FILE_FORMATS and "path" not in options:
        raise SourceError(f"the source of stream {stream.name} needs a path", hint="add path = '…' to its WITH (…)")
    if form == "csv" and options.get("multiLine", "false").lower() != "true":
        return _csv(spark, stream, options)
    if stream.is_enveloped:
        return _enveloped(spark, stream, form, options)
    reader = spark.readStream.format(form)
    columns = ", ".join(f"{in_backticks(c.name)} {c.type}" for c in stream.columns)
    if form in ("csv", "json"):
        settings = {**options, "mode": "PERMISSIVE", "columnNameOfCorruptRecord": MALFORMED}
        frame = reader.schema(f"{columns}, {MALFORMED} string").options(**settings).load()
        parsed = frame.select("*", *file_order())
        return Source(lambda: parsed, size=lambda: waiting_bytes(options))
    if form in FILE_FORMATS:
        files = _with_malformed(reader.schema(columns).options(**options).load())
        return Source(lambda: files.select("*", *file_order()), plain=files, size=lambda: waiting_bytes(options))
    return from_frame(reader.options(**options).load(), stream)


def _enveloped(spark: SparkSession, stream: StreamDefinition, form: str, options: Mapping[str, str]) -> Source:
    found = envelope.unwrapped(envelope.messages(spark, stream, form, options), stream)
    if form in FILE_FORMATS:
        return Source(lambda: found.select("*", *file_order()), size=lambda: waiting_bytes(options))
    return Source(lambda: found, plain=found)


def _csv(spark: SparkSession, stream: StreamDefinition, options: dict[str, str]) -> Source:
    names = tuple(c.name for c in stream.columns)
    options.pop("mode", None)
    settings = {"escape": '"', **options}
    size = partial(waiting_bytes, options)
    if options.get("header", "false").lower() != "true":
        fast, careful = (partial(way, spark, stream, settings, names) for way in (csv.fast, csv.careful))
        parsed = fast()
        return Source(lambda: parsed, careful=careful, plain=csv.plain(spark, stream, settings, names), size=size)

    def header_of(file: str) -> list[str] | None:
        line = headers.first_line(spark, file)
        return None if line is None else headers.split(line, csv.separator(options), options.get("quote", '"'))

    first = _first_header(spark, options)
    header = None if first is None else headers.split(first, csv.separator(options), options.get("quote", '"'))
    order, expected = _order(stream, header)
    fast, careful = (partial(way, spark, stream, settings, order) for way in (csv.fast, csv.careful))
    found = Source(fast, headers.HeaderCheck(names, expected, header_of), careful, size=size)
    if first is None or header is None or not {n.lower() for n in names} <= {n.lower() for n in header}:
        parsed = fast()
        return replace(found, frame=lambda: parsed)
    own = {n.lower(): n for n in names}
    named = tuple(own.get(n.lower(), n) for n in header)
    is_local = "://" not in options["path"]  # else a look into a file takes a job
    same = partial(headers.same, spark, first.rstrip("\r\n")) if is_local else None
    plain = csv.plain(spark, stream, {**settings, "enforceSchema": "false"}, named)
    return replace(found, plain=plain, as_expected=same)


def _stays(form: str, options: Mapping[str, str]) -> bool:
    """Of other sources nobody knows what they do when they are told that a batch was read."""
    return form in FILE_FORMATS and not any(name.lower() == "cleansource" for name in options)


def _first_header(spark: SparkSession, options: dict[str, str]) -> str | None:
    found = sorted(spark.read.format("text").options(**options).load().inputFiles())
    return next((line for file in found if (line := headers.first_line(spark, file)) is not None), None)


def _order(stream: StreamDefinition, header: list[str] | None) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The names of the fields as they lie in the files, and the place of each column among them."""
    names = [c.name for c in stream.columns]
    expected = tuple(range(len(names))) if header is None else headers.layout(header, names)
    if expected is None:
        raise SourceError(
            f"the files of stream {stream.name} have the header {', '.join(header or ())[:200]}",
            hint=f"it should have {', '.join(names)}, in any order",
        )
    own = dict(zip(expected, names, strict=True))
    width = len(names) if header is None else len(header)
    return tuple(own.get(place, f"__field_{place}") for place in range(width)), expected


def reads_files(stream: StreamDefinition) -> bool:
    """Is its source a directory of files, or a pattern?"""
    return any(name.lower() == "format" and value.lower() in FILE_FORMATS for name, value in stream.options)


def from_here(path: str) -> str:
    """A relative path starts at the working directory of this process; Java has kept the one it was started in."""
    return path if not path or path.startswith("/") or _SCHEME.match(path) else str(Path.cwd() / path)


def _known_spelling(name: str) -> str:
    """Spark does not care about the case of an option's name; for those we look at, neither do we."""
    spellings = ("format", "path", "header", "sep", "delimiter", "quote", "comment", "mode", "multiLine", "escape")
    return next((s for s in spellings if s.lower() == name.lower()), name)


def _streamable(path: str) -> str:
    """Spark streams from a directory or a pattern, not from a file: a file is a pattern that only it fits."""
    return f"{path[:-1]}[{path[-1]}]" if Path(path.removeprefix("file://")).is_file() else path


def waiting_bytes(options: Mapping[str, str]) -> int | None:
    """The most bytes that the first micro-batch reads; None if the path is no local directory, or has too many files.

    All of them wait in the directory, but a micro-batch has no more files than the stream's options say.
    """
    path = options["path"].removeprefix("file://").removesuffix(f"/{ANY_FILE}")
    local = Path(path)
    if "://" in path or not local.is_dir():
        return None
    files = list(islice(local.rglob("*"), _MOST_FILES))
    if len(files) >= _MOST_FILES:
        return None
    sizes = sorted((p.stat().st_size for p in files if p.is_file()), reverse=True)
    most = next((value for name, value in options.items() if name.lower() == _FILES_PER_BATCH), "")
    return sum(sizes[: int(most)] if most.isdecimal() else sizes)


def _with_malformed(frame: DataFrame) -> DataFrame:
    return frame.withColumn(MALFORMED, f.lit(None).cast("string"))


def _cast(frame: DataFrame, stream: StreamDefinition) -> DataFrame:
    """Sources with a schema of their own: columns by name where they have it, else by position.

    A row of which a cast would lose a value counts as one that cannot be parsed.
    """
    names = {c.lower(): c for c in frame.columns}
    by_name = all(c.name.lower() in names for c in stream.columns)
    if not by_name and len(frame.columns) < len(stream.columns):
        given = ", ".join(frame.columns)
        raise SourceError(f"the source of stream {stream.name} has the columns {given}", hint="declare these columns")
    sources = [names[c.name.lower()] if by_name else frame.columns[i] for i, c in enumerate(stream.columns)]
    pairs = [(f.col(in_backticks(s)), c) for s, c in zip(sources, stream.columns, strict=True)]
    values = [old.try_cast(str(c.type)).alias(c.name) for old, c in pairs]
    return frame.select(*values, _lost(frame.select(*(old for old, _ in pairs)), stream).alias(MALFORMED))


def _lost(given: DataFrame, stream: StreamDefinition) -> Column:
    """The text of a row that has a value without a counterpart in its column's type; NULL for the others."""
    pairs = zip(given.schema.fields, stream.columns, strict=True)
    changed = [(f.col(in_backticks(old.name)), c) for old, c in pairs if old.dataType.simpleString() != str(c.type)]
    if not changed:
        return f.lit(None).cast("string")
    lost = reduce(or_, (old.isNotNull() & old.try_cast(str(c.type)).isNull() for old, c in changed))
    text = f.to_json(f.struct(*(in_backticks(name) for name in given.columns)), {"timeZone": "UTC"})
    return f.when(lost, text)
