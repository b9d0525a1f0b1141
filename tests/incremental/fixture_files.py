"""Fixture files of splitting: queries and how EXPLAIN INCREMENTAL shows them, which a flag can write again.

::

    == A title
    SELECT …
    strategy: incremental           if it is not left to the cell
    -- explained
    (the text)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from datacell.algebra.query import Query
from datacell.explain import Format, Stage, explain_query
from datacell.incremental.strategy import Strategy
from sample import bind

FOLDER = Path(__file__).parent / "fixtures"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
_STRATEGY = "strategy: "


@dataclass(frozen=True)
class Case:
    file: str
    title: str
    sql: str
    strategy: Strategy
    expected: str

    def query(self) -> Query:
        return bind(self.sql)

    def explained(self) -> str:
        return explain_query(self.query(), Stage.INCREMENTAL, Format.TEXT, strategy=self.strategy)

    def text(self) -> str:
        """The case as it should stand in its file."""
        asked = [] if self.strategy is Strategy.AUTO else [f"{_STRATEGY}{self.strategy.value}"]
        return "\n".join([f"== {self.title}", self.sql, *asked, "-- explained", self.explained()])


def read(name: str) -> list[Case]:
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return [_case(name, part) for part in text.split("== ")[1:]]


def write(name: str, cases: list[Case]) -> None:
    (FOLDER / f"{name}.txt").write_text("\n\n".join(case.text() for case in cases) + "\n", encoding="utf-8")


def _case(name: str, text: str) -> Case:
    head, _, expected = text.partition("-- explained\n")
    title, *lines = head.strip().split("\n")
    asked = next((line.removeprefix(_STRATEGY) for line in lines if line.startswith(_STRATEGY)), "auto")
    sql = "\n".join(line for line in lines if not line.startswith(_STRATEGY))
    return Case(name, title, sql, Strategy(asked), expected.strip("\n"))
