"""What DataCell needs to run, looked at one by one: what is wrong and how to fix it.

An engine is imported only when it is looked at: so the doctor can say which import fails, and no one else waits for it.
"""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from datacell.algebra.plan import Map, Values
from datacell.algebra.schema import Field
from datacell.algebra.types import INT

GIGABYTE = 1 << 30
LEAST_DISK, LEAST_MEMORY = 2 * GIGABYTE, 2 * GIGABYTE
"""Spark's driver takes a gigabyte of memory by default; checkpoints and shuffles want room on the disk."""


@dataclass(frozen=True)
class Finding:
    """One thing looked at: what was found, and how to fix it if it is not well."""

    what: str
    found: str
    fix: str | None = None


@dataclass(frozen=True)
class Kind:
    """An engine as the doctor knows it before it is imported."""

    name: str
    package: str
    module: str
    start: str
    fix: str


SPARK = Kind(
    "Spark",
    "pyspark",
    "datacell.engines.spark",
    "SparkEngine",
    "run `java -version`, and set JAVA_HOME to a Java 17 or 21",
)
DUCKDB = Kind(
    "DuckDB",
    "duckdb",
    "datacell.engines.duckdb",
    "DuckDBEngine",
    "pip install --force-reinstall 'duckdb>=1.5,<2'",
)


def findings() -> Iterator[Finding]:
    """Everything the doctor looks at, in order; each is looked at when it is asked for."""
    yield _python()
    java = _java()
    yield java
    if java.fix is None:
        yield _runs(SPARK)
    else:
        yield Finding("Spark", f"{_version(SPARK)}, not tried without Java", "fix Java first")
    yield _runs(DUCKDB)
    yield _disk(Path.cwd())
    yield _memory()


def _python() -> Finding:
    fix = None if sys.version_info >= (3, 11) else "install Python 3.11 or later"
    return Finding("Python", platform.python_version(), fix)


def _java() -> Finding:
    java = import_module("datacell.engines.java")
    found = java.look()
    return Finding("Java", found.found, java.INSTALL if found.problem else None)


def _runs(kind: Kind) -> Finding:
    """Whatever an engine raises, from its import on, is a finding."""
    one = Values((Field("one", INT),), ())
    try:
        engine = getattr(import_module(kind.module), kind.start)()
        engine.run(Map(one, one.schema.passing()), {})
        engine.close()
    except Exception as error:
        return Finding(kind.name, f"{_version(kind)}, but it does not run: {error}", kind.fix)
    return Finding(kind.name, f"{_version(kind)}, runs")


def _version(kind: Kind) -> str:
    try:
        return version(kind.package)
    except PackageNotFoundError:
        return "not installed"


def _disk(path: Path) -> Finding:
    free = shutil.disk_usage(path).free
    fix = None if free >= LEAST_DISK else f"free some space, or keep the checkpoint on another disk than {path}"
    return Finding("Disk", f"{free / GIGABYTE:.1f} GB free", fix)


def _memory() -> Finding:
    available: int = import_module("psutil").virtual_memory().available
    fix = None if available >= LEAST_MEMORY else "close other programs: Spark needs about 2 GB"
    return Finding("Memory", f"{available / GIGABYTE:.1f} GB available", fix)
