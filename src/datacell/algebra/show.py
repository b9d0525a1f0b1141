"""Plans as text, JSON and Mermaid. The text is stable: tests, EXPLAIN and a dashboard read the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from datacell.algebra.plan import Plan


def text(plan: Plan) -> str:
    """One line per operator, inputs indented below."""
    return "\n".join(_lines(plan, 0))


def json(plan: Plan) -> dict[str, Any]:
    """A tree of plain values."""
    return {
        "operator": type(plan).__name__,
        "text": plan.head(),
        "columns": [{"name": f.name, "type": str(f.type)} for f in plan.schema],
        "inputs": [json(child) for child in plan.children],
    }


def mermaid_lines(plan: Plan, prefix: str) -> list[str]:
    """The nodes and edges of a flowchart, sources at the bottom and rows flowing up; `prefix` keeps names apart."""
    lines: list[str] = []
    _flow(plan, lines, prefix, count())
    return lines


def _lines(plan: Plan, depth: int) -> list[str]:
    return ["  " * depth + plan.head(), *(line for child in plan.children for line in _lines(child, depth + 1))]


def _flow(plan: Plan, lines: list[str], prefix: str, numbers: Iterator[int]) -> str:
    name = f"{prefix}{next(numbers)}"
    label = plan.head().replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
    lines.append(f'    {name}["{label}"]')
    for child in plan.children:
        below = _flow(child, lines, prefix, numbers)
        lines.append(f"    {below} --> {name}")
    return name
