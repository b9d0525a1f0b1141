"""What compiling goes by: what is known of the streams, what engines cost, and what the user asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from datacell.algebra.definitions import StreamDefinition
from datacell.incremental.strategy import Strategy
from datacell.placement import unit_costs
from datacell.placement.costs import UnitCosts
from datacell.placement.operators import Site
from datacell.placement.statistics import Statistics, declared, together


@dataclass(frozen=True)
class Setting:
    """Without a wanted site every operator is placed by cost."""

    known: Statistics = Statistics()  # noqa: RUF009 - it is immutable
    units: UnitCosts = field(default_factory=unit_costs.load)
    wanted: Site | None = None
    strategy: Strategy = Strategy.AUTO


def statistics(streams: Iterable[StreamDefinition]) -> Statistics:
    """What is declared of streams."""
    return together(declared(s.name, s.options) for s in streams)
