"""From a plan to operators that can be placed, and from their sites to fragments.

Some neighbours always stay together: a group with its aggregate, an order with what reads it (rows would lose their
order on the way), filters and maps with each other. A fragment is a connected part of a plan on one engine; it reads
the result of another as a table. That is the paper's MIG operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from datacell.algebra.plan import (
    Aggregate,
    Distinct,
    Filter,
    Group,
    Input,
    Join,
    Map,
    Order,
    Over,
    Plan,
    Slot,
    Stream,
    Table,
    Unfold,
    Union,
    Values,
    Window,
)
from datacell.algebra.tree import Key, key
from datacell.incremental.running import Running
from datacell.intervals.framed import Framed
from datacell.placement.homes import DRIVER_MEMORY, Home, row_bytes
from datacell.placement.operators import EVERYWHERE, Operator, OperatorKind, Site, Source
from datacell.placement.operators import Input as Placeable
from datacell.placement.shapes import expanded, fallen_back
from datacell.placement.sizes import Sizes

_ON_SPARK = frozenset([Site.SPARK])

Refuses = Callable[[Plan, Plan], bool]
"""Of an operator, and it alone over tables: must DuckDB not run it?"""


@dataclass(frozen=True)
class FragmentResult(Slot):
    """What fragment number `number` of a placed plan gave."""

    number: int

    def __str__(self) -> str:
        return f"fragment {self.number + 1}"


@dataclass(frozen=True)
class Fragment:
    """A part of a plan for one engine, in its shape there; others read its result by its slot."""

    slot: FragmentResult
    site: Site
    plan: Plan
    instead: Plan
    """What Spark runs if that engine cannot finish it."""
    result: Plan
    """The operator of the whole plan whose rows these are."""


def operators(
    plan: Plan,
    sizes: Sizes,
    firings: float,
    refuses: Refuses,
    homes: Mapping[Key, Home] | None = None,
    memory: float = DRIVER_MEMORY,
) -> Placeable:
    """The operators of a plan that runs so many times a second, with their sizes; what they are made of stays beside.

    λ of what runs over tables is the rows of each run. Sources are in the driver unless they are said to be elsewhere.
    What does not fit the driver's memory is not brought there, so what reads it is on Spark.
    """
    if _is_source(plan):
        home = _home(plan, homes or {})
        return Source(plan.head(), firings * sizes.rows(plan), row_bytes(plan.schema), home, plan)
    inputs = tuple(operators(child, sizes, firings, refuses, homes, memory) for child in _inputs(plan))
    alone = over(plan, iter([_read(i.node, n) for n, i in enumerate(inputs)]))
    refused = refuses(plan, expanded(alone, Site.DUCKDB))
    return Operator(
        _kind(plan),
        plan.head(),
        inputs,
        firings * sizes.rows(plan),
        row_bytes(plan.schema),
        firings,
        _ON_SPARK if refused or any(_stays(i, firings, memory) for i in inputs) else EVERYWHERE,
        _weight(plan),
        node=plan,
    )


def delivered(root: Operator, wanted: Home, memory: float = DRIVER_MEMORY) -> Operator:
    """The topmost operator of a plan whose result is wanted at a home; DuckDB does not make what would not fit."""
    is_too_large = wanted is Home.CLUSTER and root.rate / root.firings * root.bytes > memory
    return replace(root, wanted=wanted, sites=_ON_SPARK if is_too_large else root.sites)


def windowed(plan: Plan, sizes: Sizes) -> Placeable:
    """The operators of a query over windows of streams, as the paper has them: with source-driven sizes."""
    if _is_source(plan) or isinstance(plan, Window):
        return Source(plan.head(), sizes.rate(plan), row_bytes(plan.schema), node=plan)
    inputs = tuple(windowed(child, sizes) for child in _inputs(plan))
    return Operator(
        _kind(plan), plan.head(), inputs, sizes.rate(plan), row_bytes(plan.schema), weight=_weight(plan), node=plan
    )


def fragments(root: Placeable, sites: Sequence[Site]) -> tuple[Fragment, ...]:
    """The fragments of a placed plan, each after those that it reads; the last gives the answer."""
    found: list[Fragment] = []
    if isinstance(root, Source):
        return (Fragment(FragmentResult(0), Site.DUCKDB, root.node, root.node, root.node),)
    plan, _ = _cut(root, iter(sites), found)
    return (*found, fragment(len(found), sites[-1], plan, root.node))


def over(plan: Plan, inputs: Iterator[Plan]) -> Plan:
    """The same operators over other inputs."""
    return plan.with_children([over(c, inputs) if _fuses(plan, c) else next(inputs) for c in plan.children])


def fragment(number: int, site: Site, plan: Plan, result: Plan) -> Fragment:
    """A part of a plan in the shape that it has on an engine."""
    return Fragment(FragmentResult(number), site, expanded(plan, site), fallen_back(plan, site), result)


def _cut(node: Placeable, sites: Iterator[Site], found: list[Fragment]) -> tuple[Plan, Site | None]:
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
        found.append(fragment(len(found), site, plan, child.node))
        inputs.append(Input(found[-1].slot, child.node.schema.fields))
    return over(node.node, iter(inputs)), own


def _home(source: Plan, homes: Mapping[Key, Home]) -> Home | None:
    if isinstance(source, Table | Stream | Input):
        return homes.get(key(source), Home.DRIVER)
    return None


def _stays(rows: Placeable, firings: float, memory: float) -> bool:
    """Are the rows on the cluster for sure, and too many in a run for the driver?"""
    on_cluster = rows.home is Home.CLUSTER if isinstance(rows, Source) else rows.sites == _ON_SPARK
    return on_cluster and rows.rate / firings * rows.bytes > memory


def _is_source(plan: Plan) -> bool:
    return isinstance(plan, Table | Values | Stream | Input)


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


def _read(plan: Plan, number: int) -> Plan:
    return plan if isinstance(plan, Values) else Input(FragmentResult(number), plan.schema.fields)


def _weight(plan: Plan) -> float:
    match plan:
        case Over(functions=functions):
            return float(len(functions))
        case Framed(aggregates=aggregates):
            return float(len(aggregates))
        case Running(combination=combination):
            return 1.0 + sum(len(p.combined) for p in combination.decompositions)
    return 1.0


def _kind(plan: Plan) -> OperatorKind:
    if any(isinstance(c, Order) and _fuses(plan, c) for c in plan.children):
        return OperatorKind.ORDER
    match plan:
        case Map(Filter() | Map() as child):
            return _kind(child)
        case Filter():
            return OperatorKind.FILTER
        case Map() | Unfold():
            return OperatorKind.MAP
        case Aggregate() | Group():
            return OperatorKind.AGGREGATE
        case Join():
            return OperatorKind.JOIN
        case Distinct():
            return OperatorKind.DISTINCT
        case Over() | Framed():
            return OperatorKind.OVER
        case Running():
            return OperatorKind.RUNNING
        case Order():
            return OperatorKind.ORDER
        case Union():
            return OperatorKind.UNION
    return OperatorKind.SET_OPERATION
