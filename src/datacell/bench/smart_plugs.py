"""CQ1 to CQ6 of the paper on federated optimization, from `examples/smart_plugs.sql`, and what is known of the data."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from datacell.errors import DataCellError
from datacell.placement.statistics import Statistics
from datacell.sql import script
from datacell.sql.statements.statement import CreateQuery, CreateStream

_SCRIPT = Path("examples/smart_plugs.sql")

STREAM = """CREATE STREAM plugs (id BIGINT, ts TIMESTAMP, value DOUBLE, property INT, plug INT, household INT,
house INT, WATERMARK FOR ts AS ts)"""


@cache
def queries() -> dict[str, CreateQuery]:
    """By name."""
    if not _SCRIPT.exists():
        raise DataCellError(f"there is no file {_SCRIPT}", hint="run this bench in the project's directory")
    placed = script.read(_SCRIPT.read_text(encoding="utf-8"), file=str(_SCRIPT))
    statements = [p.statement for p in placed]
    assert any(isinstance(s, CreateStream) for s in statements)
    return {s.name: s for s in statements if isinstance(s, CreateQuery)}


def known(rate: float, houses: int) -> Statistics:
    """What a user would declare: houses have some six households of seven plugs on average, at most 11 of 14."""
    return Statistics(
        {"plugs": rate}, distinct={"property": 2.0, "plug": 7.5, "household": 6.5, "house": float(houses)}
    )
