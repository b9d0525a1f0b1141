"""What a running cell takes of its machine: memory, descriptors, threads, the checkpoint; and whether that grows."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from pathlib import Path

import numpy as np
import psutil

UNKNOWN = float("nan")
_MEGABYTE = 1 << 20
_PATIENCE = 60.0
"""Seconds that Java has for a collection."""


@dataclass(frozen=True)
class Vitals:
    """At one moment of a run."""

    minute: float
    python_mb: float
    """Resident memory."""
    java_mb: float
    heap_mb: float
    """Java's heap right after a full collection."""
    descriptors: float
    threads: float
    files: float
    """Of the checkpoint."""
    checkpoint_mb: float
    p50_ms: float
    """From a row to the answer that it makes due, since the last look."""
    p99_ms: float


NAMES = tuple(field.name for field in fields(Vitals))


def look(minute: float, checkpoint: Path, milliseconds: Sequence[float]) -> Vitals:
    """How a cell in this process does; `milliseconds` are the latencies since the last look."""
    python, java = psutil.Process(), _java()
    processes = [python, *([java] if java else [])]
    heap = UNKNOWN if java is None else heap_after_collection(java.pid)
    count, size = _extent(checkpoint)
    p50, p99 = np.percentile(milliseconds, [50, 99]) if len(milliseconds) else (UNKNOWN, UNKNOWN)
    return Vitals(
        minute,
        python.memory_info().rss / _MEGABYTE,
        java.memory_info().rss / _MEGABYTE if java else UNKNOWN,
        heap,
        sum(process.num_fds() for process in processes),
        sum(process.num_threads() for process in processes),
        count,
        size / _MEGABYTE,
        float(p50),
        float(p99),
    )


def slopes(seen: Sequence[Vitals], skipped: float) -> dict[str, float]:
    """By how much each figure grows in an hour: the median of the slopes between any two looks.

    The first minutes do not count, neither does a single leap, such as memory that a process takes once and keeps.
    """
    counted = [one for one in seen if one.minute >= skipped]
    hours = [one.minute / 60 for one in counted]
    return {f"{name}_per_hour": _slope(hours, [getattr(one, name) for one in counted]) for name in NAMES[1:]}


def heap_after_collection(pid: int) -> float:
    """Megabytes of a Java's objects that are reachable; its own tool counts them after a full collection."""
    tool = Path(os.environ.get("JAVA_HOME", "")) / "bin" / "jcmd"
    try:
        said = _said(tool, str(pid), "GC.class_histogram")
    except (OSError, subprocess.SubprocessError):
        return UNKNOWN
    total = re.search(r"^Total +\d+ +(\d+)", said, re.MULTILINE)
    return UNKNOWN if total is None else int(total[1]) / _MEGABYTE


def _said(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=True).stdout


def _java() -> psutil.Process | None:
    """The Java that this process has started."""
    children = psutil.Process().children(recursive=True)
    return next((child for child in children if child.name() == "java"), None)


def _extent(directory: Path) -> tuple[int, int]:
    """Files in a directory, and their bytes; some leave meanwhile."""
    count, size = 0, 0
    for root, _, names in os.walk(directory):
        for name in names:
            try:
                size += (Path(root) / name).stat().st_size
                count += 1
            except FileNotFoundError:
                continue
    return count, size


def _slope(hours: Sequence[float], values: Sequence[float]) -> float:
    known = [(x, y) for x, y in zip(hours, values, strict=True) if not np.isnan(y)]
    if len(known) < 2:
        return UNKNOWN
    return float(np.median([(later - value) / (x - hour) for (hour, value), (x, later) in combinations(known, 2)]))
