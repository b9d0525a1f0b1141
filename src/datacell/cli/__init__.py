"""The command line. Whatever happens, a user gets one message and an exit code, and never a traceback.

0 is success, also of a run without `--once` that was told to stop; 1 is a negative finding; 2 is a mistake, or
something that failed; 130 is an interruption before the work was done.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

import psutil

from datacell.errors import DataCellError, EngineLostError
from datacell.plain_text import harmless, without_secrets

INTERRUPTED, FAILED = 130, 2
_TRACEBACK = "DATACELL_TRACEBACK"


def main() -> None:
    """The entry point of the `datacell` command. What it needs is imported inside, so that Ctrl-C is no error then."""
    try:
        with _quietly():
            from datacell.cli.app import app

            app(prog_name="datacell")
    except KeyboardInterrupt:
        leave(INTERRUPTED)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            leave(INTERRUPTED)
        raise
    except EngineLostError as error:
        _say(error)
        leave(FAILED)
    except DataCellError as error:
        _say(error)
        sys.exit(FAILED)
    except Exception as error:
        _say(_unforeseen(error))
        sys.exit(FAILED)


def leave(code: int) -> NoReturn:
    """End at once: what is half done, or gone, is not asked to end in order. What it has started ends, too."""
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            child.terminate()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _say(error: DataCellError) -> None:
    if os.environ.get(_TRACEBACK):
        traceback.print_exception(error)
    print(f"error: {error}", file=sys.stderr)


def _unforeseen(error: Exception) -> DataCellError:
    """A defect of ours, or something that nobody thought of: still one message."""
    told = next((line.strip() for line in str(error).splitlines() if line.strip()), "no reason given")
    message = f"this should not have happened: {type(error).__name__}: {harmless(without_secrets(told))[:500]}"
    found = DataCellError(message, hint=f"please report it, with what {_TRACEBACK}=1 in the environment adds")
    found.__cause__ = error
    return found


@contextmanager
def _quietly() -> Iterator[None]:
    """What fails in threads, or while objects are removed, is told by who waits for it, not by Python in pages."""
    before, root = (threading.excepthook, sys.unraisablehook), logging.getLogger()
    if not os.environ.get(_TRACEBACK):
        threading.excepthook = sys.unraisablehook = _ignore
        root.addFilter(_is_not_py4js)
    if not root.handlers and logging.lastResort is not None:
        root.addHandler(logging.lastResort)  # else what py4j says would set up the log, in another form
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook = before
        root.removeFilter(_is_not_py4js)


def _ignore(_: object) -> None:
    pass


def _is_not_py4js(record: logging.LogRecord) -> bool:
    """py4j tells the log, with its stack, that it was interrupted."""
    return "py4j" not in record.pathname
