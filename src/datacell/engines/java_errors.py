"""The standard error of the Java process, without what Java says at every start.

Spark's launcher gives Java a module that is still incubating, and Java says so before any option or logger of ours is
read. So the process is started with a pipe as its standard error, and a thread passes on, line by line, all but such a
greeting. Nothing is kept back: why a process could not start, or what Spark reports as an error later, is shown as it
comes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

GREETINGS = (b"WARNING: Using incubator modules: ",)
_STDERR = 2
_LAST_WORDS = 2.0
"""Seconds in which a process that could not start has said why."""


@contextmanager
def without_greetings() -> Iterator[None]:
    """A process that is started meanwhile has its standard error passed on without greetings for as long as it lives.

    What this process itself writes meanwhile takes the same way.
    """
    if sys.__stderr__ is None:
        yield
        return
    reading, writing = os.pipe()
    passing = Thread(target=_pass_on, args=(reading, os.dup(_STDERR)), name="errors of java", daemon=True)
    passing.start()
    sys.__stderr__.flush()
    try:
        with _as_standard_error(writing):
            yield
    except BaseException:
        passing.join(_LAST_WORDS)
        raise


@contextmanager
def _as_standard_error(writing: int) -> Iterator[None]:
    before = os.dup(_STDERR)
    os.dup2(writing, _STDERR)
    os.close(writing)
    try:
        yield
    finally:
        os.dup2(before, _STDERR)
        os.close(before)


def _pass_on(reading: int, to: int) -> None:
    """Until the process ends, or until nobody reads any more."""
    with open(reading, "rb") as lines, open(to, "wb", buffering=0) as shown, suppress(BrokenPipeError):
        for line in lines:
            if not line.startswith(GREETINGS):
                shown.write(line)
