"""TABLESAMPLE: of all rows, of none and of so many rows it is the same every time; any other is drawn by chance."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token


def is_fixed(tokens: Sequence[Token]) -> bool:
    """Is it ``(100 PERCENT)``, ``(0 PERCENT)``, ``(3 ROWS)`` or ``(BUCKET 1 OUT OF 1)`` that follows?"""
    words = [token.text.upper() for token in tokens[:7]]
    match words:
        case ["(", share, "PERCENT", ")", *_]:
            return share in ("0", "100")
        case ["(", count, "ROWS", ")", *_]:
            return count.isdigit()
    return words == ["(", "BUCKET", "1", "OUT", "OF", "1", ")"]


def length(tokens: Sequence[Token]) -> int:
    """How many tokens a TABLESAMPLE takes with its REPEATABLE; 0 if none follows."""
    found = 0
    for word in ("TABLESAMPLE", "REPEATABLE"):
        if found < len(tokens) and tokens[found].text.upper() == word:
            found += next((n for n, t in enumerate(tokens[found:], 1) if t.text == ")"), 0)
    return found
