"""Cases of splitting: queries and how EXPLAIN INCREMENTAL shows them, under the strategy they ask for, if any."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from datacell.compile import Setting
from datacell.compile.explain import Stage, explain_query
from datacell.incremental.strategy import Strategy
from fixture_cases import FixtureCase

FOLDER = Path(__file__).parent / "fixtures"


@dataclass(frozen=True)
class SplitCase(FixtureCase):
    words = ("strategy",)

    def found(self) -> dict[str, str]:
        strategy = Strategy(self.said.get("strategy", "auto"))
        return {"explained": explain_query(self.query(), Stage.INCREMENTAL, setting=Setting(strategy=strategy))}
