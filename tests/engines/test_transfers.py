"""Only `engines/transfers.py` moves rows between Spark and the driver, and whatever it moves is on an account."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from datacell.engines.protocol import Files
from datacell.engines.transfers import Account, Transferred, read_in_driver, to_cluster, to_driver

ROOT = Path(__file__).parents[2] / "src" / "datacell"
HERE = "engines/transfers.py"

ALWAYS = {"toArrow", "toPandas", "toLocalIterator", "createDataFrame"}
"""What moves rows, called or handed on to be called: only Spark's frames and sessions have it."""

WITH_A_NUMBER = {"head", "take", "tail"}
"""So do plans, readers and Arrow's tables; only a frame's is asked for a number of rows."""

EXCEPTIONS = {
    "receptors/headers.py": {"head"},  # one line of a file, to see whether it is the header that was declared
    "bench/volume.py": {"toArrow"},  # the limit that we are measured against: Spark alone, without our code
}

ROWS = pa.table({"k": pa.array([1, 2, None], pa.int32()), "v": pa.array([0.5, None, 2.0])})


def moves(module: ast.Module) -> Iterator[str]:
    """The names of what moves rows in a module."""
    for node in ast.walk(module):
        match node:
            case ast.Attribute(attr=name) if name in ALWAYS:
                yield name
            case ast.Call(func=ast.Attribute(attr=name), args=[ast.Constant(value=int())]) if name in WITH_A_NUMBER:
                yield name
            case ast.Call(func=ast.Attribute(attr="first" | "collect" as name), args=[], keywords=[]):
                yield name
            case ast.Attribute(value=ast.Name("pq"), attr="read_table" as name):
                yield name


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_else_moves_rows(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    found = set(moves(ast.parse(path.read_text(encoding="utf-8"))))
    if name != HERE:
        assert found == EXCEPTIONS.get(name, set()), "rows are moved by engines/transfers.py, on an account"


@pytest.mark.parametrize(
    "text",
    [
        "frame.toArrow()",
        "rows = frame.where(x).collect()",
        "session.createDataFrame(table)",
        "f(frame.toPandas)",
        "spark.read.text(file).head(1)",
        "frame.take(5)",
        "frame.first()",
        "pq.read_table(path)",
    ],
)
def test_moves_are_found(text: str) -> None:
    assert list(moves(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "plan.head()",
        "rows.take(pa.array(order))",
        "reader.take('|')",
        "self.first",
        "files.read_table(path)",
        "collect(node)",
    ],
)
def test_what_moves_nothing_is_not_found(text: str) -> None:
    assert not list(moves(ast.parse(text)))


def test_an_account_counts_rows_and_bytes_and_so_does_the_larger_one(tmp_path: Path) -> None:
    larger = Account()
    mine, other = Account(larger), Account(larger)
    for number in range(2):
        pq.write_table(ROWS, tmp_path / f"{number}.parquet")
    files = Files(tuple(str(tmp_path / f"{number}.parquet") for number in range(2)), 6)
    read = read_in_driver(files, ["k"], mine)
    assert read.column_names == ["k"]
    assert mine.to_driver == Transferred(1, 6, read.nbytes)
    other.came(ROWS)
    other.went(ROWS)
    assert larger.to_driver == Transferred(2, 9, read.nbytes + ROWS.nbytes)
    assert (larger.to_cluster, mine.to_cluster) == (Transferred(1, 3, ROWS.nbytes), Transferred())


@pytest.mark.spark
def test_rows_that_go_and_come_back_are_counted_both_ways(spark: SparkSession) -> None:
    account = Account()
    pieces = pa.concat_tables([ROWS[:1], ROWS[:0], ROWS[1:]])
    assert to_driver(to_cluster(spark, pieces, None, account), account).equals(ROWS)
    assert account.to_cluster == Transferred(1, 3, pieces.nbytes)
    assert (account.to_driver.times, account.to_driver.rows) == (1, 3)
    assert account.to_driver.bytes > 0
