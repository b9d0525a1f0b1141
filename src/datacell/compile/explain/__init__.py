"""EXPLAIN: a compiled query, stage by stage, as text, JSON or Mermaid. What is printed is the object that runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from itertools import compress

from datacell.algebra.analysis import Analyze, no_analysis
from datacell.algebra.definitions import StreamDefinition
from datacell.algebra.normal import Normal, may_share, normal
from datacell.algebra.query import Query
from datacell.algebra.template import template
from datacell.compile.compiled import Compiled, compile
from datacell.compile.explain import as_json, mermaid, text
from datacell.compile.explain.subject import Explained
from datacell.compile.setting import Setting, statistics, untimed
from datacell.errors import SqlError
from datacell.placement.enumeration import Sites
from datacell.sql import script
from datacell.sql.catalog import Catalog
from datacell.sql.statements.statement import CreateQuery, CreateStream, Explain, InsertInto, Placed, Select, Stage

__all__ = ["Analyze", "Format", "Stage", "explain", "explain_query", "explain_script"]


class Format(Enum):
    TEXT = "text"
    JSON = "json"
    MERMAID = "mermaid"


def explain(
    compiled: Compiled,
    stage: Stage,
    form: Format,
    name: str = "query",
    sites: Mapping[str, Sites] | None = None,
    shared: Iterable[str] = (),
    is_family: bool = False,
) -> str:
    """One compiled query at a stage; of one that runs, with the sites that its parts are at now, and who shares it."""
    columns, others = compiled.logical.result, tuple(shared)
    return _formatted([Explained(name, 1, stage, compiled, columns, sites or {}, others, is_family)], form)


def explain_query(
    query: Query, stage: Stage, form: Format = Format.TEXT, setting: Setting | None = None, shared: Iterable[str] = ()
) -> str:
    """One bound query at a stage; `shared` are those that ask the same."""
    return explain(compile(query, setting or Setting()), stage, form, shared=shared)


def explain_script(source: str, file: str, stage: Stage | None, form: Format, analyze: Analyze = no_analysis) -> str:
    """Every query of a script. An EXPLAIN in it shows its own stage unless one is asked for."""
    statements = list(script.read(source, Catalog(analyze=analyze), file))
    streams = [s.statement.stream for s in statements if isinstance(s.statement, CreateStream)]
    setting = Setting(statistics(streams), fed=_fed(statements, streams), untimed=untimed(streams))
    asking = [placed for placed in statements if _query(placed) is not None]
    found = _together(asking, [_explained(placed, stage, setting) for placed in asking])
    if not found:
        raise SqlError(f"{file} has no query to explain", hint="add CREATE CONTINUOUS QUERY name AS SELECT …")
    return _formatted(found, form)


def _together(asking: Sequence[Placed], found: Sequence[Explained]) -> list[Explained]:
    """Each with those that are answered with it; what feeds a stream or a table goes there by itself."""
    pairs = zip(asking, found, strict=True)
    shares = [may_share(e.compiled.logical) and not isinstance(p.statement, InsertInto) for p, e in pairs]
    groups = iter(_groups([one.compiled.logical for one in compress(found, shares)]))
    group = [next(groups) if its else None for its in shares]
    names: dict[tuple[Normal, bool] | None, list[str]] = {}
    for one, its in zip(found, group, strict=True):
        names.setdefault(its, []).append(one.name)
    return [
        one if its is None else replace(one, shared=tuple(n for n in names[its] if n != one.name), is_family=its[1])
        for one, its in zip(found, group, strict=True)
    ]


def _groups(queries: Iterable[Query]) -> Iterator[tuple[Normal, bool]]:
    """What each has in common with those that are answered with it, and whether they are a family.

    The first queries of a template are answered by themselves (`runtime.net.families`).
    """
    first: dict[Normal, set[Normal]] = {}
    for query in queries:
        its, lifted = normal(query), template(query)
        if lifted is None:
            yield its, False
            continue
        alone = first.setdefault(lifted[0].key, set())
        if len(alone) < lifted[0].alone_before:
            alone.add(its)
        yield (its, False) if its in alone else (lifted[0].key, True)


def _fed(statements: Sequence[Placed], streams: Sequence[StreamDefinition]) -> frozenset[str]:
    """The streams that only queries feed."""
    targets = {s.statement.target.lower() for s in statements if isinstance(s.statement, InsertInto)}
    read = {s.name.lower() for s in streams if any(name.lower() == "format" for name, _ in s.options)}
    return frozenset(targets - read)


def _formatted(found: list[Explained], form: Format) -> str:
    match form:
        case Format.TEXT:
            return "\n\n".join(map(text.shown, found))
        case Format.JSON:
            return as_json.shown(found)
    return mermaid.shown(found)


def _query(placed: Placed) -> Query | None:
    match placed.statement:
        case CreateQuery(_, query) | InsertInto(_, query) | Select(query) | Explain(_, query):
            return query
    return None


def _explained(placed: Placed, stage: Stage | None, setting: Setting) -> Explained:
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
    try:
        explained = Explained(name, line, stage or own, compile(query, setting), columns)
        explained.check()
    except RecursionError:
        raise SqlError("this query is nested too deeply", place=placed.place, hint="split it with WITH") from None
    except SqlError as error:
        raise SqlError(error.message, place=placed.place, hint=error.hint) from None
    return explained
