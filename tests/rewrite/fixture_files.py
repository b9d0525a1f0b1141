"""Fixture files of rules: cases in a text that a person can read and a flag can write again.

::

    == A title; for a case where the rule must not fire it starts with "not" and says why
    SELECT …
    first: split_filters            the rules that have run before, if any
    -- before
    (the plan)
    -- after
    (the plan, or "unchanged")
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from datacell.algebra import show
from datacell.algebra.plan import Plan
from datacell.algebra.query import Query
from datacell.rewrite.driver import Rule, fixed_point
from datacell.rewrite.rules import ALTERNATIVES, RULES
from sample import bind

FOLDER = Path(__file__).parent / "fixtures"
KNOWN: dict[str, Rule] = {rule.name: rule for phase in (*RULES, ALTERNATIVES) for rule in phase}


@dataclass(frozen=True)
class Case:
    rule: str
    title: str
    sql: str
    first: tuple[str, ...]
    before: str
    after: str

    @property
    def must_not_fire(self) -> bool:
        return self.title.startswith("not ")

    def query(self) -> Query:
        return bind(self.sql)

    def plans(self) -> tuple[Plan, Plan]:
        """The plan before the rule and after it."""
        before = fixed_point(self.query().plan, tuple(KNOWN[name] for name in self.first))
        return before, fixed_point(before, (KNOWN[self.rule],))

    def text(self) -> str:
        """The case as it should stand in its file."""
        before, after = self.plans()
        first = [f"first: {', '.join(self.first)}"] if self.first else []
        result = "unchanged" if after is before else show.text(after)
        return "\n".join([f"== {self.title}", self.sql, *first, "-- before", show.text(before), "-- after", result])


def read(rule: str) -> list[Case]:
    text = (FOLDER / f"{rule}.txt").read_text(encoding="utf-8")
    return [_case(rule, part) for part in text.split("== ")[1:]]


def write(rule: str, cases: list[Case]) -> None:
    (FOLDER / f"{rule}.txt").write_text("\n\n".join(case.text() for case in cases) + "\n", encoding="utf-8")


def _case(rule: str, text: str) -> Case:
    head, _, plans = text.partition("-- before\n")
    before, _, after = plans.partition("-- after\n")
    title, *lines = head.strip().split("\n")
    first = next((line for line in lines if line.startswith("first:")), "first:")
    sql = "\n".join(line for line in lines if not line.startswith("first:"))
    names = tuple(name.strip() for name in first.removeprefix("first:").split(",") if name.strip())
    return Case(rule, title, sql, names, before.strip("\n"), after.strip("\n"))
