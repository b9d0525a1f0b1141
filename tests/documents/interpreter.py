"""A Python of its own for the Python blocks of a document: they share names, as they do for a reader who types them.

Run as a script it is the other process: it takes programs from its input, each as a line of JSON, and answers what each
has printed. A program that raises ends it.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self


class Interpreter:
    """Runs programs in a directory, one after the other."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._process: subprocess.Popen[str] | None = None

    def run(self, program: str) -> str:
        """What a program prints."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(program) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        assert answer, f"this has raised, see below:\n{program}"
        return str(json.loads(answer))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            self._process.communicate(timeout=60)

    def _started(self) -> subprocess.Popen[str]:
        """Only a document with Python in it needs one."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(Path(__file__))],
                cwd=self.directory,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
        return self._process


def _serve() -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for line in sys.stdin:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            exec(compile(json.loads(line), "<a block>", "exec"), names)
        sys.stdout.write(json.dumps(printed.getvalue()) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
