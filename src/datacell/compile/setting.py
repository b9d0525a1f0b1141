"""What compiling goes by: what is known of the streams, what engines cost, and what the user asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from datacell.algebra.definitions import StreamDefinition
from datacell.incremental.strategy import Strategy
from datacell.placement import unit_costs
from datacell.placement.costs import UnitCosts
from datacell.placement.homes import DRIVER_MEMORY
from datacell.placement.operators import Site
from datacell.placement.statistics import Statistics, declared, together


@dataclass(frozen=True)
class Setting:
    """Without a wanted site every operator is placed by cost."""

    known: Statistics = Statistics()  # noqa: RUF009 - it is immutable
    units: UnitCosts = field(default_factory=unit_costs.load)
    wanted: Site | None = None
    strategy: Strategy = Strategy.AUTO
    driver_memory: int = DRIVER_MEMORY
    """Bytes: a relation that would take more has its home on the cluster."""
    fed: frozenset[str] = frozenset()
    """Streams, in small letters, that no receptor reads: queries feed them, so their rows come from the driver."""
    untimed: frozenset[str] = frozenset()
    """Streams, in small letters, without an event time: a row's time is its arrival."""


def untimed(streams: Iterable[StreamDefinition]) -> frozenset[str]:
    return frozenset(s.name.lower() for s in streams if s.event_time is None)


def statistics(streams: Iterable[StreamDefinition]) -> Statistics:
    """What is declared of streams."""
    return together(declared(s.name, s.options) for s in streams)
