"""The files of benchmarks/results, read back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_DIRECTORY = Path(__file__).parents[2] / "benchmarks" / "results"
_COLUMN = re.compile(r"\S+(?: \S+)*")
_HEADLINE = re.compile(r"^(\w+) = (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Results:
    """The rows of a bench by column, its headline, and the machine."""

    rows: Sequence[dict[str, str]]
    headline: dict[str, float]
    machine: str

    def numbers(self, column: str, **wanted: str) -> list[float]:
        """What stands in a column of the rows with these values in others."""
        found = [row[column] for row in self.rows if wanted.items() <= row.items()]
        assert found, f"no row has {wanted}"
        return [number(value) for value in found]


def read(bench: str) -> Results:
    lines = (_DIRECTORY / f"{bench}.txt").read_text(encoding="utf-8").splitlines()
    end = lines.index("", 2)
    columns = list(_COLUMN.finditer(lines[2]))
    ends = [*(column.start() for column in columns[1:]), None]
    rows = [
        {column[0]: line[column.start() : stop].strip() for column, stop in zip(columns, ends, strict=True)}
        for line in lines[3:end]
    ]
    headline = {name: number(value) for name, value in _HEADLINE.findall("\n".join(lines[end:]))}
    return Results(rows, headline, lines[-1])


def number(text: str) -> float:
    return float(text.replace(",", ""))
