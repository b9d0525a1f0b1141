"""Every rule keeps every snapshot: its fixtures over windows of random streams, without SLIDE and with it.

What a fixture reads, tables too, becomes streams under windows that are drawn. The rule is applied to that plan, and
the judge asked about both plans at every instant at which anything changes, or at every boundary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import cycle
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sqlglot import exp

import fixture_cases
from datacell.algebra import tree
from datacell.algebra.plan import Apply, Map, Order, Plan, Stream, Table, Window
from datacell.algebra.query import Query
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import TIMESTAMP
from datacell.algebra.window import WindowSpec, is_sampled
from datacell.errors import EngineError
from datacell.rewrite.driver import fixed_point
from datacell.rewrite.rules import DECIDE
from properties.queries import SECONDS, SEVERAL, rows
from reference import Reference
from rewrite.rule_cases import FOLDER, KNOWN, RuleCase
from sample import Values, at, bind, catalog, engine
from window_laws import Feed, Row

WINDOWS = {
    "every instant": ("RANGE 2 SECONDS", "FIXED 3 SECONDS", "NOW", "UNBOUNDED"),
    "boundaries": ("RANGE 3 SECONDS SLIDE 2 SECONDS", "FIXED 4 SECONDS SLIDE 2 SECONDS", "LANDMARK SLIDE 4 SECONDS"),
}
NOT_AT_BOUNDARIES = {"insert_coalesce"}
"""At a boundary there is nothing to be joined."""

ENOUGH = 100_000_000
"""A lateness within which everything lies."""

Snapshots = list[tuple[int, Counter[tuple[Any, ...]]]]
Orders = list[list[tuple[Any, ...]]]
"""The values of what the rows of each snapshot are ordered by, in order."""


class InOrder(Reference):
    """The judge, who also says in which order the rows come: an answer is one list of them."""

    def _answer(self, *asked: Any) -> Counter[tuple[Any, ...]]:
        return Counter([tuple(self._listed(*asked))])


def cases(rule: str, when: str) -> list[RuleCase]:
    """The fixtures in which the rule fires over windows."""
    specs = [_spec(text) for text in WINDOWS[when]]
    fixtures = (case for case in fixture_cases.read(FOLDER, rule, RuleCase) if not case.must_not_fire)
    return [case for case in fixtures if _changed(case, specs[:2]) is not None]


@pytest.mark.parametrize("when", WINDOWS)
@pytest.mark.parametrize("rule", KNOWN)
def test_a_rule_keeps_every_snapshot(rule: str, when: str) -> None:
    usable = cases(rule, when)
    if when == "boundaries" and rule in NOT_AT_BOUNDARIES:
        assert not usable
        return
    assert usable, "no fixture of the rule can be asked about streams"

    @settings(SEVERAL, max_examples=6)
    @given(st.sampled_from(usable), st.lists(st.sampled_from(WINDOWS[when]), min_size=2, max_size=2), st.integers(0))
    def check(case: RuleCase, windows: list[str], seed: int) -> None:
        plans = _changed(case, list(map(_spec, windows)))
        assume(plans is not None)
        assert plans is not None
        lateness = Random(seed).choice([0, 2_000_000, ENOUGH])
        keys = min(map(_key_count, plans))
        before, after = (_judged(plan, _streams(seed, lateness), keys) for plan in plans)
        assume(before is not None and after is not None)
        assert before is not None
        assert after is not None
        assert after[0] == before[0]
        assert after[1] == before[1] or before[1] is None or after[1] is None
        assert _is_ordered(plans[1]) or not _is_ordered(plans[0])

    check()


@pytest.mark.parametrize("when", WINDOWS)
def test_what_is_decided_depends_on_the_rows_alone(when: str) -> None:
    @settings(SEVERAL, max_examples=20)
    @given(st.sampled_from(cases("break_ties", when)), st.sampled_from(WINDOWS[when]), st.integers(0))
    def check(case: RuleCase, window: str, seed: int) -> None:
        plans = _changed(case, [_spec(window)])
        assume(plans is not None)
        assert plans is not None
        streams = _streams(seed, ENOUGH)
        turned = {name: replace(feed, rows=feed.rows[::-1]) for name, feed in streams.items()}
        keys = _key_count(plans[1])
        assert _judged(plans[1], turned, keys) == _judged(plans[1], streams, keys)

    check()


@cache
def _spec(text: str) -> WindowSpec:
    return tree.windows(bind(f"SELECT k FROM s [{text}]").plan)[0].window


def _changed(case: RuleCase, specs: list[WindowSpec]) -> tuple[Plan, Plan] | None:
    """The plans before and after the rule over windows, if it fires there."""
    before = _over_windows(case.plans()[0], cycle(specs))
    after = fixed_point(before, (KNOWN[case.file],))
    asks_when = tree.reads_boundary(before) and not all(map(is_sampled, specs))
    return None if after is before or asks_when or not tree.windows(before) else (before, after)


def _over_windows(plan: Plan, specs: Iterator[WindowSpec]) -> Plan:
    match plan:
        case Window(child):
            return Window(child, next(specs))
        case Table(name, alias, columns):
            return Window(Stream(name, alias, columns), next(specs))
        case Stream():
            return Window(plan, next(specs))
    return plan.with_children([_over_windows(child, specs) for child in plan.children])


def _streams(seed: int, lateness: int) -> Mapping[str, Feed]:
    """Everything in the sample catalog as a stream: with duplicates, NULLs, equal timestamps, in any order."""
    chance = Random(seed)
    drawn = rows(chance)
    time = Field("ts", TIMESTAMP)
    columns = {stream.name: stream.fields for stream in catalog().streams.values()}
    columns |= {name: (time, *fields) for name, fields in catalog().tables.items()}
    timed = {name: [(chance.choice(SECONDS), *row) for row in drawn[name]] for name in catalog().tables}
    values: dict[str, Values] = {**drawn, **timed}
    return {name: Feed(fields, _named(fields, values[name]), "ts", lateness) for name, fields in columns.items()}


def _named(fields: tuple[Field, ...], values: Values) -> list[Row]:
    names = [f.name for f in fields]
    return [dict(zip(names, (at(first), *rest), strict=True)) for first, *rest in values]


def _judged(plan: Plan, streams: Mapping[str, Feed], keys: int) -> tuple[Snapshots, Orders | None] | None:
    """What the judge says; None of a subquery that DuckDB cannot run as it stands."""
    ordered, keyed = _with_keys(fixed_point(plan, DECIDE), keys)
    judge = InOrder(streams, {}, engine())
    try:
        found = judge.answers(Query(keyed, ""))
    except EngineError:
        if any(isinstance(node, Apply) for node in tree.descendants(plan)):
            return None
        raise
    width = len(plan.schema.names)
    listed = [[tuple(map(_rounded, row)) for row in next(iter(answer.rows), ())] for answer in found]
    snapshots = [(a.boundary, Counter(row[:width] for row in rows)) for a, rows in zip(found, listed, strict=True)]
    return snapshots, [[row[width:] for row in rows] for rows in listed] if ordered else None


def _is_ordered(plan: Plan) -> bool:
    return isinstance(plan, Order) or (isinstance(plan, Map) and _is_ordered(plan.child))


def _key_count(plan: Plan) -> int:
    """By how much a user has ordered the answer; what decides ties comes after it."""
    match plan:
        case Order(keys=keys) | Map(Order(keys=keys)):
            return len(keys)
    return 0


def _with_keys(plan: Plan, count: int) -> tuple[bool, Plan]:
    """Is the answer ordered? Then with what it is ordered by as further columns."""
    match plan:
        case Order(keys=keys) if count:
            return True, Map(plan, (*plan.schema.passing(), *_keys([k.value for k in keys[:count]], plan)))
        case Map(Order(keys=keys) as child, columns) if count:
            return True, Map(child, (*columns, *_keys([k.value for k in keys[:count]], child)))
    return False, plan


def _keys(values: list[exp.Expr], below: Plan) -> list[Named]:
    """Only columns: what else a user orders by has been computed below."""
    types = {f.name: f.type for f in below.schema}
    return [Named(f"key {i}", v, types[v.name]) for i, v in enumerate(values) if isinstance(v, exp.Column)]


def _rounded(value: Any) -> Any:
    return round(value, 9) if isinstance(value, float) else value
