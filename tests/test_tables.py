"""Tables beside streams, and one-time SQL, on real Spark: what is pinned, replaced, kept, and refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.engines.protocol import Files
from datacell.errors import CheckpointError, SqlError
from datacell.testing import HandClock

STREAM = "CREATE STREAM p (ts TIMESTAMP, k INT, WATERMARK FOR ts AS ts)"
JOINED = "SELECT c.name, count(*) AS n FROM p [RANGE 4 SECONDS SLIDE 2 SECONDS] JOIN c ON p.k = c.k GROUP BY c.name"


@contextmanager
def at_work(spark: SparkSession, root: Path, **options: Any) -> Iterator[datacell.Cell]:
    cell = datacell.connect(root / "state", spark=spark, **options)
    try:
        yield cell
    finally:
        cell.stop()


def table(root: Path, *rows: tuple[int, str]) -> str:
    """The files of a table, and the statement that makes it."""
    (root / "c").mkdir(exist_ok=True)
    (root / "c" / "c.csv").write_text("".join(f"{k},{name}\n" for k, name in rows))
    return f"CREATE TABLE IF NOT EXISTS c (k INT, name STRING) USING csv LOCATION '{root / 'c'}'"


@pytest.fixture
def root(spark: SparkSession, tmp_path: Path) -> Iterator[Path]:
    spark.sql("DROP TABLE IF EXISTS c")
    yield tmp_path
    spark.sql("DROP TABLE IF EXISTS c")


def push(cell: datacell.Cell, *rows: tuple[int, int]) -> None:
    cell.push("p", [{"ts": f"2026-01-01T00:00:{second:02}Z", "k": k} for second, k in rows])
    cell.run(once=True)


def answers(query: datacell.RunningQuery) -> list[tuple[int, str, int]]:
    return [row for result in query.results() for row in _named(result)]


@pytest.mark.parametrize(("engine", "memory"), [("auto", 1 << 28), ("spark", 0)])
def test_a_table_is_pinned_and_replaced_at_a_boundary(
    spark: SparkSession, root: Path, engine: str, memory: int
) -> None:
    """A table that does not fit into the driver is pinned by executors, as files."""
    with at_work(spark, root, engine=engine, driver_memory=memory) as cell:
        cell.sql(f"{table(root, (1, 'one'), (2, 'two'))}; {STREAM}")
        query = cell.query(JOINED, name="q")
        assert isinstance(cell.works.pinned.rows(cell.statements.factory("q").output.life, "c"), Files) == (not memory)
        table(root, (1, "eins"))
        push(cell, (0, 1), (1, 2))
        assert sorted(answers(query)) == [(2, "one", 1), (2, "two", 1), (4, "one", 1), (4, "two", 1)]
    with at_work(spark, root, engine=engine, driver_memory=memory) as cell:
        cell.sql(f"{table(root, (1, 'eins'))}; {STREAM}")
        query = cell.query(JOINED, name="q")
        push(cell, (10, 1), (11, 1), (12, 2))
        assert sorted(set(answers(query)) - {(2, "one", 1), (2, "two", 1), (4, "one", 1), (4, "two", 1)}) == [
            (12, "one", 2),
            (14, "one", 2),
            (14, "two", 1),
            (16, "two", 1),
        ]
        cell.sql("REFRESH TABLE c")
        push(cell, (20, 1), (21, 2))
        assert sorted(a for a in answers(query) if a[0] > 20) == [(22, "eins", 1), (24, "eins", 1)]
    with at_work(spark, root, engine=engine, driver_memory=memory) as cell:
        cell.sql(f"{table(root, (1, 'uno'))}; {STREAM}")
        query = cell.query(JOINED, name="q")
        push(cell, (30, 1), (33, 1))
        assert {a for a in answers(query) if a[0] > 30} == {(32, "eins", 1), (34, "eins", 2), (36, "eins", 1)}
        cell.sql("DROP CONTINUOUS QUERY q")
    with at_work(spark, root, engine=engine, driver_memory=memory) as cell:
        cell.sql(f"{table(root, (1, 'uno'))}; {STREAM}")
        query = cell.query(JOINED, name="q")
        push(cell, (40, 1))
        assert sorted(answers(query)) == [(42, "uno", 1), (44, "uno", 1)]


@pytest.mark.parametrize("which", ["part-*", "pins.json"])
def test_a_table_that_executors_have_pinned_is_held_against_what_they_wrote(
    spark: SparkSession, root: Path, which: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A bit in the middle of a file, whose length stays as it was."""
    made = f"{table(root, *((n, f'name {n}') for n in range(100)))}; {STREAM}"

    def answered() -> list[tuple[int, str, int]]:
        with at_work(spark, root, engine="spark", driver_memory=0) as cell:
            cell.sql(made)
            query = cell.query(JOINED, name="q")
            push(cell, (1, 1))
            return answers(query)

    assert answered()
    (path,) = (found for found in (root / "state" / "tables" / "c").rglob(which))
    content = path.read_bytes()
    path.write_bytes(
        content[: len(content) // 2] + bytes([content[len(content) // 2] ^ 1]) + content[len(content) // 2 + 1 :]
    )
    if which == "pins.json":
        assert answered()
        assert f"{path} is damaged" in caplog.text
    else:
        with pytest.raises(CheckpointError, match=f"{path} is damaged.*It has a table as queries see it"):
            answered()


def test_what_slices_hold_is_joined_with_the_newer_version(spark: SparkSession, root: Path) -> None:
    with at_work(spark, root) as cell:
        cell.sql(f"{table(root, (1, 'one'))}; {STREAM}")
        query = cell.query(JOINED)
        cell.start()
        cell.push("p", [{"ts": "2026-01-01T00:00:01Z", "k": 1}, {"ts": "2026-01-01T00:00:03Z", "k": 1}])
        coming = query.results(timeout=60)
        found = _named(next(coming))
        table(root, (1, "eins"))
        cell.sql("REFRESH TABLE c")
        cell.push("p", [{"ts": "2026-01-01T00:00:09Z", "k": 1}])
        while found[-1][0] < 6:
            found += _named(next(coming))
        assert found == [(2, "one", 1), (4, "eins", 2), (6, "eins", 1)]


def _named(result: datacell.Result) -> list[tuple[int, str, int]]:
    return [(r["window_end"].second, r["name"], r["n"]) for r in result]


def test_a_table_with_an_interval_replaces_itself_and_shows_when(spark: SparkSession, root: Path) -> None:
    clock = HandClock()
    with at_work(spark, root, clock=clock) as cell:
        made = f"{table(root, (1, 'one'))} TBLPROPERTIES ('datacell.refresh' = '10 minutes')"
        cell.sql(f"{made}; {STREAM}")
        query = cell.query(JOINED, name="q")
        table(root, (1, "eins"))
        clock.advance(599)
        push(cell, (1, 1))
        clock.advance(2)
        push(cell, (11, 1))
        assert answers(query) == [(2, "one", 1), (4, "one", 1), (12, "eins", 1), (14, "eins", 1)]
        shown = cell.sql("SHOW QUERIES")
        assert shown is not None
        assert shown.to_pylist()[0]["tables"] == "c as of 2026-01-01T00:10:01Z"


def test_a_table_that_is_never_refreshed_is_joined_by_slices(spark: SparkSession, root: Path) -> None:
    with at_work(spark, root) as cell:
        made = f"{table(root, (1, 'one'))} TBLPROPERTIES ('datacell.refresh' = 'never')"
        cell.sql(f"{made}; {STREAM}")
        query = cell.query(JOINED, name="q")
        assert "table c" in query.explain("incremental").split("answer\n")[0]
        with pytest.raises(SqlError, match="c is never refreshed"):
            cell.sql("REFRESH TABLE c")


def test_a_table_in_other_words_is_noticed_and_may_be_accepted(spark: SparkSession, root: Path) -> None:
    with at_work(spark, root) as cell:
        cell.sql(f"{table(root, (1, 'one'))}; {STREAM}")
        cell.query(JOINED, name="q")
        push(cell, (1, 1))
    spark.sql("DROP TABLE c")
    other = table(root, (1, "eins")).replace("LOCATION", "OPTIONS (header 'false') LOCATION")
    with at_work(spark, root) as cell:
        cell.sql(f"{other}; {STREAM}")
        with pytest.raises(CheckpointError, match="the table c has changed"):
            cell.query(JOINED, name="q")
    with at_work(spark, root) as cell:
        cell.sql(f"{other}; {STREAM}; REFRESH TABLE c")
        query = cell.query(JOINED, name="q")
        push(cell, (11, 1))
        assert {a for a in answers(query) if a[0] > 4} == {(12, "eins", 1), (14, "eins", 1)}


def test_relative_paths_start_at_the_working_directory(
    spark: SparkSession, root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    table(root, (1, "one"))
    monkeypatch.chdir(root)
    with at_work(spark, root) as cell:
        for clause in ("LOCATION 'c'", "OPTIONS (path 'c')", "OPTIONS (path = 'c')"):
            cell.sql(f"CREATE TABLE c (k INT, name STRING) USING csv {clause}")
            found = cell.sql("SELECT name FROM c; ")
            assert found is not None
            assert found.to_pylist() == [{"name": "one"}]
            cell.sql("DROP TABLE c")
        cell.sql("CREATE TABLE c (k INT, name STRING) USING csv LOCATION 'nowhere'")
        with pytest.raises(SqlError, match=r"nowhere of the table c does not exist") as raised:
            cell.sql("SELECT * FROM c")
        assert str(Path.cwd()) in str(raised.value.hint)
        (root / "nowhere").mkdir()
        cell.sql("SELECT * FROM c")
        assert "c has no rows: there are no files" in caplog.text


def test_a_select_over_a_stream_tells_the_truth(cell: datacell.Cell) -> None:
    cell.sql(STREAM)
    cell.query("SELECT k, count(*) AS n FROM p [RANGE 4 SECONDS SLIDE 2 SECONDS] GROUP BY k", name="q")
    push(cell, (1, 1), (2, 1))
    push(cell, (20, 1), (21, 1))
    with pytest.raises(SqlError, match="of p are kept") as raised:
        cell.sql("SELECT count(*) FROM p")
    assert "WITH ('datacell.keep' = '1 hour') keeps rows" in str(raised.value.hint)
    with pytest.raises(SqlError, match="this query is continuous"):
        cell.sql("SELECT count(*) FROM p [RANGE 1 MINUTE SLIDE 1 MINUTE]")
    assert list(cell.works.scheduler.members.factories) == ["q"]


def test_rows_are_kept_for_a_span_also_after_a_restart(spark: SparkSession, root: Path) -> None:
    kept = f"{STREAM} WITH ('datacell.keep' = '10 seconds')"
    with at_work(spark, root) as cell:
        cell.sql(kept)
        cell.query("SELECT k, count(*) AS n FROM p [RANGE 4 SECONDS SLIDE 2 SECONDS] GROUP BY k", name="q")
        push(cell, (1, 1), (2, 2), (9, 3))
        push(cell, (11, 4))
        shown = cell.sql("SHOW STREAMS")
        assert shown is not None
        assert shown.to_pylist()[0]["keeps"] == "10 seconds"
    with at_work(spark, root) as cell:
        cell.sql(kept)
        found = cell.sql("SELECT k FROM p ORDER BY k")
        assert found is not None
        assert [row["k"] for row in found] == [2, 3, 4]


def test_late_and_rejected_rows_can_be_joined(spark: SparkSession, root: Path) -> None:
    with at_work(spark, root) as cell:
        cell.sql(f"{table(root, (1, 'one'))}; {STREAM.replace('k INT', 'k INT CHECK (k > 0)')}")
        cell.query(JOINED, name="q")
        push(cell, (10, 1), (11, -1))
        push(cell, (1, 1))
        late = cell.sql("SELECT c.name, l.missed_by FROM p__late AS l JOIN c ON c.k = l.k")
        assert late is not None
        assert late.to_pylist() == [{"name": "one", "missed_by": ["q"]}]
        rejected = cell.sql("SELECT count(*) AS n FROM p__rejected AS r JOIN c ON r.reason IS NOT NULL")
        assert rejected is not None
        assert rejected.to_pylist() == [{"n": 1}]
