"""The Java that Spark needs: where it is, which it is, and what is wrong with it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

KNOWN = ("17", "21")
INSTALL = "install a Java 17 or 21 (Debian: apt-get install openjdk-17-jre-headless), or set JAVA_HOME to it"
_LONGEST_LOOK = 30.0
"""Seconds in which a Java must have told its version."""


@dataclass(frozen=True)
class Java:
    """What was found; `problem` if it is none that Spark runs on."""

    found: str
    problem: bool = False


def look() -> Java:
    """The Java that Spark will take, by the same rules: that of JAVA_HOME, else the first one on the PATH."""
    home = os.environ.get("JAVA_HOME")
    command = Path(home) / "bin" / "java" if home else Path(shutil.which("java") or "")
    if not command.is_file() or not os.access(command, os.X_OK):
        return Java(
            f"JAVA_HOME is {home}, which has no bin/java" if home else "there is no java on the PATH", problem=True
        )
    version = _released(command) or _told(command)
    if version is None:
        return Java(f"{command} does not tell its version", problem=True)
    return Java(f"{version} at {command}", problem=version not in KNOWN)


def _released(command: Path) -> str | None:
    """What a file beside it says; a Java need not be started for that."""
    try:
        text = (command.resolve().parent.parent / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return _major(re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', text, re.MULTILINE))


def _told(command: Path) -> str | None:
    try:
        done = subprocess.run(
            [str(command), "-version"], capture_output=True, text=True, check=False, timeout=_LONGEST_LOOK
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return _major(re.search(r'version "(?:1\.)?(\d+)', done.stderr))


def _major(found: re.Match[str] | None) -> str | None:
    return None if found is None else found[1]
