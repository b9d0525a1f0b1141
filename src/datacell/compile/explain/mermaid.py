"""EXPLAIN as a Mermaid flowchart: rows flow up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from datacell.algebra import show, tree
from datacell.algebra.plan import Plan
from datacell.algebra.query import Timing
from datacell.compile.explain import text
from datacell.compile.explain.subject import Explained
from datacell.compile.physical import Physical
from datacell.incremental import show as words
from datacell.incremental.relations import Latest, Shown
from datacell.sql.statements.statement import Stage


def shown(found: Iterable[Explained]) -> str:
    lines = ["flowchart BT"]
    for number, explained in enumerate(found):
        lines.append(f'  subgraph q{number}["{show.mermaid_label(explained.name)}"]')
        lines += _plan(explained, f"q{number}")
        lines.append("  end")
    return "\n".join(lines)


def _plan(explained: Explained, query: str) -> Iterable[str]:
    match explained.stage:
        case Stage.INCREMENTAL:
            return _incremental(explained, query)
        case Stage.PHYSICAL:
            return _physical(explained.physical, query)
    return show.mermaid_lines(explained.query.plan, f"{query}n")


def _incremental(explained: Explained, query: str) -> Iterator[str]:
    notes = explained.notes()
    for number, relation in enumerate(explained.relations):
        title = words.relation(number, relation, explained.query.timing is Timing.ARRIVALS)
        yield f'    subgraph {query}r{number}["{show.mermaid_label(title)}"]'
        yield from (f"  {line}" for line in show.mermaid_lines(relation.work, f"{query}r{number}n", notes))
        yield "    end"
        yield from _reading(relation.work, f"{query}r{number}n", query)
    yield from show.mermaid_lines(explained.rest, f"{query}n", notes)
    yield from _reading(explained.rest, f"{query}n", query)


def _reading(plan: Plan, prefix: str, query: str) -> Iterator[str]:
    """From the relations to the leaves that read them."""
    for number, node in enumerate(tree.descendants(plan)):
        if isinstance(node, Shown | Latest):
            yield f"    {query}r{node.relation}n0 --> {prefix}{number}"


def _physical(plan: Physical, query: str) -> Iterator[str]:
    for number, kept in enumerate(plan.kept):
        yield f'    {query}k{number}[("{show.mermaid_label(f"{kept.name}: {kept.why}")}")]'
    for number, taken in enumerate(plan.intakes):
        label = f"intake of {taken.stream}: {taken.why}", text.intake(taken, plan.units)
        yield f'    {query}i{number}["{"<br/>".join(map(show.mermaid_label, label))}"] --> {query}p0'
    for number, placed in enumerate(plan.parts):
        title = f"{placed.part.name}, cost {placed.best.cost}"
        yield f'    subgraph {query}p{number}["{show.mermaid_label(title)}"]'
        shown, notes = text.noted(placed, plan.units)
        yield from (f"  {line}" for line in show.mermaid_lines(shown, f"{query}p{number}n", notes))
        yield "    end"
    for one, other in pairwise(range(len(plan.parts))):
        yield f"    {query}p{one} --> {query}p{other}"
