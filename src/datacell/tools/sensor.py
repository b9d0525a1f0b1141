"""The sensor: sends lines to a TCP receptor at a given rate and counts what is acknowledged."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from threading import Condition, Thread

from datacell.emitters import columns, text
from datacell.errors import DataCellError, SourceError
from datacell.tools import plugs

_BLOCK = 5_000
_BLOCKS_PER_SECOND = 50
LONGEST_SILENCE = 30.0
"""Seconds without an acknowledgement after which the sensor gives up waiting."""

Stamp = Callable[[bytes, str], bytes]
"""Adds the moment of creation to a line."""


@dataclass(frozen=True)
class Sent:
    """What a sensor did."""

    rows: int
    acknowledged: int
    seconds: float

    @property
    def rate(self) -> float:
        return self.rows / self.seconds if self.seconds else 0.0


def generated(rows: int | None, seed: int, houses: int, form: str) -> Iterator[bytes]:
    """Smart-plug rows as lines."""
    shown = columns.csv if form == "csv" else columns.json
    for table in plugs.tables(rows, seed, houses):
        for block in shown(table):
            yield from bytes(block).splitlines(keepends=True)


def replayed(path: Path, rows: int | None, skip: int) -> Iterator[bytes]:
    """The lines of a file as they are, without the first `skip`."""
    try:
        with path.open("rb") as file:
            for line in islice(file, skip, None if rows is None else skip + rows):
                yield line if line.endswith(b"\n") else line + b"\n"
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error


def stamped_csv(line: bytes, now: str) -> bytes:
    """The creation time as one more field."""
    return line.rstrip(b"\r\n") + b"," + now.encode() + b"\n"


def stamped_json(name: str) -> Stamp:
    """The creation time as one more key."""
    key = text.json_text(name).encode()

    def stamped(line: bytes, now: str) -> bytes:
        return line.rstrip().removesuffix(b"}") + b", " + key + b': "' + now.encode() + b'"}\n'

    return stamped


def send(host: str, port: int, lines: Iterable[bytes], rate: float | None = None, stamp: Stamp | None = None) -> Sent:
    """Send the lines, so many per second, and wait until they are acknowledged."""
    try:
        connection = socket.create_connection((host, port), timeout=10)
    except OSError as error:
        raise SourceError(f"nobody listens on {host}:{port}: {error}", hint="start the receptor first") from error
    connection.settimeout(None)
    with connection:
        acknowledgements = _Acknowledgements(connection)
        began = time.monotonic()
        rows = _send_all(connection, lines, rate, stamp, began)
        connection.shutdown(socket.SHUT_WR)
        safe = acknowledgements.wait(rows)
        return Sent(rows, safe, time.monotonic() - began)


def _send_all(
    connection: socket.socket, lines: Iterable[bytes], rate: float | None, stamp: Stamp | None, began: float
) -> int:
    size = _BLOCK if rate is None else max(1, min(_BLOCK, int(rate / _BLOCKS_PER_SECOND)))
    remaining, rows = iter(lines), 0
    while block := list(islice(remaining, size)):
        if rate is not None:
            time.sleep(max(0.0, began + rows / rate - time.monotonic()))
        if stamp is not None:
            now = text.instant(datetime.now(UTC))
            block = [stamp(line, now) for line in block]
        try:
            connection.sendall(b"".join(block))
        except OSError as error:
            raise DataCellError(f"the receptor hung up after {rows} rows: {error.strerror}") from error
        rows += len(block)
    return rows


class _Acknowledgements:
    """Reads ``ok N`` lines in the background."""

    def __init__(self, connection: socket.socket) -> None:
        self.safe, self.ended = 0, False
        self._connection = connection
        self._changed = Condition()
        Thread(target=self._read, name="acknowledgements", daemon=True).start()

    def wait(self, rows: int) -> int:
        """Until so many rows are safe, or nothing is heard any more."""
        with self._changed:
            while self.safe < rows and not self.ended:
                if not self._changed.wait(LONGEST_SILENCE):
                    break
            return self.safe

    def _read(self) -> None:
        try:
            with self._connection.makefile("rb") as answers:
                for answer in answers:
                    if answer.startswith(b"ok "):
                        self._note(int(answer[3:]))
        except (OSError, ValueError):
            pass
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def _note(self, safe: int) -> None:
        with self._changed:
            self.safe = safe
            self._changed.notify_all()
