"""The driver: what a rule may not do is reported with the rule's name, and what changes nothing costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest
from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Filter, Map, Order, Plan, descendants
from datacell.errors import PlanError
from datacell.rewrite.driver import NodeRule, PlanRule, fixed_point, optimize
from datacell.rewrite.rules import RULES, optimized
from sample import bind

FILTERED = bind("SELECT k FROM t WHERE a > 1")


def rule(name: str, change: Callable[[Filter], Plan]) -> NodeRule:
    return NodeRule(name, lambda node: change(node) if isinstance(node, Filter) else node)


def compared(operator: type[exp.Binary], value: int) -> exp.Expr:
    return operator(this=scalar.column("t.a"), expression=exp.Literal.number(value))


def test_a_rule_that_changes_the_schema_is_named() -> None:
    narrow = PlanRule("narrow", lambda plan: plan.children[0])
    with pytest.raises(PlanError, match=r"rule narrow changed the schema from .k int. to .t.k int, "):
        fixed_point(FILTERED.plan, (narrow,))


def test_a_rule_that_makes_an_invalid_plan_is_named() -> None:
    lost = rule("lose_column", lambda node: Filter(node.child, scalar.column("t.z")))
    with pytest.raises(PlanError, match=r"rule lose_column made an invalid plan: filter reads t.z"):
        fixed_point(FILTERED.plan, (lost,))


def test_an_invalid_node_above_the_change_names_the_rule_too() -> None:
    lost = rule("drop_columns", lambda node: Map(node.child, node.child.schema.passing(["t.c"])))
    with pytest.raises(PlanError, match=r"rule drop_columns made an invalid plan: map reads t.k"):
        fixed_point(FILTERED.plan, (lost,))


def test_two_rules_that_undo_each_other_are_a_cycle() -> None:
    more = rule("more", lambda node: replace(node, predicate=compared(exp.GT, 1)))
    less = rule("less", lambda node: replace(node, predicate=compared(exp.LT, 1)))
    with pytest.raises(PlanError, match="rule more led back to an earlier plan: the rules run in a cycle"):
        fixed_point(FILTERED.plan, (less, more))


def test_a_rule_without_end_is_reported() -> None:
    numbers = count(2)
    restless = rule("restless", lambda node: replace(node, predicate=compared(exp.GT, next(numbers))))
    with pytest.raises(PlanError, match="no end after 100 rounds of restless"):
        fixed_point(FILTERED.plan, (restless,))


def test_a_round_of_phases_that_ends_where_it_began_is_the_end() -> None:
    more = rule("more", lambda node: replace(node, predicate=compared(exp.GT, 1)))
    less = rule("less", lambda node: replace(node, predicate=compared(exp.LT, 1)))
    assert optimize(FILTERED, ((less,), (more,))) is FILTERED


def test_an_earlier_phase_gets_another_turn() -> None:
    """The filter passes the map that the partial aggregation has put below it."""
    text = "SELECT n FROM (SELECT count(*) AS n FROM (SELECT k FROM t UNION ALL SELECT k FROM u) p) q WHERE n > 1"
    once = optimized(bind(text))
    assert not any(isinstance(node, Filter) and isinstance(node.child, Map) for node in descendants(once.plan))


def test_an_equal_plan_is_no_change() -> None:
    copying = rule("copying", lambda node: Filter(node.child, node.predicate.copy()))
    assert fixed_point(FILTERED.plan, (copying,)) is FILTERED.plan


def test_an_unchanged_query_comes_back_as_the_same_object() -> None:
    assert optimize(FILTERED, ((NodeRule("nothing", lambda node: node),),)) is FILTERED
    done = optimized(FILTERED)
    assert optimized(done) is done


def test_every_rule_returns_the_same_object_where_it_has_nothing_to_do() -> None:
    plan = optimized(bind("SELECT k, sum(v) AS total FROM s [RANGE 3 SECONDS SLIDE 2 SECONDS] GROUP BY k")).plan
    for each in (r for phase in RULES for r in phase):
        assert each.apply(plan) is plan, each.name


def test_the_text_and_the_emission_of_a_query_stay() -> None:
    query = bind("SELECT ISTREAM k FROM s [ROWS 2] WHERE v > 0 AND k > 0")
    new = optimized(query)
    assert new != query
    assert (new.text, new.emission, new.result) == (query.text, query.emission, query.result)


def test_the_order_of_the_answer_is_not_lost() -> None:
    plan = optimized(bind("SELECT k FROM t ORDER BY a")).plan
    assert isinstance(plan, Map)
    assert isinstance(plan.child, Order)
