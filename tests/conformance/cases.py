"""Cases as text files.

A file begins with its form and its table: ``row numbers`` (expressions of one row), ``group rows`` (aggregates by g) or
``query`` (whole queries). A case is a few lines: the SQL, behind ``=`` what Spark answers, behind ``duckdb`` what
DuckDB does: ``agrees``, ``refused: reasons``, or ``raises``, where the runtime falls back to Spark.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "expected"


@dataclass(frozen=True)
class Case:
    sql: str
    answer: tuple[str, ...] = ()
    duckdb: str = ""

    def __str__(self) -> str:
        return "\n".join((self.sql, *(f"    = {line}".rstrip() for line in self.answer), f"    duckdb {self.duckdb}"))


@dataclass(frozen=True)
class CaseFile:
    name: str
    form: str
    table: str
    cases: tuple[Case, ...]

    def __str__(self) -> str:
        return "\n\n".join((f"{self.form} {self.table}".strip(), *map(str, self.cases))) + "\n"


def read(path: Path) -> CaseFile:
    head, *blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
    form, _, table = head.strip().partition(" ")
    return CaseFile(path.stem, form, table, tuple(_case(block) for block in blocks))


def files() -> list[CaseFile]:
    return [read(path) for path in sorted(FOLDER.glob("*.txt"))]


def write(found: CaseFile) -> None:
    (FOLDER / f"{found.name}.txt").write_text(str(found), encoding="utf-8")


def _case(block: str) -> Case:
    lines = block.split("\n")
    answer = [line.strip().removeprefix("=").strip() for line in lines if line.startswith("    =")]
    duckdb = [line.strip().removeprefix("duckdb ") for line in lines if line.startswith("    duckdb ")]
    sql = [line for line in lines if not line.startswith("    ")]
    return Case("\n".join(sql), tuple(answer), "".join(duckdb))
