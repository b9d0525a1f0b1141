"""EXPLAIN as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable

from datacell.algebra import show
from datacell.algebra.plan import Plan
from datacell.compile.explain.operators import difference, explained
from datacell.compile.explain.subject import Explained
from datacell.compile.physical import Physical, PlacedPart
from datacell.incremental.relations import Kept, Latest, Relation, Shown
from datacell.placement.costs import Cost, UnitCosts
from datacell.placement.homes import Home
from datacell.placement.keeping import Intake
from datacell.placement.prediction import loads
from datacell.sql.statements.statement import Stage


def shown(found: Iterable[Explained]) -> str:
    return json.dumps([_query(explained) for explained in found], indent=2)


def _query(explained: Explained) -> dict[str, object]:
    query = explained.query
    return {
        "name": explained.name,
        "line": explained.line,
        "stage": explained.stage.value,
        "timing": query.timing.value,
        "emission": query.emission.value,
        **({"shared": list(explained.shared)} if explained.shared else {}),
        "columns": [{"name": f.name, "type": str(f.type)} for f in explained.columns],
        **_plan(explained),
    }


def _plan(explained: Explained) -> dict[str, object]:
    match explained.stage:
        case Stage.INCREMENTAL:
            return _incremental(explained)
        case Stage.PHYSICAL:
            return _physical(explained.physical)
    return {"plan": show.json(explained.query.plan)}


def _incremental(explained: Explained) -> dict[str, object]:
    evaluation, notes = explained.compiled.evaluation, explained.notes()

    def leaf(node: Plan) -> dict[str, object]:
        number = {"relation": node.relation + 1} if isinstance(node, Shown | Latest) else {}
        return {**number, **notes(node)}

    return {
        "strategy": evaluation.strategy,
        "why": evaluation.why,
        "relations": [_relation(relation, show.json(relation.work, leaf)) for relation in explained.relations],
        "rest": show.json(explained.rest, leaf),
    }


def _relation(relation: Relation, plan: object) -> dict[str, object]:
    if not isinstance(relation, Kept):
        return {"kind": "pairs", "relations": [s.relation + 1 for s in (relation.left, relation.right)], "plan": plan}
    return {"kind": "slices", "stream": relation.stream, "cuts": _cuts(relation), "plan": plan}


def _cuts(relation: Kept) -> dict[str, object] | None:
    """Positions in microseconds or arrival numbers; None if every row is a slice of its own."""
    if relation.cuts is None:
        return None
    every = [{"period": p.period, "offset": p.offset} for p in relation.cuts.progressions]
    return {"every": every, "at": list(relation.cuts.points)}


def _physical(plan: Physical) -> dict[str, object]:
    return {
        "strategy": plan.strategy,
        "why": plan.why,
        "cost": _cost(plan.cost),
        "kept": [{"name": k.name, "home": k.home.value, "bytes": k.bytes, "why": k.why} for k in plan.kept],
        "intakes": [_intake(one, plan.units) for one in plan.intakes],
        "parts": [_part(placed, plan.units) for placed in plan.parts],
    }


def _intake(one: Intake, units: UnitCosts) -> dict[str, object]:
    rows = one.rows
    sizes = {"rate": rows.rate, "bytes": rows.rate * rows.bytes, "u": units.transferred(rows, Home.DRIVER)}
    return {"stream": one.stream, "to": Home.DRIVER.value, "why": one.why, **sizes}


def _part(placed: PlacedPart, units: UnitCosts) -> dict[str, object]:
    fragments = zip(placed.fragments, loads(placed.root, placed.best.sites, units), strict=True)
    return {
        "name": placed.part.name,
        "firings per second": placed.part.firings,
        "cost": _cost(placed.best.cost),
        "examined": placed.search.examined,
        "fragments": [{"name": str(f.slot), "engine": f.site.value, "u": u} for f, u in fragments],
        "plan": show.json(*explained(placed, units)),
        "beaten": [{"cost": _cost(other.cost), "instead": difference(placed, other)} for other in placed.search.beaten],
    }


def _cost(cost: Cost) -> dict[str, object]:
    return {"bottleneck": cost.bottleneck, "total": cost.total, "feasible": cost.is_feasible}
