"""How engines are chosen for the operators of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from datacell.placement.costs import UnitCosts, Work
from datacell.placement.enumeration import Sites, decomposed
from datacell.placement.operators import Operator, Site, in_post_order


class Policy(Protocol):
    looks_again: bool
    """Is the choice made again when more is known?"""

    def sites(self, root: Operator, units: UnitCosts) -> Sites: ...


@dataclass(frozen=True)
class Alone:
    """Everything on one engine."""

    site: Site
    looks_again = False

    def sites(self, root: Operator, units: UnitCosts) -> Sites:  # noqa: ARG002 - whatever it costs
        return tuple(self.site for _ in in_post_order(root))


class ByCost:
    """The best plan there is; again and again."""

    looks_again = True

    def sites(self, root: Operator, units: UnitCosts) -> Sites:
        return decomposed(root, units, Work.IN_TURNS).best.sites
