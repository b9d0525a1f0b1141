"""Each line of docs/security.md that says what is done has a test that it names."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_what_is_done_is_tested() -> None:
    lines = (ROOT / "docs" / "security.md").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("|")][2:]
    assert len(rows) > 15
    for row in rows:
        path, _, name = row.split("|")[3].strip().strip("`").partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert name in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)], row
