"""What the plans of a query at boundaries read: the slots that a running query fills."""

from __future__ import annotations

from dataclasses import dataclass

from datacell.algebra import tree
from datacell.algebra.plan import Input, Plan, Slot, Stream

TIME = "time′"
"""The column of rows that have just come which tells the time of each, where a plan reads it."""


@dataclass(frozen=True)
class BasketRows(Slot):
    """Rows of a stream that have just come; with their slices where they are in several."""

    stream: str

    def __str__(self) -> str:
        return f"basket {self.stream}"


@dataclass(frozen=True)
class Boundaries(Slot):
    """The boundaries that are due."""

    def __str__(self) -> str:
        return "boundaries"


@dataclass(frozen=True)
class WindowRows(Slot):
    """The rows that window number `index` shows, with their positions."""

    index: int

    def __str__(self) -> str:
        return f"window {self.index + 1}"


@dataclass(frozen=True)
class ShownRows(Slot):
    """What is shown of leaf number `leaf` of a split query."""

    leaf: int

    def __str__(self) -> str:
        return f"shown {self.leaf + 1}"


@dataclass(frozen=True)
class ScanRows(Slot):
    """The rows of a leaf that running combinations run over, with their groups and scan positions."""

    leaf: int

    def __str__(self) -> str:
        return f"scan rows {self.leaf + 1}"


@dataclass(frozen=True)
class Probes(Slot):
    """The scan positions at which running combinations of a leaf are asked for."""

    leaf: int

    def __str__(self) -> str:
        return f"probes {self.leaf + 1}"


@dataclass(frozen=True)
class TreeNodes(Slot):
    """For scan positions of a leaf, the larger nodes of the aggregate tree that they are in."""

    leaf: int

    def __str__(self) -> str:
        return f"tree nodes {self.leaf + 1}"


@dataclass(frozen=True)
class NodeProbes(Slot):
    """The nodes of the aggregate tree of a leaf that make up what is asked for."""

    leaf: int

    def __str__(self) -> str:
        return f"node probes {self.leaf + 1}"


@dataclass(frozen=True)
class RelationRows(Slot):
    """Rows of a kept relation that are combined into fewer."""

    def __str__(self) -> str:
        return "rows"


BOUNDARIES, ROWS = Boundaries(), RelationRows()


def over_baskets(plan: Plan) -> Plan:
    """The plan over rows that have just come instead of streams."""

    def change(node: Plan) -> Plan:
        return Input(BasketRows(node.name), node.columns, node.alias) if isinstance(node, Stream) else node

    return tree.transform_up(plan, change)
