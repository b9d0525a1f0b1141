"""What Spark refuses, or fails to do, is told in one message that says what, why and where."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.errors import DataCellError
from datacell.sql.statements.statement import SparkStatement

WRONG = {
    "CREATE TABLE m1 (a INT) USING nosuch": "Failed to find the data source: nosuch",
    "CREATE TABLE m1 (a INT) LOCATED '/tmp'": "LOCATED",
    "CREATE TABLE m1 (a INTT)": "INTT",
    "CREATE TABLE m1 (a INT) PARTITIONED BY (zz)": "zz",
    "CREATE TABLE m1 USING jdbc OPTIONS (url 'jdbc:x://me:hunter2@h', dbtable 'd', password 'hunter2')": "JDBC driver",
    "CREATE TABLE m1 USING parquet LOCATION '{here}/damaged'": "damaged",
    "SELECT * FROM m_damaged": "damaged",
    "SELECT * FROM m_raises": "boom",
    "SELECT raise_error('boom')": "boom",
    "EXPLAIN CREATE TABLE m1 (a INT) BLA": "BLA",
    "ALTER TABLE m_damaged ADD": "",
    "USE nosuch": "nosuch",
    "EXECUTE IMMEDIATE 'SET spark.sql.ansi.enabled = true'": "spark.sql.ansi.enabled",
    "EXECUTE IMMEDIATE 'SELECT CAST(1 AS NOTHING)'": "NOTHING",
}
"""Statements, and what their message must say."""


@pytest.fixture(scope="module")
def asked(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, DataCellError]:
    here = tmp_path_factory.mktemp("messages")
    (here / "damaged").mkdir()
    (here / "damaged" / "1.parquet").write_bytes(b"no parquet at all")
    cell = datacell.connect(spark=spark)
    try:
        cell.sql(f"CREATE TABLE m_damaged (a INT) USING parquet LOCATION '{here}/damaged'")
        cell.sql("CREATE TEMPORARY VIEW m_raises AS SELECT raise_error('boom') AS x")
        found = {}
        for text in WRONG:
            with pytest.raises(DataCellError) as raised:
                cell.sql(f"-- a comment\n{text.format(here=here)}")
            found[text] = raised.value
        assert [r["x"] for r in cell.sql("SELECT 1 / 0 AS x") or ()] == [None]
    finally:
        cell.sql("DROP TABLE m_damaged")
        cell.stop()
    return found


@pytest.mark.parametrize("text", WRONG)
def test_a_message_says_what_why_and_where(asked: dict[str, DataCellError], text: str) -> None:
    error = asked[text]
    assert WRONG[text] in error.message
    assert "\n" not in error.message
    assert not error.message.rstrip().endswith(":")
    assert not any(words in str(error) for words in ("calling o", "Exception:", "\tat ", "JVM stacktrace", "hunter2"))
    assert error.place is not None
    assert error.place.line == 2


def test_the_word_that_spark_stumbles_over_is_shown(asked: dict[str, DataCellError]) -> None:
    place = asked["CREATE TABLE m1 (a INT) LOCATED '/tmp'"].place
    assert place is not None
    assert place.text[place.start : place.end] == "LOCATED"


def test_a_safe_cell_reads_no_file_as_a_table(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("secret\n")
    cell = datacell.connect(spark=spark, safe=True, roots=[tmp_path / "in"])
    try:
        for text in (f"SELECT * FROM csv.`{tmp_path}`", f"CREATE TEMPORARY VIEW w AS SELECT * FROM csv.`{tmp_path}`"):
            with pytest.raises(DataCellError):
                cell.sql(text)
        with pytest.raises(DataCellError, match="outside"):
            cell.sql(f"CREATE STREAM s (a INT) WITH (format = 'csv', path = '{tmp_path}')")
        with pytest.raises(DataCellError):  # not by a name that no token tells
            cell.works.tables.execute(SparkStatement(f"SELECT * FROM csv.`{tmp_path}`"))
        with pytest.raises(DataCellError, match="Java"):
            cell.query("SELECT reflect('java.lang.System', 'getProperty', 'user.dir')")
    finally:
        cell.stop()


def test_roots_are_for_a_safe_cell() -> None:
    with pytest.raises(DataCellError, match="roots"):
        datacell.connect(roots=["in"])


def test_no_secret_is_in_a_checkpoint_and_a_resumed_run_has_it_again(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.json").write_text('{"a": 1}\n')
    text = (
        f"CREATE STREAM s (a INT) WITH (format = 'thirdparty', path = '{tmp_path}/in', password = 'hunter2');"
        "CREATE CONTINUOUS QUERY q AS SELECT a FROM s"
    )
    for _ in range(2):
        cell = datacell.connect(tmp_path / "state", spark=spark)
        try:
            cell.sql(text)
            stream = cell.works.scheduler.members.streams["s"]
            assert dict(stream.definition.options)["password"] == "hunter2"
            with pytest.raises(DataCellError) as raised:
                cell.run(once=True)
            shown = [str(cell.sql(f"SHOW {what}")) for what in ("STREAMS", "QUERIES", "EMITTERS")]
            assert not any("hunter2" in told for told in (str(raised.value), *shown))
        finally:
            cell.stop()
    kept = [path for path in (tmp_path / "state").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if b"hunter2" in path.read_bytes()]
