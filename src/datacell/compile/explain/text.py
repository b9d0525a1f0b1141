"""EXPLAIN as text, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from datacell.algebra import show, tree
from datacell.algebra.plan import Plan
from datacell.algebra.query import Emission, Timing
from datacell.compile.explain.operators import difference, explained
from datacell.compile.explain.subject import Explained
from datacell.compile.physical import Physical, PlacedPart
from datacell.incremental import show as words
from datacell.placement.costs import UnitCosts
from datacell.placement.homes import Home
from datacell.placement.keeping import Intake
from datacell.placement.transfers import in_words
from datacell.sql.statements.statement import Stage

LONGEST_LINE = 160
"""The parts of some aggregates fill pages; JSON has all of it."""

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


def shown(explained: Explained) -> str:
    query = explained.query
    title = f"{explained.name}: {_TIMING[query.timing]}{_EMISSION[query.emission]}"
    columns = ", ".join(map(str, explained.columns))
    remarks = [*_shared(explained), *_by_arrival(explained), *_as_written(explained)]
    return "\n".join([title, f"gives {columns}", *remarks, *_indented(_plan(explained))])


def _shared(explained: Explained) -> Iterator[str]:
    if explained.shared:
        yield f"shared: {explained.shared_with}"


def _by_arrival(explained: Explained) -> Iterator[str]:
    """Windows in time over a stream that does not say which time that is."""
    if explained.query.timing not in (Timing.BOUNDARIES, Timing.EVERY_INSTANT):
        return
    untimed = explained.compiled.setting.untimed
    for name in sorted({s.name for s in tree.streams(explained.compiled.logical.plan) if s.name.lower() in untimed}):
        yield f"by arrival: stream {name} has no WATERMARK, so its windows show rows by when they come"


def _as_written(explained: Explained) -> Iterator[str]:
    """What of the text is not understood; where parts are shown, they say it themselves."""
    if explained.query.opaque is not None and explained.stage in (Stage.LOGICAL, Stage.OPTIMIZED):
        yield f"opaque: Spark answers it as written: {explained.query.opaque.why}"


def _plan(explained: Explained) -> Iterable[str]:
    match explained.stage:
        case Stage.INCREMENTAL:
            return _incremental(explained)
        case Stage.PHYSICAL:
            return _shortened("\n".join(physical(explained.physical)))
    return show.text(explained.query.plan).splitlines()


def _incremental(explained: Explained) -> Iterator[str]:
    evaluation, notes = explained.compiled.evaluation, explained.notes()
    by_rows = explained.query.timing is Timing.ARRIVALS
    yield f"{evaluation.strategy}: {evaluation.why}"
    for number, relation in enumerate(explained.relations):
        yield words.relation(number, relation, by_rows)
        yield from _indented(_shortened(show.text(relation.work, notes)))
    rest = _shortened(show.text(explained.rest, notes))
    yield from ["answer", *_indented(rest)] if explained.relations else rest


def physical(plan: Physical) -> Iterator[str]:
    yield f"{plan.strategy}: {plan.why}"
    if not plan.parts:
        return
    feasible = "feasible" if plan.cost.is_feasible else "it cannot keep up"
    yield f"cost {plan.cost}: {feasible}, at {_rates(plan)}"
    yield from (f"{one.name}: {one.why}" for one in plan.kept)
    for one in plan.intakes:
        yield f"intake of {one.stream}: {one.why}"
        yield f"  {intake(one, plan.units)}"
    for placed in plan.parts:
        engines = " and ".join(sorted({f.site.value for f in placed.fragments}))
        yield f"{placed.part.name}: on {engines}, {_often(placed.part.firings)}, cost {placed.best.cost}"
        yield from _indented(show.text(*noted(placed, plan.units)).splitlines())
        yield f"  placements looked at: {placed.search.examined}"
        yield from (f"  beaten: {line}" for line in _beaten(placed))


def noted(placed: PlacedPart, units: UnitCosts) -> tuple[Plan, show.Notes]:
    """The plan with its transfers; of each operator its engine, λ and u in one line."""
    plan, numbers = explained(placed, units)

    def notes(node: Plan) -> Mapping[str, str]:
        found = numbers(node)
        if "engine" not in found:
            return {}
        sizes = f"λ {_amount(found['rate in'])} → {_amount(found['rate out'])}"
        return {found["engine"]: f"{sizes}, u {found['u']:.2g}"}

    return plan, notes


def intake(one: Intake, units: UnitCosts) -> str:
    """What a query takes of a stream into the driver, whatever it does to it."""
    rows = one.rows
    return in_words(Home.DRIVER, rows.rate, rows.rate * rows.bytes, units.transferred(rows, Home.DRIVER))


def _beaten(placed: PlacedPart) -> Iterator[str]:
    for other in placed.search.beaten:
        moved = ", ".join(f"{engine}: {'; '.join(names)}" for engine, names in difference(placed, other).items())
        yield f"{other.cost} with {moved}"


def _rates(plan: Physical) -> str:
    found = [f"{rate:,.0f} rows/s of {name}" for name, rate in sorted(plan.known.rates.items())]
    return ", ".join(found) or "1,000 rows/s of each stream, because nothing is declared"


def _often(firings: float) -> str:
    return f"{firings:.3g} × a second" if firings >= 1 else f"every {1 / firings:.3g} s"


def _amount(rows: float) -> str:
    return f"{rows:,.0f}" if rows >= 10 else f"{rows:.2g}"


def _shortened(text: str) -> Iterator[str]:
    return (line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in text.splitlines())


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)
