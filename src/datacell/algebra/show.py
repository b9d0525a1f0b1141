"""Plans as text, JSON and Mermaid. The text is stable: tests, EXPLAIN and a dashboard read the same.

A later stage may have notes about an operator, which stand below its line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

from datacell.algebra.plan import Plan

Notes = Callable[[Plan], Mapping[str, Any]]


def no_notes(_: Plan) -> Mapping[str, Any]:
    return {}


def text(plan: Plan, notes: Notes = no_notes) -> str:
    """One line per operator, inputs indented below."""
    return "\n".join(_lines(plan, 0, notes))


def json(plan: Plan, notes: Notes = no_notes) -> dict[str, Any]:
    """A tree of plain values."""
    return {
        "operator": type(plan).__name__,
        "text": plan.head(),
        **notes(plan),
        "columns": [{"name": f.name, "type": str(f.type)} for f in plan.schema],
        "inputs": [json(child, notes) for child in plan.children],
    }


def mermaid_lines(plan: Plan, prefix: str, notes: Notes = no_notes) -> list[str]:
    """The nodes and edges of a flowchart, sources at the bottom and rows flowing up; `prefix` keeps names apart.

    Nodes are numbered parents first: the topmost is 0.
    """
    lines: list[str] = []
    _flow(plan, lines, prefix, count(), notes)
    return lines


def mermaid_label(text: str) -> str:
    """Text that cannot end its label."""
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def _lines(plan: Plan, depth: int, notes: Notes) -> list[str]:
    own = [plan.head(), *(f"  {line}" for line in _notes(plan, notes))]
    return [
        *("  " * depth + line for line in own),
        *(line for child in plan.children for line in _lines(child, depth + 1, notes)),
    ]


def _notes(plan: Plan, notes: Notes) -> Iterator[str]:
    return (f"{about}: {said}" for about, said in notes(plan).items())


def _flow(plan: Plan, lines: list[str], prefix: str, numbers: Iterator[int], notes: Notes) -> str:
    name = f"{prefix}{next(numbers)}"
    label = "<br/>".join(map(mermaid_label, (plan.head(), *_notes(plan, notes))))
    lines.append(f'    {name}["{label}"]')
    for child in plan.children:
        below = _flow(child, lines, prefix, numbers, notes)
        lines.append(f"    {below} --> {name}")
    return name
