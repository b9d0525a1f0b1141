"""The spool: what cannot be replayed (sockets, `push`) is written down first, and read from there like any file.

A group of rows is one file; it is there whole or not at all, and once it is written it will be read, whatever happens.
A file is deleted when the batch that read it has been taken. A name is never used twice, since Spark would
take a new file of an old name for one it has read: every opening of a spool starts a series of its own. The name also
has a checksum of the content, which is looked at when a spool is opened: once acknowledged, rows are not lost unsaid.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from threading import Lock
from time import time_ns
from typing import Any
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from datacell import sockets
from datacell.algebra.definitions import StreamDefinition
from datacell.errors import SourceError, SqlError
from datacell.receptors.rows import to_table
from datacell.receptors.sources import Source, open_source
from datacell.receptors.tcp import Limits, TcpListener
from datacell.runtime.storage import files
from datacell.runtime.storage.seal import damaged

_READING = {
    "parquet": {"datetimeRebaseMode": "CORRECTED"},
    "json": {"lineSep": "\n"},
    "csv": {"lineSep": "\n"},
}
_TCP_LIMITS = ("line", "waiting", "connections", "spool")
_TCP_OPTIONS = ("format", "host", "port", "lines", *_TCP_LIMITS)


LARGEST = 1 << 30
"""Bytes of pushed rows that may wait to be read."""


def is_spooled(stream: StreamDefinition) -> bool:
    """A stream without a source of its own is fed by `push`; a TCP receptor spools what it takes."""
    return not stream.options or _options(stream).get("format", "").lower() == "tcp"


class Spool:
    """Files of rows, numbered in the order in which they came. Thread-safe."""

    def __init__(self, stream: StreamDefinition, directory: Path) -> None:
        self.stream, self.directory, self.form = stream, directory, _form(stream)
        directory.mkdir(parents=True, exist_ok=True)
        self._series = _opened(directory, self.form)
        self._next = 0
        self._lock = Lock()

    def append(self, content: bytes | memoryview) -> None:
        """Write a group of lines down."""
        with self._lock:
            sealed = f"{len(content):x}-{crc32(content):08x}"
            path = self.directory / f"{self._series}{self._next:010d}-{sealed}.{self.form}"
            files.write_once(path, content)
            self._next += 1

    def push(self, rows: Any) -> int:
        """Write rows down: all of them or, if one does not fit, none."""
        if self.form != "parquet":
            raise SqlError(f"stream {self.stream.name} is fed by TCP", hint="push to a stream without WITH (…)")
        if self.size() > LARGEST:
            raise SqlError(
                f"the spool of stream {self.stream.name} is full: {LARGEST >> 20} MB of rows wait to be read",
                hint="run the cell so that they are, and push more slowly",
            )
        table = to_table(rows, self.stream)
        if len(table):
            buffer = pa.BufferOutputStream()
            pq.write_table(_storable(table), buffer)
            self.append(memoryview(buffer.getvalue()))
        return len(table)

    def size(self) -> int:
        """Bytes that wait to be read, or to be deleted after that."""
        return sum(p.stat().st_size for p in list(self.directory.glob(f"[0-9]*.{self.form}")) if p.exists())


def _opened(directory: Path, form: str) -> str:
    """What the names of a new series begin with; those of older series come before it, and no other has it."""
    waiting = sorted(directory.glob(f"[0-9]*.{form}"))
    for path in waiting:
        content = path.read_bytes()
        if not path.stem.endswith(f"-{len(content):x}-{crc32(content):08x}"):
            again = "put it back from a copy, or delete it and send its rows again"
            raise damaged(path, "its content is not what was written", "rows that were acknowledged", again)
    last = int(waiting[-1].name.partition("-")[0]) if waiting else 0
    return f"{max(last + 1, time_ns() // 1000):017d}-{token_hex(8)}-"


def spool_source(spark: SparkSession, stream: StreamDefinition, spool: Spool) -> Source:
    """The spool as a source, with the listener that fills it if there is one."""
    options = {"format": spool.form, "path": str(spool.directory), **_READING[spool.form]}
    source = open_source(spark, replace(stream, options=tuple(options.items())))
    listener = _listener(stream, spool) if stream.options else None
    return Source(source.careful or source.frame, listener=listener, spool=spool.directory, size=spool.size)


def _listener(stream: StreamDefinition, spool: Spool) -> TcpListener:
    options = _options(stream)
    host, port = options.get("host", "127.0.0.1"), sockets.port_number(options, f"stream {stream.name}", SourceError)
    return TcpListener(host, port, spool, _spoilt(spool.form, len(stream.columns)), _limits(stream))


def _limits(stream: StreamDefinition) -> Limits:
    options = _options(stream)
    thing = f"stream {stream.name}"
    return Limits(**{name: sockets.limit(options, name, thing, SourceError) for name in _TCP_LIMITS if name in options})


def _spoilt(form: str, columns: int) -> bytes:
    """What makes any line unreadable: it is put behind the beginning of a line that is too long."""
    return b"," * columns if form == "csv" else b"}{"


def _form(stream: StreamDefinition) -> str:
    if not stream.options:
        return "parquet"
    options = _options(stream)
    unknown = next((name for name in options if name not in _TCP_OPTIONS), None)
    if unknown is not None:
        raise SourceError(
            f"stream {stream.name}: tcp has no option {unknown}", hint=f"it has {', '.join(_TCP_OPTIONS[1:])}"
        )
    lines = options.get("lines", "csv").lower()
    if lines not in ("csv", "json"):
        raise SourceError(f"stream {stream.name}: lines are 'csv' or 'json', not {lines!r}")
    sockets.port_number(options, f"stream {stream.name}", SourceError)
    _limits(stream)
    return lines


def _options(stream: StreamDefinition) -> dict[str, str]:
    return {name.lower(): value for name, value in stream.options}


def _storable(table: pa.Table) -> pa.Table:
    """Spark keeps an interval in parquet as a number of microseconds."""
    fields = [f.with_type(pa.int64()) if pa.types.is_duration(f.type) else f for f in table.schema]
    return table.cast(pa.schema(fields))
