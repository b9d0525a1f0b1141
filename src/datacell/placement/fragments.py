"""From a plan to operators that can be placed, and from their sites to fragments.

Some neighbours always stay together: a group with its aggregate, an order with what reads it (rows would lose their
order on the way), filters and maps with each other. A fragment is a connected part of a plan on one engine; it reads
the result of another as a table. That is the paper's MIG operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from datacell.algebra.plan import (
    Aggregate,
    Distinct,
    Filter,
    Group,
    Join,
    Map,
    Order,
    Over,
    Plan,
    Stream,
    Table,
    Unfold,
    Union,
    Values,
    Window,
)
from datacell.incremental.relations import reading
from datacell.placement.operators import EVERYWHERE, Input, Kind, Operator, Site, Source
from datacell.placement.sizes import Sizes

Refuses = Callable[[Plan, Plan], bool]
"""Of an operator, and it alone over tables: must DuckDB not run it?"""


@dataclass(frozen=True)
class Fragment:
    """A part of a plan for one engine; `name` is the table that others read its result from."""

    name: str
    site: Site
    plan: Plan
    result: Plan
    """The operator of the whole plan whose rows these are."""


def operators(plan: Plan, sizes: Sizes, firings: float, refuses: Refuses) -> Input:
    """The operators of a plan that runs so many times a second, with their sizes; what they are made of stays beside.

    λ of what runs over tables is the rows of each run.
    """
    if _is_source(plan):
        return Source(plan.head(), firings * sizes.rows(plan), len(plan.schema.names), plan)
    inputs = tuple(operators(child, sizes, firings, refuses) for child in _inputs(plan))
    alone = _over(plan, iter([_read("input", i.node, n) for n, i in enumerate(inputs)]))
    return Operator(
        _kind(plan),
        plan.head(),
        inputs,
        firings * sizes.rows(plan),
        len(plan.schema.names),
        firings,
        frozenset([Site.SPARK]) if refuses(plan, alone) else EVERYWHERE,
        _weight(plan),
        plan,
    )


def windowed(plan: Plan, sizes: Sizes) -> Input:
    """The operators of a query over windows of streams, as the paper has them: with source-driven sizes."""
    if _is_source(plan) or isinstance(plan, Window):
        return Source(plan.head(), sizes.rate(plan), len(plan.schema.names), plan)
    inputs = tuple(windowed(child, sizes) for child in _inputs(plan))
    return Operator(
        _kind(plan), plan.head(), inputs, sizes.rate(plan), len(plan.schema.names), weight=_weight(plan), node=plan
    )


def fragments(root: Input, sites: Sequence[Site]) -> tuple[Fragment, ...]:
    """The fragments of a placed plan, each after those that it reads; the last gives the answer."""
    found: list[Fragment] = []
    if isinstance(root, Source):
        return (Fragment("answer′", Site.DUCKDB, root.node, root.node),)
    plan, _ = _cut(root, iter(sites), found)
    return (*found, Fragment("answer′", sites[-1], plan, root.node))


def _cut(node: Input, sites: Iterator[Site], found: list[Fragment]) -> tuple[Plan, Site | None]:
    """What is to be run for an operator, and where; what runs elsewhere is put with the fragments."""
    if isinstance(node, Source):
        return node.node, None
    below = [(child, *_cut(child, sites, found)) for child in node.inputs]
    own = next(sites)
    inputs = []
    for child, plan, site in below:
        if site is None or site is own:
            inputs.append(plan)
            continue
        fragment = Fragment(f"fragment′ {len(found)}", site, plan, child.node)
        found.append(fragment)
        inputs.append(reading(fragment.name, child.node.schema.fields))
    return _over(node.node, iter(inputs)), own


def _is_source(plan: Plan) -> bool:
    return isinstance(plan, Table | Values | Stream)


def _fuses(parent: Plan, child: Plan) -> bool:
    """Does the child run wherever the parent does?"""
    match parent, child:
        case (_, Order()) | (Aggregate(), Group()) | (Map() | Filter(), Map() | Filter()):
            return True
    return False


def _inputs(plan: Plan) -> Iterator[Plan]:
    for child in plan.children:
        if _fuses(plan, child):
            yield from _inputs(child)
        else:
            yield child


def _over(plan: Plan, inputs: Iterator[Plan]) -> Plan:
    """The same operators over other inputs."""
    return plan.with_children([_over(c, inputs) if _fuses(plan, c) else next(inputs) for c in plan.children])


def _read(name: str, plan: Plan, number: int) -> Plan:
    return plan if isinstance(plan, Values) else reading(f"{name} {number}", plan.schema.fields)


def _weight(plan: Plan) -> float:
    return float(len(plan.functions)) if isinstance(plan, Over) else 1.0


def _kind(plan: Plan) -> Kind:
    if any(isinstance(c, Order) and _fuses(plan, c) for c in plan.children):
        return Kind.ORDER
    match plan:
        case Map(Filter() | Map() as child):
            return _kind(child)
        case Filter():
            return Kind.FILTER
        case Map() | Unfold():
            return Kind.MAP
        case Aggregate() | Group():
            return Kind.AGGREGATE
        case Join():
            return Kind.JOIN
        case Distinct():
            return Kind.DISTINCT
        case Over():
            return Kind.OVER
        case Order():
            return Kind.ORDER
        case Union():
            return Kind.UNION
    return Kind.SET_OPERATION
