"""Outputs: the answers of a query, kept until every emitter has delivered them.

A firing is numbered; its file holds what it wrote and the state of the factory after it. Rows whose home is the cluster
are in files of their own, which the firing's file names, and which go with it. The last firing always stays: it is the
latest answer, and where the factory goes on after a restart.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Condition
from typing import Any, TypeAlias

import pyarrow as pa

from datacell.engines.arrow import shaped
from datacell.engines.protocol import Csv, Files
from datacell.engines.transfers import Account, read_csv_in_driver, read_in_driver
from datacell.runtime.storage import files
from datacell.runtime.storage.seal import missing

_SUFFIX, _LATEST = ".arrow", ".latest"


Answer: TypeAlias = pa.Table | Files
"""Rows in the driver, or on the cluster."""

Takes: TypeAlias = bool | Csv
"""Can executors write answers for somebody? If so in csv, then how that is written."""

_FILES = "files′"


@dataclass(frozen=True)
class Firing:
    """What one firing wrote, where it is."""

    number: int
    content: Answer
    state: dict[str, Any]
    schema: pa.Schema | None = None
    account: Account = field(default_factory=Account, compare=False)

    @cached_property
    def rows(self) -> pa.Table:
        """In the driver; rows from the cluster are transferred when they are first asked for."""
        return loaded(self.content, self.schema, self.account)

    @property
    def count(self) -> int:
        return self.content.count if isinstance(self.content, Files) else len(self.content)


def loaded(answer: Answer, schema: pa.Schema | None, account: Account) -> pa.Table:
    """The rows of an answer in the driver."""
    if isinstance(answer, Files):
        assert schema is not None
        if answer.csv is not None:
            return read_csv_in_driver(answer, schema, account)
        return shaped(read_in_driver(answer, schema.names, account), schema)
    return answer


class Output:
    """The firings of one query that someone still needs, in order. Thread-safe: emitters wait for it."""

    def __init__(self, directory: Path, schema: pa.Schema, life: str = "") -> None:
        self.directory, self.schema, self.life = directory, schema, life
        self.account = Account()
        """What was transferred because somebody who is in the driver reads it."""
        self.takers: dict[str, Takes] = {}
        """Who takes the answers, and how."""
        self.closed = False
        self._changed = Condition()
        self._paths = dict(files.numbered(directory, _SUFFIX))
        self._require_all()
        self._delivered = 0
        self._waits = files.is_temporary(directory)
        self._beside: pa.Table | None = None
        self.last = self._read(max(self._paths)) if self._paths else None

    @property
    def next_number(self) -> int:
        return 0 if self.last is None else self.last.number + 1

    @property
    def first_number(self) -> int:
        """Of the firings that are there, or of the next one."""
        with self._changed:
            return min(self._paths, default=self.next_number if self.last is None else self.last.number)

    @property
    def directory_of_next(self) -> str:
        """Where executors put the answer of the next firing."""
        return str(self.directory / f"answer-{self.next_number:010d}.parquet")

    def is_for_cluster(self) -> bool:
        """Is there nobody who needs the rows in the driver?"""
        return all(self.takers.values())

    def form(self) -> Csv | None:
        """How executors write answers so that their only taker can have them as they are; None is Parquet."""
        takers = list(self.takers.values())
        return takers[0] if len(takers) == 1 and isinstance(takers[0], Csv) else None

    def append(self, rows: Answer, state: dict[str, Any], latest: pa.Table | None = None) -> None:
        """Write a firing, and beside it the latest answer where the rows do not tell it.

        Once this returns the firing will be delivered, whatever happens. In a temporary directory files only keep what
        somebody is slow to take out of memory, so there a firing is written when the next one comes.
        """
        names = self.schema.names if isinstance(rows, Files) else rows.schema.names
        assert names == self.schema.names, f"an answer with the columns {', '.join(names)}"
        firing, before = Firing(self.next_number, rows, state, self.schema, self.account), self.last
        if latest is not None:
            self._beside = latest
            files.save_table(self.directory / files.numbered_name(firing.number, _LATEST), latest)
        if not self._waits:
            self._write(firing)
        elif before is not None and before.number >= self._delivered:
            self._write(before)
        with self._changed:
            self.last = firing
            self._changed.notify_all()

    def fetch(self, answer: Files, schema: pa.Schema) -> pa.Table:
        """An answer that no firing has yet comes to the driver; its files are gone."""
        rows = loaded(answer, schema, self.account)
        _remove_directories(map(Path, answer.paths))
        return rows

    def close(self) -> None:
        """There will be no more firings: who waits is told."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def wait(self, number: int, seconds: float | None) -> Firing | None:
        """The first firing from this number on; None if there is none within the time, or will be none."""
        with self._changed:
            self._changed.wait_for(lambda: self.closed or self.next_number > number, seconds)
            last = self.last
            wanted = [n for n in self._paths if n >= number and last is not None and n < last.number]
        if wanted:
            return self._read(min(wanted))
        return last if last is not None and last.number >= number else None

    def forget(self, below: int) -> None:
        """Every emitter has delivered the firings below this number."""
        with self._changed:
            self._delivered = max(self._delivered, below)
            gone = [n for n in self._paths if n < below and self.last is not None and n != self.last.number]
            for number in gone:
                (self.directory / files.numbered_name(number, _LATEST)).unlink(missing_ok=True)
                _remove(self._paths[number])
                del self._paths[number]

    def latest(self) -> pa.Table | None:
        """The latest answer that was written beside the last firing."""
        if self._beside is not None:
            return self._beside
        path = self.directory / files.numbered_name(self.next_number - 1, _LATEST)
        return files.read_table(path)[0] if path.exists() else None

    def _require_all(self) -> None:
        """Firings leave in order, so there is no gap between those that are there."""
        for number in range(min(self._paths, default=0), max(self._paths, default=0)):
            if number not in self._paths:
                raise missing(self.directory / files.numbered_name(number, _SUFFIX))

    def _write(self, firing: Firing) -> None:
        path = self.directory / files.numbered_name(firing.number, _SUFFIX)
        if isinstance(firing.content, Files):
            names = [str(Path(path).relative_to(self.directory)) for path in firing.content.paths]
            csv = None if firing.content.csv is None else asdict(firing.content.csv)
            there = {_FILES: names, "count": firing.content.count, "csv": csv}
            files.write_table(path, self.schema.empty_table(), {**firing.state, **there})
        else:
            files.write_table(path, firing.content, firing.state)
        with self._changed:
            self._paths[firing.number] = path

    def _read(self, number: int) -> Firing:
        rows, state = files.read_table(self._paths[number])
        content: Answer = rows
        if _FILES in state:
            paths = (str(self.directory / name) for name in state.pop(_FILES))
            csv = state.pop("csv")
            content = Files(tuple(paths), state.pop("count"), None if csv is None else Csv(**csv))
        return Firing(number, content, state, self.schema, self.account)


def _remove(path: Path) -> None:
    """A firing's file, and what it names; the file first, so that it never names what is not there."""
    _, state = files.read_table(path)
    path.unlink(missing_ok=True)
    _remove_directories(path.parent / name for name in state.get(_FILES, ()))


def _remove_directories(paths: Iterable[Path]) -> None:
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)
