"""EXPLAIN: the plans of a script, stage by stage, as text, JSON or Mermaid."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from datacell.algebra import show
from datacell.algebra.query import Emission, Query, Timing
from datacell.algebra.schema import Schema
from datacell.errors import SqlError
from datacell.rewrite.rules import optimized
from datacell.sql import script
from datacell.sql.statements import CreateQuery, Explain, InsertInto, Placed, Select
from datacell.sql.statements import Stage as Stage


class Format(Enum):
    TEXT = "text"
    JSON = "json"
    MERMAID = "mermaid"


@dataclass(frozen=True)
class Explained:
    """A query of a script at a stage: its name, or the line where it stands, and its plan."""

    name: str
    line: int
    stage: Stage
    query: Query
    columns: Schema


_TIMING = {
    Timing.ROW_BY_ROW: "answers row by row",
    Timing.BOUNDARIES: "answers at boundaries in time",
    Timing.ARRIVALS: "answers at arrival numbers",
    Timing.EVERY_CHANGE: "answers at every change",
    Timing.ONCE: "answers once",
}
_EMISSION = {
    Emission.RSTREAM: "",
    Emission.ISTREAM: ", only the rows that entered",
    Emission.DSTREAM: ", only the rows that left",
}


def explain_script(text: str, file: str, stage: Stage | None, form: Format) -> str:
    """Every query of a script. An EXPLAIN in it shows its own stage unless one is asked for."""
    queries = [placed for placed in script.read(text, file=file) if _query(placed) is not None]
    found = [_explained(placed, stage) for placed in queries]
    if not found:
        raise SqlError(f"{file} has no query to explain", hint="add CREATE CONTINUOUS QUERY name AS SELECT …")
    return _formatted(found, form)


def explain_query(query: Query, stage: Stage, form: Format, name: str = "query") -> str:
    """One query at a stage."""
    return _formatted([Explained(name, 1, stage, at_stage(query, stage), query.result)], form)


def _formatted(found: Sequence[Explained], form: Format) -> str:
    match form:
        case Format.TEXT:
            return "\n\n".join(map(_text, found))
        case Format.JSON:
            return json.dumps([_json(e) for e in found], indent=2)
    return _mermaid(found)


def at_stage(query: Query, stage: Stage) -> Query:
    """The query as that stage leaves it."""
    match stage:
        case Stage.LOGICAL:
            return query
        case Stage.OPTIMIZED:
            return optimized(query)
    raise SqlError(f"the {stage.value} plan cannot be shown yet", hint="use LOGICAL or OPTIMIZED")


def _query(placed: Placed) -> Query | None:
    match placed.statement:
        case CreateQuery(_, query) | InsertInto(_, query) | Select(query) | Explain(_, query):
            return query
    return None


def _explained(placed: Placed, stage: Stage | None) -> Explained:
    query = _query(placed)
    assert query is not None
    line = placed.place.line
    name, own, columns = f"query of line {line}", Stage.OPTIMIZED, query.result
    match placed.statement:
        case CreateQuery(given):
            name = given
        case InsertInto(target):
            name, columns = f"into {target}", query.plan.schema
        case Explain(asked):
            own = asked
    chosen = stage or own
    try:
        return Explained(name, line, chosen, at_stage(query, chosen), columns)
    except RecursionError:
        raise SqlError("this query is nested too deeply", place=placed.place, hint="split it with WITH") from None
    except SqlError as error:
        raise SqlError(error.message, place=placed.place, hint=error.hint) from None


def _text(explained: Explained) -> str:
    query = explained.query
    title = f"{explained.name}: {_TIMING[query.timing]}{_EMISSION[query.emission]}"
    columns = ", ".join(map(str, explained.columns))
    return "\n".join([title, f"gives {columns}", *_indented(show.text(query.plan))])


def _indented(text: str) -> Iterator[str]:
    return (f"  {line}" for line in text.splitlines())


def _json(explained: Explained) -> dict[str, object]:
    query = explained.query
    return {
        "name": explained.name,
        "line": explained.line,
        "stage": explained.stage.value,
        "timing": query.timing.value,
        "emission": query.emission.value,
        "columns": [{"name": f.name, "type": str(f.type)} for f in explained.columns],
        "plan": show.json(query.plan),
    }


def _mermaid(found: Iterable[Explained]) -> str:
    lines = ["flowchart BT"]
    for number, explained in enumerate(found):
        lines.append(f'  subgraph q{number}["{_mermaid_text(explained.name)}"]')
        lines += show.mermaid_lines(explained.query.plan, f"q{number}n")
        lines.append("  end")
    return "\n".join(lines)


def _mermaid_text(name: str) -> str:
    return name.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
