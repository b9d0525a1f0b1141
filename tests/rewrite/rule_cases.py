"""Cases of rules: the plan before the rule of the file's name and after it (or ``unchanged``).

A title that starts with "not" says why the rule must not fire; ``first: split_filters`` names what has run before.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from datacell.algebra import show
from datacell.algebra.plan import Plan
from datacell.rewrite.driver import Rule, fixed_point
from datacell.rewrite.rules import ALTERNATIVES, RULES
from fixture_cases import FixtureCase

FOLDER = Path(__file__).parent / "fixtures"
KNOWN: dict[str, Rule] = {rule.name: rule for phase in (*RULES, ALTERNATIVES) for rule in phase}


@dataclass(frozen=True)
class RuleCase(FixtureCase):
    words = ("first",)

    @property
    def must_not_fire(self) -> bool:
        return self.title.startswith("not ")

    def plans(self) -> tuple[Plan, Plan]:
        """The plan before the rule and after it."""
        first = tuple(KNOWN[name.strip()] for name in self.said.get("first", "").split(",") if name)
        before = fixed_point(self.query().plan, first)
        return before, fixed_point(before, (KNOWN[self.file],))

    def found(self) -> dict[str, str]:
        before, after = self.plans()
        return {"before": show.text(before), "after": "unchanged" if after is before else show.text(after)}
