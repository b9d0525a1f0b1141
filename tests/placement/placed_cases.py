"""Cases of placement: queries and how EXPLAIN PHYSICAL shows them.

``rates: s 2000, r 50`` declares rows per second, ``memory: 1000000`` the bytes that the driver keeps of a relation.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from datacell.compile import Setting
from datacell.compile.explain import Format, Stage, explain_query
from datacell.placement.homes import DRIVER_MEMORY
from datacell.placement.statistics import Statistics
from datacell.placement.unit_costs import SHIPPED
from fixture_cases import FixtureCase

FOLDER = Path(__file__).parent / "fixtures"


@dataclass(frozen=True)
class PlacedCase(FixtureCase):
    words = ("rates", "memory")

    def found(self) -> dict[str, str]:
        pairs = [one.split() for one in self.said.get("rates", "").split(",") if one]
        known = Statistics({name: float(rate) for name, rate in pairs}, distinct={"k": 40.0, "n": 4.0})
        setting = Setting(known, SHIPPED, driver_memory=int(self.said.get("memory", DRIVER_MEMORY)))
        shown = explain_query(self.query(), Stage.PHYSICAL, Format.TEXT, setting=setting)
        return {"explained": shown}
