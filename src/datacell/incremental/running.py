"""Running combinations: for each probe, the combination of all rows of its group up to its position.

Rows stand at scan positions t₁ ≤ t₂ ≤ … within groups; a probe asks for everything up to a position. Prefixes run
forward, suffixes backward. Nothing is ever subtracted. A group is named by the position at which it ends, and no two
groups have positions in common.

The operator says what is wanted, not how. There are two ways:

- *sorted*: what has run up to a row of a key is what every position shows from there on, until the key's next row or
  the end of the group;
- by an *aggregate tree*: positions are put together to nodes, nodes to larger ones, and every probe asks for the few
  nodes that make up what it shows.

Placement chooses, because engines differ in what sorting costs them beside joining and grouping.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.combining import aligned, combining
from datacell.algebra.frames import following, so_far
from datacell.algebra.plan import Input, Join, Map, Over, Plan, Unfold, Union
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import BIGINT
from datacell.incremental.inputs import NodeProbes, Probes, ScanRows, TreeNodes
from datacell.incremental.merge import folded
from datacell.incremental.relations import Combination, fields

GROUP, POSITION, PROBED, NODE = "group′", "position′", "probed′", "node′"
"""Columns: the group that a row runs in and its position there; what a probe asks for; a node of the aggregate tree."""

_RUN, _NEXT, _SHOWN = "run′", "next′", "shown′"


class Shape(Enum):
    """How running combinations are computed."""

    SORTED = "sorted"
    TREE = "by an aggregate tree"


@dataclass(frozen=True)
class Running(Plan):
    """For each probe, rows whose combination is that of its group up to its position."""

    rows: Plan
    probes: Plan
    combination: Combination
    columns: tuple[Field, ...]
    at: Field
    leaf: int

    @cached_property
    def schema(self) -> Schema:
        return Schema((*self.columns, self.at))

    def head(self) -> str:
        return f"running combination at each {self.at.name.rstrip('′')}"


def running(columns: tuple[Field, ...], combination: Combination, leaf: int, at: Field) -> Running:
    """Over the scan rows and probes of a leaf."""
    rows = Input(ScanRows(leaf), (*columns, *fields(GROUP, POSITION)))
    return Running(rows, Input(Probes(leaf), (at, *fields(PROBED))), combination, columns, at, leaf)


def shaped(node: Running, shape: Shape) -> Plan:
    """The operator in relational terms."""
    return sorted_running(node) if shape is Shape.SORTED else _by_tree(node)


def suffixes(columns: tuple[Field, ...], combination: Combination, at: Field) -> Plan:
    """Running combinations of rows of which many share a position: they are folded first, and then sorted."""
    node = running(columns, combination, 0, at)
    return sorted_running(replace(node, rows=folded(node.rows, combination, (GROUP, POSITION))))


def sorted_running(node: Running) -> Plan:
    """Of rows at the same position only the last one is shown at any."""
    keys = (*node.combination.keys, GROUP)
    values = combining(node.combination.decompositions)
    runs_to = (Named(f"{v.name}{_RUN}", so_far(v.value, keys, (POSITION,)), v.type) for v in values)
    next_row = Named(_NEXT, following(POSITION, keys, (POSITION,)), BIGINT)
    runs = Over(aligned(node.rows, keys, node.combination.decompositions), (*runs_to, next_row))
    until = scalar.call("coalesce", scalar.column(_NEXT), scalar.column(GROUP))
    shown = Unfold(runs, scalar.column(POSITION), until, _SHOWN)
    asked = Join(shown, node.probes, condition=_equal(_SHOWN, PROBED))
    finished = {v.name: replace(v, value=scalar.column(f"{v.name}{_RUN}")) for v in values}
    passed = {c.name: c for c in asked.schema.passing()}
    return Map(asked, tuple(finished.get(n) or passed[n] for n in node.schema.names))


def _by_tree(node: Running) -> Plan:
    names = [f.name for f in node.columns]
    rows = Map(node.rows, node.rows.schema.passing((*names, POSITION)))
    larger = Input(TreeNodes(node.leaf), fields(PROBED, NODE))
    inside = Join(rows, larger, condition=_equal(POSITION, PROBED))
    at_nodes = Map(inside, (*inside.schema.passing(names), Named(POSITION, scalar.column(NODE), BIGINT)))
    nodes = folded(at_nodes, node.combination, (POSITION,))
    probes = Input(NodeProbes(node.leaf), (node.at, *fields(PROBED)))
    asked = Join(Union((rows, nodes)), probes, condition=_equal(POSITION, PROBED))
    return Map(asked, asked.schema.passing((*names, node.at.name)))


def _equal(left: str, right: str) -> exp.Expr:
    return exp.EQ(this=scalar.column(left), expression=scalar.column(right))
