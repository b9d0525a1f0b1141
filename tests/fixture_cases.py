"""Fixture files: cases in a text that a person can read and a flag can write again.

::

    == A title
    SELECT …
    word: value                     what a case says beside its query, if anything
    -- section
    (what the system shows)
    -- another section
    (the same)
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeVar

from datacell.algebra.query import Query
from sample import bind

_CASE = re.compile(r"^== ", re.MULTILINE)
_SECTION = re.compile(r"^-- (\w+)\n", re.MULTILINE)


@dataclass(frozen=True)
class FixtureCase(ABC):
    """A query, what is said of it, and what is written in its sections."""

    words: ClassVar[tuple[str, ...]] = ()
    """What a case of this kind may say."""

    file: str
    title: str
    sql: str
    said: Mapping[str, str]
    expected: Mapping[str, str]

    @abstractmethod
    def found(self) -> dict[str, str]:
        """The sections, as the system shows them now."""

    def query(self) -> Query:
        return bind(self.sql)

    def text(self) -> str:
        """The case as it should stand in its file."""
        said = [f"{word}: {value}" for word, value in self.said.items()]
        sections = [line for name, shown in self.found().items() for line in (f"-- {name}", shown)]
        return "\n".join([f"== {self.title}", self.sql, *said, *sections])

    def __str__(self) -> str:
        return f"{self.file}: {self.title}"


AnyCase = TypeVar("AnyCase", bound=FixtureCase)


def names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.txt"))


def read(folder: Path, name: str, kind: type[AnyCase]) -> list[AnyCase]:
    text = (folder / f"{name}.txt").read_text(encoding="utf-8")
    return [_case(name, part, kind) for part in _CASE.split(text)[1:]]


def write(folder: Path, name: str, cases: Sequence[FixtureCase]) -> None:
    (folder / f"{name}.txt").write_text("\n\n".join(case.text() for case in cases) + "\n", encoding="utf-8")


def _case(file: str, text: str, kind: type[AnyCase]) -> AnyCase:
    head, *sections = _SECTION.split(text)
    title, *lines = head.strip().split("\n")
    pairs = {line: line.split(": ", 1) for line in lines if line.startswith(tuple(f"{w}: " for w in kind.words))}
    sql = "\n".join(line for line in lines if line not in pairs)
    expected = {name: shown.strip("\n") for name, shown in zip(sections[::2], sections[1::2], strict=True)}
    return kind(file, title, sql, dict(pairs.values()), expected)
