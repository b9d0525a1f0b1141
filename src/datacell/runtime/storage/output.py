"""Outputs: the answers of a query, kept until every emitter has delivered them.

A firing is numbered; its file holds what it wrote and the state of the factory after it. Rows whose home is the cluster
are in files of their own, which the firing's file names, and which go with it. The last firing always stays: it is the
latest answer, and where the factory goes on after a restart.

A firing that nobody takes, or everybody has taken, is kept for whoever reads along, within a bound: the oldest go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from pathlib import Path
from threading import Condition, Lock
from typing import Any, TypeAlias

import pyarrow as pa

from datacell.engines.arrow import shaped
from datacell.engines.protocol import Csv, Files
from datacell.engines.transfers import Account, read_csv_in_driver, read_in_driver
from datacell.runtime.storage import files
from datacell.runtime.storage.firings import Answer, Bound, StoredFirings, remove_directories

_LATEST = ".latest"

Takes: TypeAlias = bool | Csv
"""Can executors write answers for somebody? If so in csv, then how that is written."""


@dataclass(frozen=True)
class Taker:
    """Somebody to whom no firing may be lost; `cursor` is the number of the first one that is not safe with him."""

    takes: Takes
    cursor: Callable[[], int]
    query: str = ""
    """Whose answers these are to him."""
    trouble: Callable[[], str | None] = lambda: None
    """Why he does not get on, if he does not."""


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


class Standing:
    """Where those who take firings one after the other stand: how many at each number. Thread-safe."""

    def __init__(self) -> None:
        self._counts, self._lock = Counter[int](), Lock()

    def moved(self, before: int | None, after: int | None) -> bool:
        """One comes, goes on or leaves: nobody is left where he was, so something may be let go of."""
        with self._lock:
            if after is not None:
                self._counts[after] += 1
            if before is None:
                return False
            self._counts[before] -= 1
            return self._counts[before] <= 0 and self._counts.pop(before) <= 0


class Output:
    """The firings of one query that someone still needs, in order. Thread-safe: emitters wait for it."""

    def __init__(self, directory: Path, schema: pa.Schema, life: str = "", bound: Bound | None = None) -> None:
        self.directory, self.schema, self.life, self.bound = directory, schema, life, bound
        self.account = Account()
        """What was transferred because somebody who is in the driver reads it."""
        self.takers: dict[str, Taker] = {}
        self.readers: dict[str, int] = {}
        """The queries whose answers these are, each from the firing of that number on."""
        self.let_go, self.let_go_below = 0, 0
        """Firings that went because of the bound since the start, and the number after the last of them."""
        self.closed = False
        self._changed = Condition()  # its lock may be taken again by whoever has it
        self._stored = StoredFirings(directory, schema)
        self.heard: dict[object, Callable[[], None]] = {}
        """Who is told that there is a firing more."""
        self.standing = Standing()
        self._reading: dict[object, int] = {}
        self._delivered = 0
        self._waits = files.is_temporary(directory)
        self._beside: pa.Table | None = None
        self.last = self._read(self._stored.numbers[-1]) if self._stored.numbers else None

    @property
    def next_number(self) -> int:
        return 0 if self.last is None else self.last.number + 1

    @property
    def first_number(self) -> int:
        """Of the firings that are there, or of the next one."""
        with self._changed:
            return min(self._stored.numbers, default=self.next_number if self.last is None else self.last.number)

    @property
    def directory_of_next(self) -> str:
        """Where executors put the answer of the next firing."""
        return str(self.directory / f"answer-{self.next_number:010d}.parquet")

    def undelivered(self, since: int | None = None) -> int:
        """Bytes of the firings from this number on; from the first one on that somebody must have and has not."""
        with self._changed:
            number = min((t.cursor() for t in self.takers.values()), default=None) if since is None else since
            return 0 if number is None else self._stored.bytes_from(number)

    def is_full(self) -> bool:
        """Does so much wait for those who must have it that there should not come more?"""
        most = inf if self.bound is None else self.bound.undelivered
        return self._stored.bytes > most and self.undelivered() > most

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
        elif before is not None:
            self.trim()  # who has taken the one before has done so since
            if before.number >= self._delivered:
                self._write(before)
        with self._changed:
            self.last = firing
            self._changed.notify_all()
        self.trim()
        for tell in list(self.heard.values()):
            tell()

    def fetch(self, answer: Files, schema: pa.Schema) -> pa.Table:
        """An answer that no firing has yet comes to the driver; its files are gone."""
        rows = loaded(answer, schema, self.account)
        remove_directories(map(Path, answer.paths))
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
            if last is not None and last.number == number:
                return last
            wanted = [n for n in self._stored.numbers if n >= number and last is not None and n < last.number]
        if wanted:
            return self._read(min(wanted))
        return last if last is not None and last.number >= number else None

    @contextmanager
    def read_along(self, since: int = 0) -> Iterator[Callable[[int], None]]:
        """For a reader, who says from which firing on he still has to read: these stay, within the bound."""
        reader = object()

        def reads_from(number: int) -> None:
            with self._changed:
                self._reading[reader] = number

        reads_from(since)
        try:
            yield reads_from
        finally:
            with self._changed:
                del self._reading[reader]

    def trim(self) -> None:
        """Let go of what everybody has, and of what only those who read along may want beyond the bound."""
        with self._changed:
            if self.bound is None:
                return
            takers = list(self.takers.values())
            taken = min((taker.cursor() for taker in takers), default=None)
            unheard = self.readers.keys() - {taker.query for taker in takers}  # of which nobody takes anything
            reading = min(self._reading.values(), default=0 if taken is None or unheard else taken)
            last = max(0, self.next_number - 1)  # which stays in any case
            below = min(last, self._stored.first_within(self.bound, last + 1 if taken is None else taken))
            gone = [number for number in self._stored.numbers if reading <= number < below]
            if gone:
                self.let_go, self.let_go_below = self.let_go + len(gone), below
            self.forget(max(below, 0 if taken is None or unheard else min(reading, taken)))

    def forget(self, below: int) -> None:
        """Nobody wants the firings below this number."""
        with self._changed:
            self._delivered = max(self._delivered, below)
            gone = [n for n in self._stored.numbers if n < below and self.last is not None and n != self.last.number]
            for number in gone:
                files.remove(self.directory / files.numbered_name(number, _LATEST))
                self._stored.remove(number)

    def latest(self) -> pa.Table | None:
        """The latest answer that was written beside the last firing."""
        if self._beside is not None:
            return self._beside
        path = self.directory / files.numbered_name(self.next_number - 1, _LATEST)
        return files.read_table(path)[0] if path.exists() else None

    def _write(self, firing: Firing) -> None:
        path = self._stored.write(firing.number, firing.content, firing.state)
        with self._changed:
            self._stored.note(firing.number, path, firing.content)

    def _read(self, number: int) -> Firing:
        content, state = self._stored.read(number)
        return Firing(number, content, state, self.schema, self.account)


def is_for_cluster(output: Output) -> bool:
    """Is there nobody who needs the rows in the driver?"""
    return all(taker.takes for taker in list(output.takers.values()))


def form(output: Output) -> Csv | None:
    """How executors write answers so that their only taker can have them as they are; None is Parquet."""
    taken = [taker.takes for taker in list(output.takers.values())]
    return taken[0] if len(taken) == 1 and isinstance(taken[0], Csv) else None
