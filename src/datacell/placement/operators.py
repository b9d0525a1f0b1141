"""What placement sees of a plan: operators with their source-driven sizes.

λ is what an operator puts out because of what the sources bring in a second. A placed operator runs `firings` times a
second, as part of a fragment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from datacell.algebra.plan import Plan, Values
from datacell.placement.homes import Home


class Site(Enum):
    """Where an operator runs."""

    SPARK = "spark"
    DUCKDB = "duckdb"

    @property
    def home(self) -> Home:
        """Where an engine reads rows and leaves them."""
        return Home.CLUSTER if self is Site.SPARK else Home.DRIVER


class OperatorKind(Enum):
    """Operators of one kind cost alike."""

    FILTER = "filter"
    MAP = "map"
    AGGREGATE = "aggregate"
    JOIN = "join"
    DISTINCT = "distinct"
    OVER = "over"
    ORDER = "order"
    UNION = "union"
    SET_OPERATION = "set operation"
    RUNNING = "running combination"
    """Costs what the operators do that it is expanded to."""


EVERYWHERE = frozenset(Site)
NOTHING = Values((), ())


@dataclass(frozen=True)
class Source:
    """Rows that are there: a batch, a slice, a table; λ, and bytes of a row."""

    name: str
    rate: float
    bytes: float = 8.0
    home: Home | None = Home.DRIVER
    """None for constants, which stand in the text of a plan and are wherever that is."""
    node: Plan = field(default=NOTHING, compare=False, repr=False)


@dataclass(frozen=True)
class Operator:
    """A relational operator: its inputs, λ and bytes of a row, how often it runs, and where it may."""

    kind: OperatorKind
    name: str
    inputs: tuple[Input, ...]
    rate: float
    bytes: float = 8.0
    firings: float = 1.0
    sites: frozenset[Site] = EVERYWHERE
    weight: float = 1.0
    """How many times it does its work on each row: the functions of an `Over`."""
    wanted: Home = Home.DRIVER
    """Where the result must be in the end, if it is the topmost."""
    node: Plan = field(default=NOTHING, compare=False, repr=False)
    """The operator of the algebra that it is, or the topmost of several."""


Input = Operator | Source


def in_post_order(root: Input) -> Iterator[Operator]:
    """Every operator after its inputs. Sites of a plan are listed in this order."""
    if isinstance(root, Operator):
        for child in root.inputs:
            yield from in_post_order(child)
        yield root
