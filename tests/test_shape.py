"""Files, functions and classes stay of a size that a reader can hold in the head; packages say what lives in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
LONGEST_FILE = 400
LONGEST_FUNCTION = 50
MOST_METHODS = 16
"""About fifteen are what a class with one purpose needs; one more is for the constructor."""

Parsed = dict[str, ast.Module]
Function = ast.FunctionDef | ast.AsyncFunctionDef


def parsed(*folders: str) -> Parsed:
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def too_large(files: Parsed) -> Iterator[str]:
    for path, tree in files.items():
        for node in ast.walk(tree):
            if isinstance(node, Function) and (lines := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION:
                yield f"{path}: {node.name} has {lines} lines"
            if isinstance(node, ast.ClassDef):
                methods = [n for n in node.body if isinstance(n, Function)]
                if len(methods) > MOST_METHODS:
                    yield f"{path}: {node.name} has {len(methods)} methods"


def test_no_file_is_too_long() -> None:
    lines = {path: len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in parsed("src", "tests")}
    assert not {path: count for path, count in lines.items() if count > LONGEST_FILE}


def test_no_function_is_too_long_and_no_class_has_too_many_methods() -> None:
    assert not list(too_large(parsed("src", "tests")))


def test_a_public_name_says_something_or_is_explained() -> None:
    bodies = [(path, node) for path, tree in parsed("src").items() for node in tree.body]
    public = [(p, n) for p, n in bodies if isinstance(n, Function | ast.ClassDef) and not n.name.startswith("_")]
    assert not [f"{p}: {n.name}" for p, n in public if len(n.name) == 1 and ast.get_docstring(n) is None]


def test_a_package_says_what_lives_in_it() -> None:
    packages = {path: tree for path, tree in parsed("src").items() if path.endswith("__init__.py")}
    assert not [path for path, tree in packages.items() if not ast.get_docstring(tree)]
