"""What is left of a plan whose inputs have no rows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.empty import without
from datacell.algebra.plan import Aggregate, Distinct, Filter, Group, Input, Join, JoinKind, Plan, Union
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import BIGINT
from datacell.incremental.inputs import BasketRows

SOME, NONE = BasketRows("some"), BasketRows("none")


def _rows(slot: BasketRows, alias: str = "t") -> Plan:
    return Input(slot, (Field("a", BIGINT),), alias)


def _counted(rows: Plan, by_key: bool) -> Plan:
    count = Named("n", scalar.call("count", scalar.column("t.a")), BIGINT)
    key = Named("t.a", scalar.column("t.a"), BIGINT)
    return Aggregate(Group(rows, (key,)) if by_key else rows, (count,))


def _joined(kind: JoinKind, left: BasketRows, right: BasketRows) -> Plan:
    return Join(_rows(left), _rows(right, "u"), kind)


def _filled(plan: Plan) -> Plan:
    """The same over inputs that have rows."""
    return tree.transform_up(plan, lambda node: replace(node, slot=SOME) if isinstance(node, Input) else node)


EMPTY = {
    "input": _rows(NONE),
    "filter": Filter(_rows(NONE), exp.GT(this=scalar.column("t.a"), expression=scalar.column("t.a"))),
    "distinct": Distinct(_rows(NONE)),
    "groups": _counted(_rows(NONE), by_key=True),
    "union": Union((_rows(NONE), _rows(NONE))),
    **{
        f"{kind.value} join, nothing on the left": _joined(kind, NONE, SOME)
        for kind in (JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)
    },
    **{
        f"{kind.value} join, nothing on the right": _joined(kind, SOME, NONE)
        for kind in (JoinKind.INNER, JoinKind.RIGHT, JoinKind.SEMI)
    },
}
PERHAPS = {
    "input": _rows(SOME),
    "one count": _counted(_rows(NONE), by_key=False),
    **{
        f"{kind.value} join, nothing on the left": _joined(kind, NONE, SOME) for kind in (JoinKind.RIGHT, JoinKind.FULL)
    },
    **{
        f"{kind.value} join, nothing on the right": _joined(kind, SOME, NONE)
        for kind in (JoinKind.LEFT, JoinKind.ANTI, JoinKind.FULL)
    },
}


@pytest.mark.parametrize("name", EMPTY)
def test_what_gives_no_rows_is_left_out(name: str) -> None:
    plan = EMPTY[name]
    assert without(Union((plan, _filled(plan))), {NONE}) == _filled(plan)
    assert without(Union((plan, plan)), {NONE}) == Union((plan, plan)), "a union of nothing stays as it was"


@pytest.mark.parametrize("name", PERHAPS)
def test_what_may_give_rows_stays(name: str) -> None:
    both = Union((PERHAPS[name], _filled(PERHAPS[name])))
    assert without(both, {NONE}) == both


def test_the_other_side_of_a_union_is_all_that_is_left() -> None:
    assert without(Union((_rows(NONE), _rows(SOME))), {NONE}) == _rows(SOME)
    assert without(Distinct(Union((_rows(SOME), _rows(NONE), _rows(SOME)))), {NONE}) == Distinct(
        Union((_rows(SOME), _rows(SOME)))
    )
