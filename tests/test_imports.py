"""Import directions are an invariant: a room of the package knows only the rooms that are named here for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "datacell"

SQL = {"sql", "sql.text", "sql.functions", "sql.types", "sql.bind", "sql.statements"}
STAGES = {"algebra", "rewrite", "incremental", "intervals", "placement"}
BELOW_NET = {"runtime", "runtime.plans", "runtime.storage", "runtime.streams", "runtime.windows", "runtime.instants"}
RUNTIME = BELOW_NET | {"runtime.net"}
WHAT_RUNS = {"algebra", "engines", "errors"}
ANSWERS = WHAT_RUNS | {"compile", "runtime", "runtime.plans", "runtime.storage", "runtime.streams"}

ALLOWED: dict[str, set[str]] = {
    "plain_text": set(),
    "errors": {"plain_text"},
    "sockets": {"errors"},
    "algebra": {"errors"},
    # from text to algebra
    "sql.text": {"algebra", "errors"},
    "sql.types": {"algebra", "errors"},
    "sql.functions": {"sql.types", "algebra", "errors"},
    "sql.bind": {"sql", "sql.text", "sql.functions", "sql.types", "algebra", "errors"},
    "sql.statements": SQL | {"algebra", "errors"},
    "sql": SQL | {"algebra", "errors"},
    # from algebra to a placed plan
    "rewrite": {"algebra", "errors"},
    "incremental": {"algebra", "errors"},
    "intervals": {"algebra", "errors"},
    "placement": {"algebra", "incremental", "intervals", "errors"},
    "engines": {"algebra", "errors"},
    "compile": STAGES | SQL | {"engines", "errors"},
    # the net
    "runtime": WHAT_RUNS | {"compile", "incremental", "runtime.plans", "runtime.storage", "runtime.streams"},
    "runtime.storage": WHAT_RUNS,
    "runtime.plans": WHAT_RUNS | {"placement", "incremental", "runtime.storage"},
    "runtime.streams": WHAT_RUNS | {"incremental", "runtime", "runtime.storage"},
    "runtime.windows": ANSWERS | {"incremental"},
    "runtime.instants": ANSWERS | {"intervals", "incremental"},
    "runtime.net": WHAT_RUNS | BELOW_NET | {"compile"},
    # its edges
    "receptors": WHAT_RUNS | {"incremental", "sql.text", "runtime.storage", "runtime.streams", "emitters", "sockets"},
    "emitters": WHAT_RUNS | {"plain_text", "runtime.storage", "sockets"},
    # its face
    "cell": STAGES | SQL | RUNTIME | {"engines", "compile", "receptors", "emitters", "errors"},
    "testing": STAGES | SQL | RUNTIME | {"engines", "compile", "receptors", "errors"},
    "tools": STAGES | SQL | {"engines", "emitters", "errors"},
    "bench": STAGES | SQL | RUNTIME | {"engines", "compile", "cell", "testing", "tools", "errors"},
    "cli": {"plain_text", "compile", "cell", "engines", "placement", "tools", "bench", "errors"},
    "__main__": {"cli"},
    "__init__": {"cell"},
}
"""For each room of the package, the rooms it may import."""

MODULES = sorted(ROOT.rglob("*.py"))


def room(module: str) -> str:
    """The most particular room that a module, given by its path with dots, is in."""
    parts = module.split(".")
    return next(".".join(parts[:n]) for n in range(len(parts), 0, -1) if n == 1 or ".".join(parts[:n]) in ALLOWED)


def own(path: Path) -> str:
    return room(".".join(path.relative_to(ROOT).with_suffix("").parts))


def imported(path: Path) -> Iterator[str]:
    """The rooms of this package that a module imports, wherever in the module it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"{node.module}.{a.name}" for a in node.names]
        yield from (room(name.removeprefix("datacell.")) for name in names if name.startswith("datacell."))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_module_imports_only_what_its_room_may(path: Path) -> None:
    here = own(path)
    assert here in ALLOWED, f"say in ALLOWED what {here} may import"
    wrong = set(imported(path)) - ALLOWED[here] - {here}
    assert not wrong, f"{here} must not import {', '.join(sorted(wrong))}"


def test_no_module_is_called_by_a_name_that_says_nothing() -> None:
    hollow = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "handler", "base"}
    assert not [p for p in MODULES if p.stem in hollow]


def test_engines_are_named_only_where_they_belong() -> None:
    """No `if engine == "spark"` outside the engines."""
    for path in MODULES:
        if own(path) != "engines" and path.stem != "doctor":
            text = path.read_text(encoding="utf-8")
            assert '== "spark"' not in text, path
            assert '== "duckdb"' not in text, path
