"""EXPLAIN: the plans of a script, stage by stage, as text, JSON or Mermaid."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from datacell.algebra import show, tree
from datacell.algebra.plan import Plan
from datacell.algebra.query import Emission, Query, Timing
from datacell.algebra.schema import Schema
from datacell.algebra.show import Notes
from datacell.compile import physical
from datacell.compile.physical import Physical
from datacell.errors import SqlError
from datacell.incremental import show as words
from datacell.incremental.relations import Kept, Latest, Relation, Shown
from datacell.incremental.strategy import Strategy, choose
from datacell.intervals.translate import translate
from datacell.placement import unit_costs
from datacell.placement.costs import UnitCosts
from datacell.placement.logical import best_plan
from datacell.placement.operators import Site
from datacell.placement.statistics import Statistics
from datacell.rewrite import merge_maps
from datacell.rewrite.rules import equivalents, optimized
from datacell.sql import script
from datacell.sql.statements.statement import CreateQuery, CreateStream, Explain, InsertInto, Placed, Select
from datacell.sql.statements.statement import Stage as Stage

LONGEST_LINE = 160
"""Of fragments in the text of the incremental stage; JSON has all of it."""


class Format(Enum):
    TEXT = "text"
    JSON = "json"
    MERMAID = "mermaid"


@dataclass(frozen=True)
class Cut:
    """How a query is evaluated: by which strategy and why so, what it keeps, and the plan over that."""

    strategy: str
    why: str
    relations: tuple[Relation, ...]
    rest: Plan
    how: Mapping[Plan, str] = field(default_factory=dict)
    """For operators of a query at every instant: how each is evaluated."""

    def notes(self) -> Notes:
        said = words.notes(self.relations)
        return lambda node: {**said(node), **({"how": self.how[node]} if node in self.how else {})}


@dataclass(frozen=True)
class Setting:
    """What a placement goes by: what is known of the streams, what engines cost, and whether one is forced."""

    known: Statistics = Statistics()  # noqa: RUF009 - it is immutable
    units: UnitCosts = field(default_factory=unit_costs.load)
    wanted: Site | None = None


@dataclass(frozen=True)
class Explained:
    """A query of a script at a stage: its name, or the line where it stands, and its plan, which may be cut."""

    name: str
    line: int
    stage: Stage
    query: Query
    columns: Schema
    cut: Cut | None = None
    placed: Physical | None = None


_TIMING = {
    Timing.ROW_BY_ROW: "answers row by row",
    Timing.BOUNDARIES: "answers at boundaries in time",
    Timing.ARRIVALS: "answers at arrival numbers",
    Timing.EVERY_INSTANT: "answers at every instant",
    Timing.ONCE: "answers once",
}
_EMISSION = {
    Emission.RSTREAM: "",
    Emission.ISTREAM: ", only the rows that entered",
    Emission.DSTREAM: ", only the rows that left",
}


def explain_script(text: str, file: str, stage: Stage | None, form: Format) -> str:
    """Every query of a script. An EXPLAIN in it shows its own stage unless one is asked for."""
    statements = list(script.read(text, file=file))
    known = physical.statistics(s.statement.stream for s in statements if isinstance(s.statement, CreateStream))
    queries = [placed for placed in statements if _query(placed) is not None]
    found = [_explained(placed, stage, known) for placed in queries]
    if not found:
        raise SqlError(f"{file} has no query to explain", hint="add CREATE CONTINUOUS QUERY name AS SELECT …")
    return _formatted(found, form)


def explain_query(
    query: Query,
    stage: Stage,
    form: Format,
    name: str = "query",
    strategy: Strategy = Strategy.AUTO,
    setting: Setting | None = None,
) -> str:
    """One query at a stage."""
    asked = Explained(name, 1, stage, query, query.result)
    return _formatted([_at_stage(asked, strategy, setting or Setting())], form)


def _formatted(found: Sequence[Explained], form: Format) -> str:
    match form:
        case Format.TEXT:
            return "\n\n".join(map(_text, found))
        case Format.JSON:
            return json.dumps([_json(e) for e in found], indent=2)
    return _mermaid(found)


def _at_stage(asked: Explained, strategy: Strategy, setting: Setting) -> Explained:
    """The query as its stage leaves it."""
    match asked.stage:
        case Stage.LOGICAL:
            return asked
        case Stage.OPTIMIZED:
            return replace(asked, query=optimized(asked.query))
        case Stage.INCREMENTAL:
            best = optimized(asked.query)
            return replace(asked, query=best, cut=_cut(best, strategy, setting.wanted is Site.SPARK))
        case Stage.PHYSICAL:
            best = best_plan(equivalents(asked.query), setting.known)
            placed = physical.physical(best, strategy, setting.known, setting.units, setting.wanted)
            return replace(asked, query=best, placed=placed)


def _cut(query: Query, strategy: Strategy, on_spark: bool) -> Cut:
    match query.timing:
        case Timing.ROW_BY_ROW | Timing.ONCE:
            return Cut(query.timing.value, "nothing is kept", (), query.plan)
        case Timing.EVERY_INSTANT:
            how = {operator.work: operator.how for operator in translate(query).operators}
            return Cut(query.timing.value, "rows know when they are valid", (), query.plan, how)
    plans = choose(query, strategy, on_spark)
    if plans.split is None:
        return Cut(plans.strategy.value, plans.why, (), query.plan)
    rest = tree.transform_up(plans.split.rest, merge_maps.rewrite)
    return Cut(plans.strategy.value, plans.why, plans.split.relations, rest)


def _query(placed: Placed) -> Query | None:
    match placed.statement:
        case CreateQuery(_, query) | InsertInto(_, query) | Select(query) | Explain(_, query):
            return query
    return None


def _explained(placed: Placed, stage: Stage | None, known: Statistics) -> Explained:
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
        return _at_stage(Explained(name, line, chosen, query, columns), Strategy.AUTO, Setting(known))
    except RecursionError:
        raise SqlError("this query is nested too deeply", place=placed.place, hint="split it with WITH") from None
    except SqlError as error:
        raise SqlError(error.message, place=placed.place, hint=error.hint) from None


# Text


def _text(explained: Explained) -> str:
    query = explained.query
    title = f"{explained.name}: {_TIMING[query.timing]}{_EMISSION[query.emission]}"
    columns = ", ".join(map(str, explained.columns))
    if explained.placed is not None:
        plan: Iterable[str] = _shortened("\n".join(physical.text(explained.placed)))
    else:
        plan = show.text(query.plan).splitlines() if explained.cut is None else _cut_text(explained.cut, query.timing)
    return "\n".join([title, f"gives {columns}", *_indented(plan)])


def _cut_text(cut: Cut, timing: Timing) -> Iterator[str]:
    notes = cut.notes()
    yield f"{cut.strategy}: {cut.why}"
    for number, relation in enumerate(cut.relations):
        yield words.relation(number, relation, timing is Timing.ARRIVALS)
        yield from _indented(_shortened(show.text(relation.work, notes)))
    rest = _shortened(show.text(cut.rest, notes))
    yield from ["answer", *_indented(rest)] if cut.relations else rest


def _shortened(text: str) -> Iterator[str]:
    """Lines that a person reads: the parts of some aggregates fill pages."""
    return (line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in text.splitlines())


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


# JSON


def _json(explained: Explained) -> dict[str, object]:
    query = explained.query
    if explained.placed is not None:
        plan = physical.json(explained.placed)
    else:
        plan = {"plan": show.json(query.plan)} if explained.cut is None else _cut_json(explained.cut)
    return {
        "name": explained.name,
        "line": explained.line,
        "stage": explained.stage.value,
        "timing": query.timing.value,
        "emission": query.emission.value,
        "columns": [{"name": f.name, "type": str(f.type)} for f in explained.columns],
        **plan,
    }


def _cut_json(cut: Cut) -> dict[str, object]:
    notes = cut.notes()

    def leaf(node: Plan) -> dict[str, object]:
        number = {"relation": node.relation + 1} if isinstance(node, Shown | Latest) else {}
        return {**number, **notes(node)}

    return {
        "strategy": cut.strategy,
        "why": cut.why,
        "relations": [_relation_json(relation, show.json(relation.work, leaf)) for relation in cut.relations],
        "rest": show.json(cut.rest, leaf),
    }


def _relation_json(relation: Relation, plan: object) -> dict[str, object]:
    if not isinstance(relation, Kept):
        return {"kind": "pairs", "relations": [s.relation + 1 for s in (relation.left, relation.right)], "plan": plan}
    return {"kind": "slices", "stream": relation.stream, "cuts": _cuts_json(relation), "plan": plan}


def _cuts_json(relation: Kept) -> dict[str, object] | None:
    """Positions in microseconds or arrival numbers; None if every row is a slice of its own."""
    if relation.cuts is None:
        return None
    every = [{"period": p.period, "offset": p.offset} for p in relation.cuts.progressions]
    return {"every": every, "at": list(relation.cuts.points)}


# Mermaid


def _mermaid(found: Iterable[Explained]) -> str:
    lines = ["flowchart BT"]
    for number, explained in enumerate(found):
        lines.append(f'  subgraph q{number}["{show.mermaid_label(explained.name)}"]')
        if explained.placed is not None:
            lines += physical.mermaid(explained.placed, f"q{number}")
        elif explained.cut is None:
            lines += show.mermaid_lines(explained.query.plan, f"q{number}n")
        else:
            lines += _cut_mermaid(explained.cut, explained.query.timing, f"q{number}")
        lines.append("  end")
    return "\n".join(lines)


def _cut_mermaid(cut: Cut, timing: Timing, query: str) -> Iterator[str]:
    notes = cut.notes()
    for number, relation in enumerate(cut.relations):
        title = words.relation(number, relation, timing is Timing.ARRIVALS)
        yield f'    subgraph {query}r{number}["{show.mermaid_label(title)}"]'
        yield from _indented(show.mermaid_lines(relation.work, f"{query}r{number}n", notes))
        yield "    end"
        yield from _reading(relation.work, f"{query}r{number}n", query)
    yield from show.mermaid_lines(cut.rest, f"{query}n", notes)
    yield from _reading(cut.rest, f"{query}n", query)


def _reading(plan: Plan, prefix: str, query: str) -> Iterator[str]:
    """From the relations to the leaves that read them."""
    for number, node in enumerate(tree.descendants(plan)):
        if isinstance(node, Shown | Latest):
            yield f"    {query}r{node.relation}n0 --> {prefix}{number}"
