"""Changes in Debezium's envelope: of which rows a stream is made, and what is rejected."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.cell.cell import Cell
from datacell.errors import SqlError
from datacell.sql.script import defined

pytestmark = pytest.mark.spark

COLUMNS = (
    "id INT, `st.ate` STRING, amount DOUBLE CHECK (amount >= 0), op STRING, ts_ms TIMESTAMP,"
    " WATERMARK FOR ts_ms AS ts_ms"
)
START = 1_767_225_600_000


def change(op: str | None, second: int, before: Any = None, after: Any = None) -> dict[str, Any]:
    return {"before": before, "after": after, "source": {"table": "t"}, "op": op, "ts_ms": START + second * 1000}


def row(number: int, state: str, amount: Any = 1.5) -> dict[str, Any]:
    return {"id": number, "st.ate": state, "amount": amount, "more": "is not read"}


MESSAGES: list[Any] = [
    change("r", 1, after=row(1, "new")),
    {"schema": {"type": "struct"}, "payload": change("c", 2, after=row(2, "new"))},
    change("u", 61, before=row(1, "new"), after=row(1, "paid")),
    change("d", 70, before=row(2, "new")),
    change("t", 71),
    change(None, 72, after=row(9, "no envelope")),
    change("u", 73, before=row(9, "gone")),
    change("c", 74, after=row(8, "not a number", "x")),
    change("c", 75, after=row(8, "breaks a CHECK", -1)),
    {"id": 7, "state": "a plain row"},
]
ROWS = [(1, "new", "r", 1), (2, "new", "c", 2), (1, "paid", "u", 61), (2, "new", "d", 70)]


@pytest.fixture
def cell(spark: SparkSession, tmp_path: Path) -> Iterator[Cell]:
    cell = datacell.connect(checkpoint=tmp_path / "state", spark=spark)
    yield cell
    cell.stop()


def write(directory: Path, messages: list[Any], suffix: str) -> None:
    directory.mkdir()
    lines = [json.dumps(message) for message in messages]
    (directory / f"1.{suffix}").write_text("\n".join([*lines, "{ not JSON"]) + "\n")


@pytest.mark.parametrize("form", ["json", "text"])
def test_rows_are_those_of_the_table_as_they_are_after_a_change(cell: Cell, tmp_path: Path, form: str) -> None:
    write(tmp_path / "changes", MESSAGES, form)
    options = f"format = '{form}', path = '{tmp_path / 'changes'}', 'datacell.envelope' = 'Debezium'"
    cell.sql(f"CREATE STREAM t ({COLUMNS}) WITH ({options})")
    every = cell.query("SELECT id, `st.ate`, op, unix_seconds(ts_ms) AS at FROM t", name="every")
    latest = cell.query(
        "SELECT id, `st.ate` AS state FROM t [LATEST BY id DELETE WHEN (op = 'd') SLIDE 1 MINUTE]", name="latest"
    )
    cell.run(once=True)
    found = [tuple(r.values()) for result in every.results() for r in result.to_arrow().to_pylist()]
    assert sorted(found, key=lambda r: r[-1]) == [(i, s, op, START // 1000 + at) for i, s, op, at in ROWS]
    seen = [r for result in latest.results() for r in result.to_arrow().to_pylist()]
    assert [(r["window_end"].minute, r["id"], r["state"]) for r in seen][-1] == (2, 1, "paid")
    rejected = cell.sql("SELECT reason, row FROM t__rejected")
    assert rejected is not None
    assert len(rejected) == len(MESSAGES) - len(ROWS) + 1
    assert {r["reason"] for r in rejected.to_pylist()} == {"it cannot be parsed", "it breaks CHECK (amount >= 0)"}
    assert any("a plain row" in r["row"] for r in rejected.to_pylist())


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("format = 'json', path = 'x', 'datacell.envelope' = 'maxwell'", "there is no envelope maxwell"),
        ("format = 'rate', 'datacell.envelope' = 'debezium'", "messages in an envelope are JSON, not rate"),
        ("format = 'csv', path = 'x', 'datacell.envelope' = 'debezium'", "messages in an envelope are JSON, not csv"),
        ("format = 'tcp', port = '1', 'datacell.envelope' = 'debezium'", "messages in an envelope are JSON, not csv"),
    ],
)
def test_what_has_no_messages_is_refused_when_it_is_said(options: str, problem: str) -> None:
    with pytest.raises(SqlError, match=problem):
        defined(f"CREATE STREAM t ({COLUMNS}) WITH ({options})")
