"""The user's functions, of every kind that Spark has: called over windows they give what Spark gives over tables."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as of_spark
from pyspark.sql.functions import udf, udtf
from pyspark.sql.pandas import functions as of_pandas

import datacell
from datacell.errors import StreamRuleError

STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, v INT, c STRING, WATERMARK FOR ts AS ts)"
W = "[LANDMARK SLIDE 1 HOUR]"


def at(second: int) -> datetime:
    return datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC)


# Their declared types leave out what they take.
arrow_udf: Any = vars(of_spark)["arrow_udf"]
pandas_udf: Any = of_pandas.pandas_udf

ROWS = [(at(1), 1, 3, "a"), (at(2), 2, 1, "bc"), (at(3), 1, 2, "def"), (at(4), 3, 2, "c"), (at(5), 2, 2, "a")]


@pytest.fixture
def registered(spark: SparkSession) -> SparkSession:
    """A session of the user's in which functions are registered, as anybody does it."""
    spark.udf.register("twice", udf(lambda v: None if v is None else 2 * v, "int"))
    spark.udf.register("dice", udf(lambda v: v, "int").asNondeterministic())

    def more(values: pd.Series) -> pd.Series:
        return values + 1

    def spread(values: pd.Series) -> float:
        return float(values.max() - values.min())

    def shorter(values: pa.Array) -> pa.Array:
        return pc.utf8_slice_codeunits(values, 0, 1)

    def longest(values: pa.Array) -> int:
        return int(pc.max(pc.utf8_length(values)).as_py())

    class Squares:  # what is defined in a function is sent to Python's workers as it is
        def eval(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
            for n in range(start, stop):
                yield n, n * n

    squares: Any = udtf(Squares, returnType="n: int, square: int")
    types: dict[str, Any] = {"values": pd.Series, "return": pd.Series}
    more.__annotations__, spread.__annotations__ = types, {**types, "return": float}
    shorter.__annotations__ = {"values": pa.Array, "return": pa.Array}
    longest.__annotations__ = {"values": pa.Array, "return": int}
    spark.udf.register("more", pandas_udf(more, "long"))
    spark.udf.register("spread", pandas_udf(spread, "double"))
    spark.udf.register("random_spread", pandas_udf(spread, "double").asNondeterministic())
    spark.udf.register("shorter", arrow_udf(shorter, "string"))
    spark.udf.register("longest", arrow_udf(longest, "int"))
    spark.udtf.register("squares", squares)
    return spark


@pytest.fixture
def cell(registered: SparkSession, tmp_path: Path) -> Iterator[datacell.Cell]:
    made = datacell.connect(checkpoint=tmp_path / "checkpoint", spark=registered)
    try:
        made.sql(STREAM)
        yield made
    finally:
        made.stop()


def strategy(cell: datacell.Cell, name: str) -> str:
    shown = cell.sql("SHOW QUERIES")
    assert shown is not None
    return next(str(row["strategy"]) for row in shown.to_pylist() if row["query"] == name)


def check(cell: datacell.Cell, spark: SparkSession, text: str, expected_strategy: str, window: str = W) -> None:
    """A query gives over the window what Spark gives over the same rows."""
    query = cell.query(text.format(window), name="q")
    assert strategy(cell, "q") == expected_strategy
    cell.push("s", ROWS)
    cell.run(once=True)
    rows = [tuple(row.values())[1:] for answer in query.results() for row in answer.to_arrow().to_pylist()]
    spark.createDataFrame(ROWS, "ts TIMESTAMP, k INT, v INT, c STRING").createOrReplaceTempView("s")
    batch = [tuple(row) for row in spark.sql(text.format("")).collect()]
    spark.catalog.dropTempView("s")
    assert batch
    assert Counter(rows) == Counter(batch)


@pytest.mark.parametrize(
    ("query", "strategy"),
    [
        ("SELECT k, sum(twice(v)) AS x FROM s {} GROUP BY k", "incremental"),
        ("SELECT twice(k) AS x, count(*) AS n FROM s {} WHERE twice(v) > 2 GROUP BY twice(k)", "incremental"),
        ("SELECT k, max(more(v)) AS x FROM s {} GROUP BY k HAVING more(max(v)) > 2", "incremental"),
        ("SELECT shorter(c) AS x, count(*) AS n FROM s {} GROUP BY shorter(c)", "incremental"),
        ("SELECT a.k, b.v FROM s {0} a JOIN s {0} b ON twice(a.k) = b.v", "incremental"),
        ("SELECT spread(v) AS x FROM s {}", "opaque"),
        ("SELECT k, spread(v) AS x FROM s {} GROUP BY k HAVING spread(v) >= 0", "reevaluate"),
        ("SELECT k, longest(c) AS x FROM s {} WHERE twice(v) > 2 GROUP BY k", "incremental"),
        ("SELECT k, spread(v) OVER (PARTITION BY k) AS x FROM s {}", "reevaluate"),
        ("SELECT v, square FROM s {}, LATERAL squares(1, v)", "opaque"),
        ("SELECT n, k FROM squares(0, 3) JOIN s {} ON k = n", "opaque"),
        ("SELECT k, twice(v) AS x FROM s {} WHERE EXISTS (SELECT 1 FROM s {} r WHERE twice(r.k) = s.v)", "incremental"),
    ],
)
def test_registered_functions(query: str, strategy: str, cell: datacell.Cell, registered: SparkSession) -> None:
    check(cell, registered, query.replace("{0}", "{}").replace("{}", "{0}"), strategy)


@pytest.mark.parametrize("name", ["area", "volume"])
def test_functions_of_sql(name: str, cell: datacell.Cell, registered: SparkSession) -> None:
    temporary = "TEMPORARY" if name == "area" else ""
    create = f"CREATE OR REPLACE {temporary} FUNCTION {name}(x INT, y INT DEFAULT 2) RETURNS INT RETURN x * y + 1"
    cell.sql(create)
    registered.sql(create)
    try:
        query = f"SELECT {name}(k) AS x, sum({name}(v, k)) AS n FROM s {{0}} WHERE {name}(v, 1) > 2 GROUP BY {name}(k)"
        check(cell, registered, query, "incremental")
    finally:
        registered.sql(f"DROP {temporary} FUNCTION IF EXISTS {name}")


def test_table_functions_of_sql(cell: datacell.Cell, registered: SparkSession) -> None:
    create = (
        "CREATE OR REPLACE TEMPORARY FUNCTION upto(n INT) RETURNS TABLE (i INT) RETURN SELECT explode(sequence(1, n))"
    )
    cell.sql(create)
    registered.sql(create)
    check(cell, registered, "SELECT k, i FROM s {0}, LATERAL upto(s.v)", "opaque")


def test_row_by_row_and_at_every_instant(cell: datacell.Cell) -> None:
    plain = cell.query("SELECT k, twice(v) AS x FROM s WHERE more(v) > 2", name="plain")
    instant = cell.query("SELECT k, max(twice(v)) AS x FROM s [RANGE 2 SECONDS] GROUP BY k", name="instant")
    assert (strategy(cell, "plain"), strategy(cell, "instant")) == ("row by row", "at every instant")
    cell.push("s", ROWS)
    cell.run(once=True)
    rows = [(row["k"], row["x"]) for answer in plain.results() for row in answer.to_arrow().to_pylist()]
    assert sorted(rows) == [(1, 4), (1, 6), (2, 4), (3, 4)]
    shown = [row for answer in instant.results() for row in answer.to_arrow().to_pylist()]
    assert {(r["k"], r["x"]) for r in shown if r["valid_from"] <= at(3) < r["valid_to"]} == {(2, 2), (1, 4)}


def test_a_function_that_was_registered_again_is_the_new_one(cell: datacell.Cell, registered: SparkSession) -> None:
    cell.query(f"SELECT sum(twice(v)) AS x FROM s {W}", name="before")
    registered.udf.register("twice", udf(lambda v: 3 * v, "int"))
    after = cell.query(f"SELECT sum(twice(v)) AS x FROM s {W}", name="after")
    cell.push("s", ROWS)
    cell.run(once=True)
    assert [row["x"] for answer in after.results() for row in answer.to_arrow().to_pylist()] == [30]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT dice(v) AS x FROM s [NOW]",
        "SELECT count(*) AS n FROM s [NOW] WHERE dice(v) > 1",
        "SELECT random_spread(v) AS x FROM s [NOW]",
        "SELECT window(ts, '1 second'), dice(v) FROM s",
    ],
)
def test_what_is_not_deterministic_is_refused(query: str, cell: datacell.Cell) -> None:
    with pytest.raises(StreamRuleError, match="cannot be used in a continuous query") as raised:
        cell.query(query, name="q")
    assert "not deterministic" in (raised.value.hint or "")
    place = raised.value.place
    assert place is not None
    assert place.text[place.start : place.end].startswith(("dice", "random_spread"))


SOURCE = """
import org.apache.spark.sql.api.java.UDF1;
public class Tripled implements UDF1<Integer, Integer> {
    public Integer call(Integer v) { return v == null ? null : 3 * v; }
}
"""


def test_java_functions(cell: datacell.Cell, registered: SparkSession, tmp_path: Path) -> None:
    jars = Path(str(pytest.importorskip("pyspark").__file__)).parent / "jars" / "*"
    (tmp_path / "Tripled.java").write_text(SOURCE)
    home = (
        Path(os.environ["JAVA_HOME"]) if "JAVA_HOME" in os.environ else Path(shutil.which("java") or "").parent.parent
    )
    if not (home / "bin" / "javac").exists():
        pytest.skip("this Java compiles nothing")
    subprocess.run([home / "bin" / "javac", "-cp", str(jars), "Tripled.java"], cwd=tmp_path, check=True)
    subprocess.run([home / "bin" / "jar", "cf", "tripled.jar", "Tripled.class"], cwd=tmp_path, check=True)
    registered.sql(f"ADD JAR '{tmp_path / 'tripled.jar'}'")
    registered.udf.registerJavaFunction("tripled", "Tripled", "int")
    check(cell, registered, "SELECT k, sum(tripled(v)) AS x FROM s {0} GROUP BY k", "incremental")


def test_explain_says_where_it_runs(cell: datacell.Cell) -> None:
    shown: Any = cell.sql(f"EXPLAIN PHYSICAL SELECT k, sum(twice(v)) AS x FROM s {W} GROUP BY k")
    assert "spark" in str(shown)
