"""Plans: what cannot be constructed, and how plans are walked and rebuilt."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlglot import exp

from datacell.algebra import scalar, show, tree
from datacell.algebra.plan import (
    Aggregate,
    Apply,
    Difference,
    Distinct,
    Filter,
    Group,
    Intersection,
    Join,
    JoinKind,
    Map,
    Order,
    Over,
    Plan,
    SortKey,
    Stream,
    Table,
    Union,
    Values,
    Window,
)
from datacell.algebra.query import Query, Timing
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BIGINT, DOUBLE, INT, STRING
from datacell.algebra.window import Range, Rows
from datacell.errors import PlanError
from sample import bind

A = Table("a", "a", (Field("x", INT), Field("y", INT)))
B = Table("b", "b", (Field("x", INT), Field("y", INT)))
S = Stream("s", "s", (Field("x", INT), Field("v", DOUBLE)))
X, Y, UNKNOWN = scalar.column("a.x"), scalar.column("a.y"), scalar.column("a.z")
ONE = exp.Literal.number(1)
COUNT = Named("n", scalar.call("count", exp.Star()), BIGINT)


def named(name: str, value: exp.Expr) -> Named:
    return Named(name, value, INT)


def as_c(plan: Plan) -> Map:
    return Map(plan, (named("c", scalar.column(plan.schema.names[0])),))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Filter(A, UNKNOWN), "filter reads a.z, its input has a.x, a.y"),
        (lambda: Map(A, (named("c", UNKNOWN),)), "map reads a.z"),
        (lambda: Map(A, ()), "a map without columns"),
        (lambda: Map(A, (named("c", X), named("c", Y))).schema, "column c appears twice"),
        (lambda: Group(A, (named("k", UNKNOWN),)), "group reads a.z"),
        (lambda: Aggregate(A, ()), "an aggregate without keys and aggregates"),
        (lambda: Aggregate(A, (named("m", scalar.call("max", UNKNOWN)),)), "aggregate reads a.z"),
        (lambda: Over(A, (named("r", X),)), "an analytic function without OVER"),
        (lambda: Order(A, (SortKey(UNKNOWN),)), "order reads a.z"),
        (lambda: Order(A, (), limit=-1), "a negative limit or offset"),
        (lambda: Order(A, (), offset=-1), "a negative limit or offset"),
        (lambda: Join(A, A).schema, "column a.x appears twice"),
        (lambda: Join(A, B, condition=scalar.column("c.x")), "join reads c.x"),
        (lambda: Apply(A, B, JoinKind.FULL), "apply cannot be a full join"),
        (lambda: Apply(A, B, JoinKind.RIGHT), "apply cannot be a right join"),
        (lambda: Union((A,)), "a union of fewer than two inputs"),
        (lambda: Union((A, B)), "union of different schemas: .a.x int, a.y int. and .b.x int, b.y int."),
        (lambda: Difference(A, B), "difference of different schemas"),
        (lambda: Intersection(as_c(A), Map(B, (Named("c", X, STRING),))), "map reads a.x"),
        (lambda: Union((as_c(A), Map(A, (Named("c", X, STRING),)))), "different schemas: .c int. and .c string."),
        (lambda: Values((Field("c", INT),), ((ONE, ONE),)), "values of different lengths"),
        (lambda: Values((Field("c", INT),), ((X,),)), "values reads a.x"),
        (lambda: Window(Window(S, Range(1)), Range(2)), "a window over a window"),
        (lambda: Window(Filter(Window(S, Range(1)), exp.true()), Range(2)), "a window over a window"),
        (lambda: Window(S, Rows(2, partition=("s.z",))), "window reads s.z"),
        (lambda: Query(Filter(A, scalar.outer("b.x")), ""), "column b.x comes from nowhere"),
        (lambda: Query(Join(Window(S, Range(1)), Window(other(S), Rows(1))), ""), "row windows and time windows"),
    ],
)
def test_an_invalid_plan_cannot_be_constructed(make: Callable[[], object], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        make()


def other(stream: Stream) -> Stream:
    return Stream(stream.name, "other", stream.columns)


EVERY_OPERATOR = [
    "SELECT k + 1 AS x FROM t WHERE a > 1",
    "SELECT DISTINCT k FROM t",
    "SELECT k, sum(v) AS total FROM s [RANGE 3 SECONDS SLIDE 2 SECONDS] GROUP BY k HAVING sum(v) > 1",
    "SELECT k, rank() OVER (PARTITION BY k ORDER BY a) AS place FROM t ORDER BY k DESC LIMIT 3 OFFSET 1",
    "SELECT t.k, u.b FROM t LEFT JOIN u ON t.k = u.k AND u.b > 1",
    "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k)",
    "SELECT k FROM t UNION ALL SELECT k FROM u UNION ALL SELECT 1",
    "SELECT k FROM t EXCEPT SELECT k FROM u",
    "SELECT k FROM t INTERSECT ALL SELECT k FROM u",
    "SELECT col1 FROM (VALUES (1, 2), (3, 4)) q",
]


@pytest.mark.parametrize("text", EVERY_OPERATOR)
def test_rebuilding_from_the_same_parts_gives_the_same(text: str) -> None:
    for node in tree.descendants(bind(text).plan):
        assert node.with_children(node.children) is node
        assert node.map_expressions(lambda e: e) == node
        assert node.map_expressions(lambda e: e.copy()) == node


@pytest.mark.parametrize("text", EVERY_OPERATOR)
def test_a_change_at_the_leaves_rebuilds_what_is_above(text: str) -> None:
    plan = bind(text).plan
    renamed = tree.transform_up(plan, lambda n: Table("z", n.alias, n.columns) if isinstance(n, Table) else n)
    assert renamed.schema == plan.schema
    has_table = any(isinstance(node, Table) for node in tree.descendants(plan))
    assert ("table z" in show.text(renamed)) == has_table
    assert tree.transform_up(plan, lambda n: n) is plan


def test_with_children_puts_each_input_in_its_place() -> None:
    join = Join(A, B, JoinKind.LEFT, exp.true())
    assert join.children == (A, B)
    assert join.with_children([Distinct(A), B]) == Join(Distinct(A), B, JoinKind.LEFT, exp.true())
    union = Union((as_c(A), as_c(B), as_c(A)))
    assert union.with_children([as_c(B), as_c(B), as_c(A)]) == Union((as_c(B), as_c(B), as_c(A)))


def test_map_expressions_reaches_every_expression() -> None:
    def to_one(_: exp.Expr) -> exp.Expr:
        return exp.Literal.number(1)

    assert Filter(A, X).map_expressions(to_one) == Filter(A, ONE)
    assert Map(A, (named("c", X),)).map_expressions(to_one) == Map(A, (named("c", ONE),))
    assert Order(A, (SortKey(X, descending=True),), 3).map_expressions(to_one) == Order(A, (SortKey(ONE, True),), 3)
    assert Join(A, B, condition=X).map_expressions(to_one) == Join(A, B, condition=ONE)
    assert Join(A, B).map_expressions(to_one) == Join(A, B)
    values = Values((Field("c", INT),), ((exp.Literal.number(2),), (exp.Literal.number(3),)))
    assert values.map_expressions(to_one) == Values(values.columns, ((ONE,), (ONE,)))


def test_schemas() -> None:
    names = Schema((Field("a.x", INT), Field("a.y", INT)))
    assert A.schema == names == Filter(A, X).schema == Distinct(A).schema
    assert Join(A, B).schema.names == ("a.x", "a.y", "b.x", "b.y")
    assert Join(A, B, JoinKind.SEMI).schema == names == Join(A, B, JoinKind.ANTI).schema
    assert Aggregate(Group(A, (named("k", X),)), (COUNT,)).schema.names == ("k", "n")


def test_a_group_keeps_its_keys_through_a_window() -> None:
    grouped = Window(Group(S, S.schema.passing(["s.x"])), Range(1))
    assert [k.name for k in Aggregate(grouped, (COUNT,)).keys] == ["s.x"]


def test_what_a_plan_reads_from_outside() -> None:
    inner = Filter(B, exp.EQ(this=scalar.column("b.x"), expression=scalar.outer("a.x")))
    assert inner.outer == {"a.x"}
    assert Apply(A, inner, JoinKind.SEMI).outer == frozenset()
    assert Apply(A, inner, JoinKind.SEMI).correlation == ("a.x",)
    assert Apply(S, inner, JoinKind.SEMI).outer == {"a.x"}


def test_the_boundary_is_filled_in_everywhere() -> None:
    plan = bind("SELECT k, window_end AS e FROM s [ROWS 2] WHERE n < window_end").plan
    fixed = tree.at_boundary(plan, exp.Literal.number(7))
    assert "window_end" not in show.text(fixed)
    assert tree.at_boundary(fixed, exp.Literal.number(8)) is fixed


@pytest.mark.parametrize(
    ("text", "timing"),
    [
        ("SELECT k FROM t", Timing.ONCE),
        ("SELECT k FROM s [RANGE 1 SECOND]", Timing.EVERY_INSTANT),
        ("SELECT k FROM s [RANGE 1 SECOND SLIDE 1 SECOND]", Timing.BOUNDARIES),
        ("SELECT s.k FROM s [RANGE 1 SECOND], r [RANGE 1 SECOND SLIDE 1 SECOND]", Timing.BOUNDARIES),
        ("SELECT k FROM s [ROWS 2]", Timing.ARRIVALS),
    ],
)
def test_when_a_query_is_evaluated(text: str, timing: Timing) -> None:
    assert bind(text).timing is timing
