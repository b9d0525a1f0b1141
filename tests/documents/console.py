"""Blocks of commands: each is run in a shell, and what is shown below it is what it says.

A line with nothing but ``…`` stands for any lines. A command succeeds, unless it shows an error; then it fails.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from datacell.tools.standalone import spark_home

_PROMPT = "$ "
_OMITTED = "…"
_LONGEST = 180
"""Seconds after which a command is taken to hang."""

_OF_JAVA = re.compile(r"^(WARNING: Using incubator modules: |Picked up \w+_OPTIONS: ).*\n", re.MULTILINE)
"""What a Java says of itself when it starts, before Spark or we have a word: it differs from machine to machine."""


@dataclass(frozen=True)
class Command:
    """A command and the lines that are shown below it."""

    text: str
    shown: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join((f"{_PROMPT}{self.text}", *self.shown))


def install(directory: Path) -> None:
    """Put this `datacell`, `python` and `spark-submit` where the documents have them after `make setup`."""
    submit = f'PYSPARK_PYTHON="{sys.executable}" exec "{spark_home() / "bin" / "spark-submit"}"'
    python = f'exec "{sys.executable}"'
    programs = {"datacell": f"{python} -m datacell", "python": python, "spark-submit": submit}
    for name, program in programs.items():
        script = directory / ".venv" / "bin" / name
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(f'#!/bin/sh\n{program} "$@"\n', encoding="utf-8")
        script.chmod(0o755)


def renewed(lines: Sequence[str], directory: Path) -> tuple[str, ...]:
    """A block with what its commands say now."""
    return tuple("\n".join(str(_run(command, directory)) for command in commands(lines)).splitlines())


def commands(lines: Sequence[str]) -> Iterator[Command]:
    assert lines[0].startswith(_PROMPT), f"a console block begins with a command: {lines[0]}"
    starts = [place for place, line in enumerate(lines) if line.startswith(_PROMPT)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield Command(lines[start].removeprefix(_PROMPT), tuple(lines[start + 1 : end]))


def execute(command: str, directory: Path) -> tuple[int, str]:
    """How a command ends, and what it says on either channel."""
    done = subprocess.run(
        command,
        shell=True,
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_LONGEST,
        check=False,
    )
    return done.returncode, _OF_JAVA.sub("", done.stdout.decode("utf-8"))


def agree(shown: Sequence[str], said: Sequence[str]) -> bool:
    """Are these lines shown by those, where lines may be omitted?"""
    pattern = "".join(r"(?:.*\n)*" if line == _OMITTED else re.escape(line) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in said)) is not None


def _run(command: Command, directory: Path) -> Command:
    code, said = execute(command.text, directory)
    fails = any(line.startswith("error: ") for line in command.shown)
    assert (code != 0) == fails, f"`{command.text}` ends with {code}:\n{said}"
    lines = tuple(said.splitlines())
    return command if agree(command.shown, lines) else Command(command.text, lines)
