"""Emitters by their format, on a real cell."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from rich.console import Console

import datacell
from datacell.cell.cell import Cell
from datacell.emitters.callback import CallbackEmitter
from datacell.emitters.console import ConsoleEmitter
from datacell.errors import EmitterError
from datacell.runtime.storage.output import Firing
from emitters.outputs import firing

pytestmark = pytest.mark.spark


@pytest.fixture
def cell(spark: SparkSession) -> Iterator[Cell]:
    made = datacell.connect(spark=spark)
    made.sql("CREATE STREAM s (i INT, t STRING); CREATE CONTINUOUS QUERY q AS SELECT i, t FROM s WHERE i > 1")
    yield made
    made.stop()


def test_every_emitter_delivers(cell: Cell, tmp_path: Path) -> None:
    cell.sql(f"""CREATE EMITTER a FROM q WITH (format = 'csv', path = '{tmp_path}/csv', sep = ';', header = 'false');
                 CREATE EMITTER b FROM q WITH (format = 'json', path = '{tmp_path}/json');
                 CREATE EMITTER c FROM q WITH (format = 'parquet', path = '{tmp_path}/parquet', compression = 'zstd');
                 CREATE EMITTER d FROM q WITH (format = 'orc', path = '{tmp_path}/orc');
                 CREATE EMITTER e FROM q WITH (format = 'table', table = 'answers')""")
    cell.push("s", [(1, "x"), (2, "y"), (3, None)])
    cell.run(once=True)
    assert (tmp_path / "csv" / "part-0000000000.csv").read_text() == "2;y\n3;\n"
    assert (tmp_path / "json" / "part-0000000000.json").read_text() == '{"i": 2, "t": "y"}\n{"i": 3, "t": null}\n'
    expected = {"i": [2, 3], "t": ["y", None]}
    assert pq.read_table(tmp_path / "parquet" / "part-0000000000.parquet").to_pydict() == expected
    assert cell.spark.read.orc(str(tmp_path / "orc")).orderBy("i").toArrow().to_pydict() == expected
    assert cell.spark.table("answers").orderBy("i").toArrow().to_pydict() == expected
    cell.sql("DROP EMITTER e")
    cell.spark.sql("DROP TABLE answers")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("format = 'csv'", "emitter e needs a path"),
        ("format = 'csv', path = 'x', seperator = ';'", "csv has no option seperator"),
        ("format = 'csv', path = 'x', header = 'maybe'", "header is 'true' or 'false'"),
        ("format = 'parquet', path = 'x', compression = 'zip'", "there is no compression zip"),
        ("format = 'tcp'", "needs a port"),
        ("format = 'tcp', port = '70000'", "between 0 and 65535"),
        ("format = 'table'", "emitter e needs a table"),
    ],
)
def test_mistakes(cell: Cell, options: str, message: str) -> None:
    with pytest.raises(EmitterError, match=message):
        cell.sql(f"CREATE EMITTER e FROM q WITH ({options})")


def test_a_callback_gets_what_has_rows() -> None:
    seen: list[Firing] = []
    emitter = CallbackEmitter(seen.append)
    emitter.deliver(firing(3))
    emitter.deliver(firing(4, 0))
    assert [(taken.number, len(taken.rows)) for taken in seen] == [(3, 2)]


def test_the_console_is_readable() -> None:
    screen = io.StringIO()
    emitter = ConsoleEmitter("q", Console(file=screen, width=100))
    rows = pa.table({"n": range(25), "s": ["[red]not markup[/red]", None, "", "x" * 300, *["y"] * 21]})
    emitter.deliver(Firing(7, rows, {}))
    shown = screen.getvalue()
    assert "q, firing 7" in shown
    assert "[red]not markup[/red]" in shown
    assert "NULL" in shown
    assert "… and 5 more rows" in shown
    assert "x" * 100 not in shown
