"""Names as file names: any name is one, and none means anything to a file system.

The law: `name_of(file_name(name))` is the name in small letters, unless it is long; then the file name ends in a digest
of it, and what is kept under it says the name. Two names that differ, but for large and small letters, have two file
names. None of these is hidden, none begins or ends in a space, and none has more than `LONGEST` characters.
"""

from __future__ import annotations

import re
from hashlib import sha256

LONGEST = 120
"""Characters: there is room for an ending below the 255 of usual file systems."""

_MARK, _CUT = "~", "~-"
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-. ")
_DIGITS = 40


def file_name(name: str) -> str:
    """A name as the name of a file or directory."""
    small = name.lower().encode("utf-8", "surrogatepass")
    last = len(small) - 1
    spelled = "".join(_spelled(byte, at in (0, last)) for at, byte in enumerate(small)) or _MARK
    if len(spelled) <= LONGEST:
        return spelled
    begins = spelled[: LONGEST - _DIGITS - len(_CUT)]
    return f"{begins}{_CUT}{sha256(small).hexdigest()[:_DIGITS]}"


def name_of(file: str) -> str | None:
    """The name in small letters; None if the file name has only the beginning of it."""
    if _CUT in file:
        return None
    if file == _MARK:
        return ""
    found = re.sub(rb"~([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), file.encode())
    return found.decode("utf-8", "surrogatepass")


def _spelled(byte: int, at_an_end: bool) -> str:
    """Dots, underscores and spaces mean something at an end."""
    if byte in _PLAIN and not (at_an_end and byte in b"_. "):
        return chr(byte)
    return f"{_MARK}{byte:02x}"
