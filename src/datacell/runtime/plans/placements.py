"""Where the plans of a query run, why there, and what is known of what they read."""

from __future__ import annotations

from dataclasses import dataclass, field

from datacell.placement.costs import UnitCosts
from datacell.placement.homes import DRIVER_MEMORY
from datacell.placement.statistics import Statistics
from datacell.placement.unit_costs import SHIPPED
from datacell.runtime.plans.placed import PlacedPlan
from datacell.runtime.plans.policy import Policy


@dataclass
class Placements:
    """The placed plans by name. Nothing is kept in an engine, so one can take over from another at any time."""

    policy: Policy
    known: Statistics = field(default_factory=Statistics)
    units: UnitCosts = SHIPPED
    driver_memory: int = DRIVER_MEMORY
    placed: dict[str, PlacedPlan] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)

    def close(self) -> None:
        for one in self.placed.values():
            one.close()
