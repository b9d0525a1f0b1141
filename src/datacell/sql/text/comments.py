"""Comments, blanked: the same text with spaces for every comment, so that all positions stay.

sqlglot knows ``GROUP BY`` only as two words with nothing but space between; a comment may stand there all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENING = re.compile(r"--|/\*|['\"`]")
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_INNER = {"'": re.compile(r"\\.|'", re.DOTALL), '"': re.compile(r'\\.|"', re.DOTALL)}
_RAW_PREFIX = re.compile(r"(?<![\w$])[rR]\Z")


@dataclass(frozen=True)
class UnclosedError(Exception):
    """A quote or a comment that opens at `start` and never closes."""

    start: int
    quote: str


def blanked(text: str) -> str:
    """The text without its comments; `UnclosedError` if one of them, or a quote, does not end."""
    parts: list[str] = []
    position = 0
    while (opening := _OPENING.search(text, position)) is not None:
        start, quote = opening.start(), opening.group()
        parts.append(text[position:start])
        position = _end(text, start, quote)
        inside = text[start:position]
        parts.append(inside if quote in "'\"`" else re.sub(r"[^\n]", " ", inside))
    parts.append(text[position:])
    return "".join(parts)


def _end(text: str, start: int, quote: str) -> int:
    if quote == "--":
        stop = text.find("\n", start)
        return len(text) if stop < 0 else stop
    if quote == "/*":
        return _comment_end(text, start)
    if quote == "`" or _RAW_PREFIX.search(text[max(0, start - 2) : start]):
        stop = text.find(quote, start + 1)
        if stop < 0:
            raise UnclosedError(start, quote)
        return stop + 1
    return _string_end(text, start, quote)


def _string_end(text: str, start: int, quote: str) -> int:
    """A backslash takes the character after it along."""
    for found in _INNER[quote].finditer(text, start + 1):
        if found.group() == quote:
            return found.end()
    raise UnclosedError(start, quote)


def _comment_end(text: str, start: int) -> int:
    """Comments may stand within comments."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge.group() == "/*" else -1
        if depth == 0:
            return edge.end()
    raise UnclosedError(start, "/*")
