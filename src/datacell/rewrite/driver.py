"""Applies rules until nothing changes.

After every step that changes something the schema must be the one before, and a plan must never come back: the rule
that breaks either is named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from datacell.algebra.plan import Plan
from datacell.algebra.query import Query
from datacell.errors import PlanError

Rewrite = Callable[[Plan], Plan]
Settled = dict[int, Plan]
"""Plans by their identity that a rule has nothing to do with."""

MAX_ROUNDS = 100
"""More rounds than this mean that a rule always finds something to do."""


@dataclass(frozen=True)
class NodeRule:
    """Sees one operator with its inputs; returns the same object where it has nothing to do."""

    name: str
    rewrite: Rewrite

    def apply(self, plan: Plan, settled: Settled | None = None) -> Plan:
        """The plan rewritten from its leaves up. What the rule has nothing to do with is not looked at again."""
        known: Settled = {} if settled is None else settled

        def rewritten(node: Plan) -> Plan:
            if id(node) in known:
                return node
            new = self.rewrite(node.with_children([rewritten(child) for child in node.children]))
            if new is node:
                known[id(node)] = node
            return new

        return rewritten(plan)


@dataclass(frozen=True)
class PlanRule:
    """Sees the whole plan, because what it needs comes from the top."""

    name: str
    rewrite: Rewrite

    def apply(self, plan: Plan, settled: Settled | None = None) -> Plan:
        known: Settled = {} if settled is None else settled
        if id(plan) in known:
            return plan
        new = self.rewrite(plan)
        if new is plan or new == plan:
            known[id(plan)] = plan
            return plan
        return new


Rule = NodeRule | PlanRule
Phase = tuple[Rule, ...]


def optimize(query: Query, phases: Sequence[Phase]) -> Query:
    """The query with its plan rewritten by each phase in turn, again and again until that changes nothing.

    What one phase does may open the way for an earlier one. A query that needs no rewriting comes back as it is.
    """
    plan = query.plan
    settled: dict[str, Settled] = defaultdict(dict)
    for _ in range(MAX_ROUNDS):
        before = plan
        for phase in phases:
            plan = fixed_point(plan, phase, settled)
        if plan == before:
            return query if before is query.plan else replace(query, plan=before)
    raise PlanError(f"no end after {MAX_ROUNDS} rounds of all phases")


def fixed_point(plan: Plan, rules: Phase, settled: dict[str, Settled] | None = None) -> Plan:
    """Apply the rules in order, again and again, until a whole round changes nothing."""
    seen, known = {plan}, defaultdict(dict) if settled is None else settled
    for _ in range(MAX_ROUNDS):
        before = plan
        for rule in rules:
            plan = _step(plan, rule, seen, known[rule.name])
        if plan == before:
            return plan
    raise PlanError(f"no end after {MAX_ROUNDS} rounds of {', '.join(r.name for r in rules)}")


def _step(plan: Plan, rule: Rule, seen: set[Plan], settled: Settled) -> Plan:
    try:
        new = rule.apply(plan, settled)
    except PlanError as error:
        raise PlanError(f"rule {rule.name} made an invalid plan: {error.message}") from error
    if new is plan or new == plan:
        return plan
    if new.schema != plan.schema:
        raise PlanError(f"rule {rule.name} changed the schema from {plan.schema} to {new.schema}")
    if new in seen:
        raise PlanError(f"rule {rule.name} led back to an earlier plan: the rules run in a cycle")
    seen.add(new)
    return new
