"""Why Spark failed, in one line out of the pages that it writes: never empty, never a method of py4j, never a stack.

And whether it only failed, or is gone: a Java process that has died answers nothing any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors import PySparkException

from datacell.errors import DataCellError, EngineError, EngineLostError, Place

SPARK_ERRORS = (PySparkException, Py4JError, pa.ArrowException, ConnectionError)
"""All that comes out of a call to Spark that has failed."""

_LONGEST, _LONGEST_LINE, _MOST_LINES = 300, 2_000, 2_000
_GONE = re.compile(r"FileNotFoundException: (?:File )?(?P<file>\S+) does not exist|FILE_NOT_EXIST.*?(?P<path>\S+:/\S+)")
_UNREADABLE = re.compile(r"(?:while reading file|Could not read footer for file:?) (?P<file>\S+?)\.? ")
_DENIED = re.compile(r"(?<!\S)(?P<file>\S+) \((?P<why>Permission denied|Is a directory|No such file or directory)\)")
_FULL = re.compile(r"No space left on device|Disk quota exceeded|File too large")
_DRIVER = re.compile(r"SQLException: No suitable driver|ClassNotFoundException: \S*(?:[Dd]river|jdbc)\S*")
_FRAME = re.compile(
    r"^\[STREAM_FAILED\].*?terminated with exception: |(?<=\S) SQLSTATE: \w+(?=$|;)"
    r"|^An error occurred while calling .*$",
    re.MULTILINE,
)
_CLASS = re.compile(r"^(?:: )?(?:Caused by: )?(?:(?:[\w$]+\.)+[\w$]+(?:Exception|Error|Throwable)(?:: |$))+")
_STACK = re.compile(r"^\s*(?:at [\w$.]+[/(].*|\.\.\. \d+ more|== .* ==|JVM stacktrace:|Driver stacktrace:)")
_CONDITION = re.compile(r"\[[A-Z][A-Z_0-9]+(?:\.[A-Z_0-9]+)*\] (?P<text>[^\n]+)")
_POSITION = re.compile(r"\(?line (?P<line>\d+), pos (?P<column>\d+)\)?")
_IS_GONE = re.compile(
    r"Answer from Java side is empty|Error while (?:sending|receiving|sending or receiving)|network error has occurred"
    r"|Connection refused|Connection reset|Broken pipe.*py4j|cannot connect to the Java server",
    re.IGNORECASE,
)
_STOPPED = ("stopped SparkContext", "SparkContext was shut down", "SparkContext has been shut down")


def explained(error: BaseException | str) -> str:
    """What went wrong, in one line out of the pages that Spark writes."""
    message = _FRAME.sub("", _shortened(str(error)))
    if found := _GONE.search(message):
        return f"the file {(found['file'] or found['path']).rstrip('.')} is gone"
    if found := _DENIED.search(message):
        return f"the file {found['file']} cannot be read: {found['why']}"
    if found := _FULL.search(message):
        return f"the disk is full: {found.group()}" if "space" in found.group() else found.group()
    if _DRIVER.search(message):
        return "there is no JDBC driver for it: its jar is not on Spark's class path (spark.jars)"
    causes = [_CLASS.sub("", line.strip()) for line in message.splitlines() if line.strip().startswith("Caused by: ")]
    cause = next((cause for cause in reversed(causes) if cause), "")[:_LONGEST]
    if found := _UNREADABLE.search(message):
        return f"the file {found['file']} cannot be read" + (f": {cause}" if cause else "")
    if found := _CONDITION.search(message):
        return found["text"][:_LONGEST].strip()
    return cause or _first_line(message) or _kind(error)


def _shortened(message: str) -> str:
    """What is looked at of a message: Spark repeats in it a value that it could not read, however long that is."""
    return "\n".join(line[:_LONGEST_LINE] for line in message.splitlines()[:_MOST_LINES])


def place_of(error: BaseException | str, text: str, within: Place | None) -> Place | None:
    """Where in a statement Spark has found a mistake; all of the statement, if it does not say."""
    found = _POSITION.search(_shortened(str(error)))
    if found is None or within is None:
        return within
    lines = text.splitlines(keepends=True)
    line, column = int(found["line"]), int(found["column"])
    if line > len(lines):
        return within
    start = sum(map(len, lines[: line - 1])) + min(column, len(lines[line - 1]))
    word = re.match(r"[\w.]+|`[^`]*`|\S?", text[start:])
    begin = within.start + start
    return Place(within.text, begin, begin + max(1, len(word.group()) if word else 1), within.file)


def is_gone(error: BaseException | None) -> bool:
    """Has Spark's process died, or was Spark stopped by somebody else?"""
    while error is not None:
        if isinstance(error, Py4JNetworkError | ConnectionError | EngineLostError):
            return True
        told = str(error)
        if isinstance(error, Py4JError) and _IS_GONE.search(told.partition("\n")[0]):
            return True
        if isinstance(error, SPARK_ERRORS) and any(words in told for words in _STOPPED):
            return True
        error = error.__cause__
    return False


def lost() -> EngineLostError:
    """Spark is gone, and with it the run."""
    return EngineLostError(
        "Spark has died: its Java process is gone",
        hint="was it killed, or out of memory? Run again: with a checkpoint it goes on where it was",
    )


@contextmanager
def told(kind: type[DataCellError], what: str, place: Place | None = None, hint: str | None = None) -> Iterator[None]:
    """A failure of Spark in here is one error of ours: what could not be done, and why."""
    try:
        yield
    except SPARK_ERRORS as error:
        if is_gone(error):
            raise lost() from error
        raise kind(f"{what}: {explained(error)}", place=place, hint=hint) from error


@contextmanager
def never_javas_own() -> Iterator[None]:
    """Whatever Spark raises in here is an error of ours."""
    with told(EngineError, "Spark has failed"):
        yield


def _first_line(message: str) -> str:
    lines = (_CLASS.sub("", line.strip()) for line in message.splitlines() if not _STACK.match(line))
    return next((line for line in lines if line.strip(": ")), "")[:_LONGEST]


def _kind(error: BaseException | str) -> str:
    """Of an error that says nothing at least what it is."""
    java = re.search(r"(?:[\w$]+\.)+([\w$]+(?:Exception|Error|Throwable))", str(error))
    if java is not None:
        return java[1]
    return "no reason given" if isinstance(error, str) else type(error).__name__
