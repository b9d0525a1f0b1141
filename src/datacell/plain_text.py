"""Text for a terminal and for a log: nothing in it is a command to a terminal, and no secret stands in it.

Names and values come from outside. A control character, also one of the C1 range, can move the cursor, rename the
window or hide what was printed; an override of the writing direction makes a text read as another one. Each is shown as
its number. Secrets are what options with telling names say, and passwords in addresses.
"""

from __future__ import annotations

import logging
import re

_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_WITH_LINES = re.compile(rf"{_COMMANDS.pattern}|[\t\n]")

_SECRET = (
    r"[\w.\-]{0,200}(?:password|passwd|passphrase|secret|token|credential|api[_.\-]?key|access[_.\-]?key"
    r"|account[_.\-]?key|private[_.\-]?key|jaas)[\w.\-]{0,200}"
)
"""All repetitions are bounded, or begin where nothing of theirs stands before: no search begins at every place."""

_IS_SECRET = re.compile(rf"{_SECRET}|(?:[\w.\-]*[_.\-])?(?:key|pwd|sas)", re.IGNORECASE)
"""Of an option; in a text `key` alone is more often a column."""

_GIVEN = re.compile(
    rf"(?P<before>(?<![\w.\-])(?:{_SECRET})[`'\"]?\s{{0,50}}(?:=>?|:)?\s{{0,50}})"
    r"(?P<value>'(?:[^'\\\n]|\\.|'')*'?|\"(?:[^\"\\\n]|\\.)*\"?)",
    re.IGNORECASE,
)
"""``password = 'x'`` and its kin: an option's name, and what stands in quotes after it."""

_IN_ADDRESS = re.compile(
    r"(?P<before>(?<![a-z0-9+.\-:])[a-z0-9+.\-:]+://[^\s/:@'\"]*:)(?P<value>[^\s/'\"]+)(?=@)", re.IGNORECASE
)
_PARAMETER = re.compile(rf"(?P<before>[?&;,\s](?:{_SECRET})=)(?P<value>[^\s&;,'\"*][^\s&;,'\"]*)", re.IGNORECASE)
"""In an address, ``?password=x``; in a list of settings, ``;password=x``."""

HIDDEN = "***"


def harmless(text: str) -> str:
    """Lines of text without anything that a terminal would obey."""
    return _COMMANDS.sub(_numbered, text)


def harmless_line(text: str) -> str:
    """The same, in one line."""
    return _WITH_LINES.sub(_numbered, text)


def is_secret(option: str) -> bool:
    """Does an option of this name have a secret for its value?"""
    return _IS_SECRET.fullmatch(option) is not None


def without_secrets(text: str) -> str:
    """A text with as many stars for the secrets in it: what stands beside them stays in its place."""
    for pattern in (_GIVEN, _IN_ADDRESS, _PARAMETER):
        text = pattern.sub(_starred, text)
    return text


def redacted(option: str, value: str) -> str:
    """What may be shown, or written down, of an option's value."""
    return HIDDEN if is_secret(option) else _hidden_parts(value)


def _hidden_parts(value: str) -> str:
    for pattern in (_IN_ADDRESS, _PARAMETER):
        value = pattern.sub(lambda found: found["before"] + HIDDEN, value)
    return value


def _starred(found: re.Match[str]) -> str:
    value = found["value"]
    if value[0] not in "'\"":
        return found["before"] + "*" * len(value)
    closing = value[0] if len(value) > 1 and value[-1] == value[0] else ""
    return f"{found['before']}{value[0]}{'*' * (len(value) - 1 - len(closing))}{closing}"


def _numbered(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class _Plain(logging.Filter):
    """Log records have neither secrets nor commands."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = harmless(without_secrets(record.getMessage())), ()
        return True


logging.getLogger("datacell").addFilter(_Plain())
