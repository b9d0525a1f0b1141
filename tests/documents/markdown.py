"""Markdown as prose and fenced blocks, without loss: the text of the parts of a document is the document.

A block is a file if the paragraph above it ends with a file's name in backquotes and a colon: what a reader is told to
save, the test saves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_FENCE = "```"
_SPAN = re.compile(r"`([^`\n]+)`")
_SAVED_AS = re.compile(r"`([\w./-]+\.\w+)`:\s*\Z")
_STRANGE_FENCE = re.compile(r"^(\s+```|\s*~~~)", re.MULTILINE)


@dataclass(frozen=True)
class Prose:
    """What stands between blocks."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Block:
    """A fenced block: the line of its fence, its language, the file that it is, if it is one, and its lines."""

    line: int
    language: str
    file: str | None
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    def __str__(self) -> str:
        return f"{_FENCE}{self.language}\n{self.text}{_FENCE}\n"


Part = Prose | Block


def parse(document: str) -> tuple[Part, ...]:
    """The parts of a document. A fence that is indented or made of tildes is refused: no rule would see its block."""
    parts = tuple(_parts(document.splitlines()))
    strange = [part.text for part in parts if isinstance(part, Prose) and _STRANGE_FENCE.search(part.text)]
    assert not strange, f"write fences as {_FENCE} at the start of a line: {strange[0]}"
    return parts


def text(parts: Sequence[Part]) -> str:
    return "".join(map(str, parts))


def blocks(parts: Sequence[Part]) -> list[Block]:
    return [part for part in parts if isinstance(part, Block)]


def spans(document: str) -> list[str]:
    """The code within the prose."""
    prose = [part.text for part in parse(document) if isinstance(part, Prose)]
    return [span for part in prose for span in _SPAN.findall(part)]


def _parts(lines: Sequence[str]) -> Iterator[Part]:
    prose: list[str] = []
    place = 0
    while place < len(lines):
        if not lines[place].startswith(_FENCE):
            prose.append(lines[place])
            place += 1
            continue
        end = lines.index(_FENCE, place + 1)
        above = "".join(f"{line}\n" for line in prose)
        yield Prose(above)
        saved = _SAVED_AS.search(above)
        name = saved[1] if saved else None
        yield Block(place + 1, lines[place].removeprefix(_FENCE), name, tuple(lines[place + 1 : end]))
        prose, place = [], end + 1
    yield Prose("".join(f"{line}\n" for line in prose))
