"""Applies rules until nothing changes.

After every step that changes something the schema must be the one before, and a plan must never come back: the rule
that breaks either is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from datacell.algebra import tree
from datacell.algebra.plan import Plan
from datacell.algebra.query import Query
from datacell.errors import PlanError

Rewrite = Callable[[Plan], Plan]

MAX_ROUNDS = 100
"""More rounds than this mean that a rule always finds something to do."""


@dataclass(frozen=True)
class NodeRule:
    """Sees one operator with its inputs; returns the same object where it has nothing to do."""

    name: str
    rewrite: Rewrite

    def apply(self, plan: Plan) -> Plan:
        return tree.transform_up(plan, self.rewrite)


@dataclass(frozen=True)
class PlanRule:
    """Sees the whole plan, because what it needs comes from the top."""

    name: str
    rewrite: Rewrite

    def apply(self, plan: Plan) -> Plan:
        return self.rewrite(plan)


Rule = NodeRule | PlanRule
Phase = tuple[Rule, ...]


def optimize(query: Query, phases: Sequence[Phase]) -> Query:
    """The query with its plan rewritten by each phase in turn, again and again until that changes nothing.

    What one phase does may open the way for an earlier one. A query that needs no rewriting comes back as it is.
    """
    plan = query.plan
    for _ in range(MAX_ROUNDS):
        before = plan
        for phase in phases:
            plan = fixed_point(plan, phase)
        if plan == before:
            return query if before is query.plan else replace(query, plan=before)
    raise PlanError(f"no end after {MAX_ROUNDS} rounds of all phases")


def fixed_point(plan: Plan, rules: Phase) -> Plan:
    """Apply the rules in order, again and again, until a whole round changes nothing."""
    seen = {plan}
    for _ in range(MAX_ROUNDS):
        before = plan
        for rule in rules:
            plan = _step(plan, rule, seen)
        if plan == before:
            return plan
    raise PlanError(f"no end after {MAX_ROUNDS} rounds of {', '.join(r.name for r in rules)}")


def _step(plan: Plan, rule: Rule, seen: set[Plan]) -> Plan:
    try:
        new = rule.apply(plan)
    except PlanError as error:
        raise PlanError(f"rule {rule.name} made an invalid plan: {error.message}") from error
    if new == plan:
        return plan
    if new.schema != plan.schema:
        raise PlanError(f"rule {rule.name} changed the schema from {plan.schema} to {new.schema}")
    if new in seen:
        raise PlanError(f"rule {rule.name} led back to an earlier plan: the rules run in a cycle")
    seen.add(new)
    return new
