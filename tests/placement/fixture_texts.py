"""Fixture files of placement: queries and how EXPLAIN PHYSICAL shows them, which a flag can write again.

::

    == A title
    SELECT …
    rates: s 2000, r 50             rows per second, if declared
    -- explained
    (the text)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from datacell.explain import Format, Setting, Stage, explain_query
from datacell.placement.statistics import Statistics
from datacell.placement.unit_costs import SHIPPED
from sample import bind

FOLDER = Path(__file__).parent / "fixtures"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
_RATES = "rates: "


@dataclass(frozen=True)
class Case:
    file: str
    title: str
    sql: str
    rates: str
    expected: str

    def explained(self) -> str:
        pairs = [one.split() for one in self.rates.split(",") if one]
        known = Statistics({name: float(rate) for name, rate in pairs}, distinct={"k": 40.0, "n": 4.0})
        return explain_query(bind(self.sql), Stage.PHYSICAL, Format.TEXT, setting=Setting(known, SHIPPED))

    def text(self) -> str:
        """The case as it should stand in its file."""
        rates = [f"{_RATES}{self.rates}"] if self.rates else []
        return "\n".join([f"== {self.title}", self.sql, *rates, "-- explained", self.explained()])


def read(name: str) -> list[Case]:
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return [_case(name, part) for part in text.split("== ")[1:]]


def write(name: str, cases: list[Case]) -> None:
    (FOLDER / f"{name}.txt").write_text("\n\n".join(case.text() for case in cases) + "\n", encoding="utf-8")


def _case(name: str, text: str) -> Case:
    head, _, expected = text.partition("-- explained\n")
    title, *lines = head.strip().split("\n")
    rates = next((line.removeprefix(_RATES) for line in lines if line.startswith(_RATES)), "")
    sql = "\n".join(line for line in lines if not line.startswith(_RATES))
    return Case(name, title, sql, rates, expected.strip())
