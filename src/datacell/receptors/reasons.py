"""Why Spark stopped, in one line out of the pages that it writes."""

from __future__ import annotations

import re

_GONE = re.compile(r"FileNotFoundException: (?:File )?(?P<file>\S+) does not exist|FILE_NOT_EXIST.*?(?P<path>\S+:/\S+)")
_UNREADABLE = re.compile(r"(?:while reading file|Could not read footer for file:?) (?P<file>\S+?)\.? ")
_DENIED = re.compile(r"(?P<file>\S+) \((?P<why>Permission denied|Is a directory|No such file or directory)\)")
_FRAME = re.compile(r"^\[STREAM_FAILED\].*?terminated with exception: |(?<=\S) SQLSTATE: \w+$", re.MULTILINE)
_CLASS = re.compile(r"^(?:Caused by: )?(?:[\w$]+\.)+[\w$]+(?:Exception|Error): ")
_CONDITION = re.compile(r"\[[A-Z][A-Z_]+(?:\.[A-Z_]+)*\] (?P<text>[^\n]+)")


def explained(message: str) -> str:
    """What went wrong, in one line out of the pages that Spark writes."""
    message = _FRAME.sub("", message)
    if found := _GONE.search(message):
        return f"the file {found['file'] or found['path']} is gone"
    if found := _DENIED.search(message):
        return f"the file {found['file']} cannot be read: {found['why']}"
    causes = [_CLASS.sub("", line.strip()) for line in message.splitlines() if line.strip().startswith("Caused by: ")]
    cause = causes[-1][:300] if causes else ""
    if found := _UNREADABLE.search(message):
        return f"the file {found['file']} cannot be read" + (f": {cause}" if cause else "")
    if found := _CONDITION.search(message):
        return found["text"][:300].strip()
    first = next((line.strip() for line in message.splitlines() if line.strip()), "no reason given")
    return (cause or first)[:300]
