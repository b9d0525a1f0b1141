"""What only Spark understands runs as written: over windows, row by row and at every instant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.engines.spark import SparkEngine
from datacell.errors import SqlError, StreamRuleError, UnsupportedError
from datacell.testing import Trial
from reference import Reference
from window_laws import Feed, micros

STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, v INT, c STRING, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS);"
T = pa.table({"k": pa.array([1, 2], pa.int32()), "n": ["one", "two"]})
DOWN = (
    "WITH RECURSIVE n AS (SELECT max(v) AS i FROM s {} UNION ALL SELECT i - 1 FROM n WHERE i > 1) "
    "SELECT i, t.n FROM n JOIN t ON t.k = i"
)
Make = Callable[..., Trial]


def at(second: float) -> datetime:
    return datetime.fromtimestamp(second, UTC)


ROWS = [(at(0.5), 1, 3, "a"), (at(1), 2, 1, None), (at(2.5), 1, 2, "b"), (at(2), 3, 2, "c"), (at(7), 2, 2, "a")]


@pytest.fixture
def trial(spark_engine: SparkEngine, tmp_path: Path) -> Make:
    def make(query: str, text: str = STREAM) -> Trial:
        script = f"{text} CREATE CONTINUOUS QUERY q AS {query}"
        return Trial(script, tables={"t": T}, engine=spark_engine, directory=tmp_path)

    return make


def fed(of: Trial, rows: list[tuple[Any, ...]] = ROWS) -> Trial:
    for row in rows:
        of.push("s", [row])
    return of


def judge(of: Trial, engine: SparkEngine) -> list[Any]:
    """What the laws say."""
    definition = of.stream("s").definition
    names = [f.name for f in definition.fields]
    feed = Feed(definition.fields, [dict(zip(names, row, strict=True)) for row in ROWS], "ts", definition.lateness)
    return Reference({"s": feed}, {"t": T}, engine).answers(of.catalog.queries["q"])


def boundary(row: dict[str, Any]) -> int:
    end = row["window_end"]
    return end if isinstance(end, int) else micros(end)


@pytest.mark.parametrize(
    "window", ["[RANGE 4 SECONDS SLIDE 2 SECONDS]", "[LANDMARK SLIDE 4 SECONDS]", "[ROWS 2 SLIDE 2]"]
)
@pytest.mark.parametrize("emission", ["RSTREAM", "ISTREAM"])
def test_windows_are_answered_as_the_laws_say(
    window: str, emission: str, trial: Make, spark_engine: SparkEngine
) -> None:
    with trial(f"{emission} {DOWN.format(window)}") as of:
        fed(of).end()
        assert of.factory("q").compiled.evaluation.strategy == "opaque"
        found = Counter((boundary(row), row["i"], row["n"]) for row in of.answers("q"))
        expected = [(a.boundary, *row) for a in judge(of, spark_engine) for row in a.rows.elements()]
        assert found == Counter(expected)


def test_every_instant_is_answered_as_the_laws_say(trial: Make, spark_engine: SparkEngine) -> None:
    with trial(DOWN.format("[RANGE 2 SECONDS]")) as of:
        fed(of).end()
        rows = [(micros(r["valid_from"]), micros(r["valid_to"]), (r["i"], r["n"])) for r in of.answers("q")]
        assert rows == sorted(rows, key=lambda row: row[:2])
        for answer in judge(of, spark_engine):
            shown = Counter(row for start, stop, row in rows if start <= answer.boundary < stop)
            assert shown == answer.rows


@pytest.mark.parametrize("window", ["[RANGE 4 SECONDS SLIDE 2 SECONDS]", "[RANGE 2 SECONDS]"])
def test_a_restart_changes_nothing(window: str, trial: Make) -> None:
    with trial(DOWN.format(window)) as of:
        fed(of, ROWS[:4])
        before = of.answers("q")
    with trial(DOWN.format(window)) as of:
        assert of.answers("q") == before
        fed(of, ROWS[4:]).end()
        found = of.answers("q")
    assert len(found) == len(set(map(str, found))) > len(before)


def test_without_a_window_each_micro_batch_is_answered(trial: Make) -> None:
    with trial("SELECT k, window(ts, '2 seconds').start AS w FROM s WHERE v > 1") as of:
        fed(of).end()
        assert [(row["k"], row["w"]) for row in of.answers("q")] == [(1, at(0)), (1, at(2)), (3, at(2)), (2, at(6))]
        assert of.factory("q").compiled.evaluation.strategy == "opaque"


@pytest.mark.parametrize(
    ("query", "error", "message", "pointed"),
    [
        (DOWN.format("[NOW]").replace("SELECT i,", "SELECT j,"), SqlError, "`j`", "j"),
        ("SELECT window(ts, '1 second'), count(*) FROM s GROUP BY 1", StreamRuleError, "s needs a window", "s"),
        ("SELECT window(ts, '1 second'), uuid() FROM s", StreamRuleError, "uuid cannot be used", "uuid"),
        ("SELECT window(ts, '1 second') FROM s TABLESAMPLE (5 PERCENT)", StreamRuleError, "TABLESAMPLE", "5"),
        ("SELECT x FROM s [NOW]", SqlError, "there is no column x", "x"),
        ("SELECT nothing(k) FROM s [NOW]", SqlError, "there is no function nothing", "nothing"),
    ],
)
def test_what_spark_refuses_too_is_shown_in_the_users_text(
    query: str, error: type[SqlError], message: str, pointed: str, trial: Make
) -> None:
    with pytest.raises(SqlError) as raised:
        trial(query)
    assert type(raised.value) is error
    assert message in raised.value.message
    place = raised.value.place
    assert place is not None
    assert place.text[place.start : place.end] == pointed


def test_it_is_said_everywhere_and_delivered_once(cell: datacell.Cell, tmp_path: Path) -> None:
    cell.sql(STREAM + "CREATE STREAM o (at TIMESTAMP, i INT, WATERMARK FOR at AS at)")
    down = DOWN.format("[FIXED 2 SECONDS SLIDE 2 SECONDS]").replace("JOIN t ON t.k = i", "").replace(", t.n", "")
    cell.sql(f"CREATE CONTINUOUS QUERY q AS {down}")
    cell.sql(f"CREATE EMITTER e FROM q WITH (format = 'csv', path = '{tmp_path / 'out'}')")
    cell.sql("INSERT INTO o SELECT window(ts, '1 second').end, v FROM s")
    shown = cell.sql("SHOW QUERIES")
    assert shown is not None
    assert [row["strategy"] for row in shown] == ["opaque", "opaque"]
    assert "WITH RECURSIVE is not supported (line 1, column " in shown.to_pylist()[0]["remark"]
    explained = cell.sql(f"EXPLAIN PHYSICAL {down}")
    assert explained is not None
    assert "opaque: Spark answers it as written" in str(explained)
    assert "\nopaque: Spark answers it as written: WITH RECURSIVE is not supported" in str(cell.sql(f"EXPLAIN {down}"))
    cell.push("s", ROWS)
    cell.run(once=True)
    lines = sorted(line for path in (tmp_path / "out").glob("*.csv") for line in path.read_text().splitlines()[1:])
    assert [line.rpartition(",")[2] for line in lines] == ["1", "2", "3", "1", "2", "1", "2"]
    inserted = cell.sql("SELECT i FROM o ORDER BY i")
    assert inserted is not None
    assert [row["i"] for row in inserted] == [1, 2, 2, 2, 3]


def test_duckdb_alone_cannot_answer_what_only_spark_understands(spark: SparkSession, tmp_path: Path) -> None:
    cell = datacell.connect(tmp_path / "state", spark=spark, engine="duckdb")
    try:
        cell.sql(STREAM)
        for ask in (cell.query, lambda text: cell.sql(f"EXPLAIN {text}")):
            with pytest.raises(UnsupportedError, match="only Spark understands it: WITH RECURSIVE is not supported"):
                ask(DOWN.format("[NOW]").replace("JOIN t ON t.k = i", "").replace(", t.n", ""))
    finally:
        cell.stop()


def test_columns_of_one_name_are_delivered_as_spark_names_them(cell: datacell.Cell) -> None:
    cell.sql(STREAM)
    query = cell.query("SELECT k, k, sum(v), count(*) FROM s [LANDMARK SLIDE 1 HOUR] GROUP BY k", name="twice")
    cell.push("s", ROWS[:1])
    cell.run(once=True)
    (answer,) = query.results()
    assert answer.to_arrow().schema.names == ["window_end", "k", "k", "sum(v)", "count(1)"]
    latest = cell.sql("SELECT * FROM twice")
    assert latest is not None
    assert latest.to_arrow().schema.names == ["window_end", "k", "k_2", "sum(v)", "count(1)"]
