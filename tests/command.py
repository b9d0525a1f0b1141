"""The command line, run in this process."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import NamedTuple
from unittest import mock

from datacell.cli import main


class Outcome(NamedTuple):
    """How a command ended and what it said."""

    code: int
    stdout: str
    stderr: str


def run(*arguments: str) -> Outcome:
    """`datacell` with these arguments."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with (
        mock.patch.object(sys, "argv", ["datacell", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
    assert isinstance(code, int)
    return Outcome(code, out.getvalue(), err.getvalue())
