"""Import directions are an invariant: folders are pipeline stages, and a stage knows only what comes before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "datacell"

STAGES = {"algebra", "sql", "rewrite", "incremental", "intervals", "placement", "engines", "errors"}
EDGES = {"receptors", "emitters"}
FACE = {
    "cell",
    "deliveries",
    "describing",
    "running_query",
    "intake",
    "tables",
    "listing",
    "result",
    "explain",
    "physical",
    "calibration",
}

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "algebra": {"errors"},
    "sql": {"algebra", "errors"},
    "rewrite": {"algebra", "errors"},
    "incremental": {"algebra", "errors"},
    "intervals": {"algebra", "errors"},
    "placement": {"algebra", "incremental", "errors"},
    "engines": {"algebra", "errors"},
    "runtime": STAGES - {"rewrite"},
    "receptors": {"algebra", "sql", "engines", "runtime", "emitters", "errors"},
    "emitters": {"algebra", "sql", "engines", "runtime", "errors"},
    **dict.fromkeys(FACE, STAGES | EDGES | FACE | {"runtime"}),
    "tools": {"emitters", "errors"},
    "doctor": {"algebra", "engines", "errors"},
    "bench": STAGES | FACE | {"runtime", "tools"},
    "cli": FACE | {"doctor", "engines", "placement", "tools", "errors"},
    "__main__": {"cli"},
    "__init__": {"cell", "running_query", "result"},
}
"""For each part of the package, the parts it may import."""

MODULES = sorted(ROOT.rglob("*.py"))


def part(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """The parts of this package that a module imports, wherever in the module it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            names = [f"{module}.{a.name}" for a in node.names] if module == "datacell" else [module]
        yield from (name.split(".")[1] for name in names if name.startswith("datacell."))


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_module_imports_only_what_its_part_may(path: Path) -> None:
    own = part(path)
    assert own in ALLOWED, f"say in ALLOWED what {own} may import"
    wrong = set(imported(path)) - ALLOWED[own] - {own}
    assert not wrong, f"{own} must not import {', '.join(sorted(wrong))}"


def test_no_module_is_called_by_a_name_that_says_nothing() -> None:
    hollow = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "handler", "base"}
    assert not [p for p in MODULES if p.stem in hollow]


def test_engines_are_named_only_where_they_belong() -> None:
    """No `if engine == "spark"` outside the engines."""
    for path in MODULES:
        if part(path) not in ("engines", "doctor"):
            text = path.read_text(encoding="utf-8")
            assert '== "spark"' not in text, path
            assert '== "duckdb"' not in text, path
