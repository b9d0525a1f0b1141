"""Plans as text, JSON and Mermaid. The text is stable: tests, EXPLAIN and a dashboard read the same."""

from __future__ import annotations

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


def mermaid(plan: Plan) -> str:
    """A flowchart, sources at the bottom and rows flowing up."""
    lines = ["flowchart BT"]
    _flow(plan, lines, [0])
    return "\n".join(lines)


def _lines(plan: Plan, depth: int) -> list[str]:
    return ["  " * depth + plan.head(), *(line for child in plan.children for line in _lines(child, depth + 1))]


def _flow(plan: Plan, lines: list[str], counter: list[int]) -> str:
    name = f"n{counter[0]}"
    counter[0] += 1
    label = plan.head().replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
    lines.append(f'    {name}["{label}"]')
    for child in plan.children:
        below = _flow(child, lines, counter)
        lines.append(f"    {below} --> {name}")
    return name
