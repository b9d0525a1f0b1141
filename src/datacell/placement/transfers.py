"""Transfers: the operators of a physical plan that bring rows from one home to the other.

There is one wherever an engine reads rows that are not at its home, and one at the top if the answer is not where it is
wanted. They follow from the sites of the operators and the homes of the sources.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from datacell.algebra.plan import Plan
from datacell.algebra.schema import Schema
from datacell.placement.costs import UnitCosts
from datacell.placement.fragments import over
from datacell.placement.homes import Home, megabytes
from datacell.placement.operators import Input, Operator, Site


@dataclass(frozen=True)
class Transfer(Plan):
    """The rows of `child` go to another home; λ, bytes a second, and u."""

    child: Plan
    to: Home
    rate: float
    bytes: float
    cost: float

    @cached_property
    def schema(self) -> Schema:
        return self.child.schema

    def head(self) -> str:
        return in_words(self.to, self.rate, self.bytes, self.cost)


@dataclass(frozen=True)
class Transferring:
    """A placed plan as it is shown: with its transfers, and the operator that each of its nodes stands for."""

    plan: Plan
    operators: dict[int, tuple[Operator, Site]]
    """By the identity of the node."""


def in_words(to: Home, rate: float, size: float, cost: float) -> str:
    rows = f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"
    return f"transfer to the {to.value}: {rows} rows/s, {megabytes(size)}/s, cost {cost:.2g}"


def with_transfers(root: Operator, sites: Sequence[Site], units: UnitCosts) -> Transferring:
    """The plan of a placement, with a transfer wherever rows change their home."""
    operators: dict[int, tuple[Operator, Site]] = {}

    def put(node: Operator, site: Site, plan: Plan) -> None:
        operators[id(plan)] = node, site

    plan, home = _shown(root, iter(sites), units, put)
    return Transferring(_at(root, plan, home, root.wanted, units), operators)


def _shown(
    node: Input, sites: Iterator[Site], units: UnitCosts, put: Callable[[Operator, Site, Plan], None]
) -> tuple[Plan, Home | None]:
    """A plan with its transfers, and where its rows are."""
    if not isinstance(node, Operator):
        return node.node, node.home
    below = [(child, *_shown(child, sites, units, put)) for child in node.inputs]
    site = next(sites)
    plan = over(node.node, iter([_at(child, plan, home, site.home, units) for child, plan, home in below]))
    put(node, site, plan)
    return plan, site.home


def _at(rows: Input, plan: Plan, home: Home | None, to: Home, units: UnitCosts) -> Plan:
    if home in (None, to):
        return plan
    return Transfer(plan, to, rows.rate, rows.rate * rows.bytes, units.transferred(rows, to))
