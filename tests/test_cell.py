"""The cell on real Spark, through its Python face."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.errors import CheckpointError, DataCellError, EngineError, SqlError
from datacell.receptors import receptor
from datacell.receptors.behind import Take
from datacell.runtime.net.petri import TransitionKind

ROWS = "ts,k,v\n2024-01-01T00:00:01Z,1,5\n2024-01-01T00:00:02Z,2,7\n2024-01-01T00:00:03Z,1,9\n"
STREAM = (
    "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE CHECK (v >= 0), WATERMARK FOR ts AS ts - INTERVAL 1 SECOND) "
    "WITH (format = 'csv', path = '{path}', header = 'true', maxFilesPerTrigger = '1')"
)


def source(tmp_path: Path, files: int = 1) -> str:
    directory = tmp_path / "in"
    directory.mkdir(exist_ok=True)
    for number in range(files):
        (directory / f"{number}.csv").write_text(ROWS)
    return STREAM.format(path=directory)


def rows(query: datacell.RunningQuery) -> list[dict[str, Any]]:
    return [row for result in query.results() for row in result]


def test_a_query_is_answered_and_its_latest_answer_is_a_table(cell: datacell.Cell, tmp_path: Path) -> None:
    cell.sql(source(tmp_path))
    sums = cell.query("SELECT k, sum(v) AS total FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] GROUP BY k", name="sums")
    cell.run(once=True)
    found = sorted((r["window_end"].second, r["k"], r["total"]) for r in rows(sums))
    assert found == [(2, 1, 5.0), (3, 1, 5.0), (3, 2, 7.0), (4, 1, 9.0), (4, 2, 7.0), (5, 1, 9.0)]
    latest = cell.sql("SELECT k, total FROM sums")
    assert latest is not None
    assert latest.to_pylist() == [{"k": 1, "total": 9.0}]


def test_a_micro_batch_is_one_job_however_many_queries_read_it(
    cell: datacell.Cell, tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell.sql(source(tmp_path, files=3))
    for slide in (1, 2):
        cell.query(f"SELECT k, max(v) AS top FROM s [RANGE 4 SECONDS SLIDE {slide} SECONDS] GROUP BY k")
    cell.query("SELECT * FROM s WHERE v > 6")
    counted = _counting(spark, monkeypatch)
    cell.run(once=True)
    assert counted() == 3


def _counting(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Counts the jobs that the deposits of receptors start, by the job group that each thread is given."""
    groups: list[str] = []
    tracker = spark.sparkContext.statusTracker()
    original = receptor.Receptor._take

    def take(self: receptor.Receptor, frame: Any, number: int) -> Take:
        group = f"counted {len(groups)}"
        groups.append(group)
        spark.sparkContext.setJobGroup(group, group)
        return original(self, frame, number)

    monkeypatch.setattr(receptor.Receptor, "_take", take)
    return lambda: sum(len(tracker.getJobIdsForGroup(group)) for group in groups)


def test_answers_flow_into_another_stream_and_on(cell: datacell.Cell, tmp_path: Path) -> None:
    cell.sql(source(tmp_path))
    cell.sql("CREATE STREAM large (at TIMESTAMP, v DOUBLE, WATERMARK FOR at AS at)")
    cell.sql("INSERT INTO large SELECT ts, v FROM s WHERE v > 6")
    counts = cell.query("SELECT count(*) AS n, max(v) AS top FROM large [LANDMARK SLIDE 10 SECONDS]")
    cell.run(once=True)
    assert [(r["n"], r["top"]) for r in rows(counts)] == [(2, 9.0)]


def test_a_script_asks_for_a_table_that_it_fills_when_all_input_is_read(cell: datacell.Cell, tmp_path: Path) -> None:
    shown: list[dict[str, Any]] = []
    script = f"""{source(tmp_path)}; CREATE TABLE filled (k INT) USING parquet LOCATION '{tmp_path / "filled"}';
        INSERT INTO filled SELECT k FROM s WHERE v > 6; SELECT count(*) AS n FROM filled"""
    cell.run_script(script, "filling.sql", True, shown.extend)
    cell.sql("DROP TABLE filled")
    assert shown == [{"n": 2}]


def test_rows_can_be_pushed_and_callbacks_hear_of_them(cell: datacell.Cell) -> None:
    cell.sql("CREATE STREAM p (ts TIMESTAMP, x INT, WATERMARK FOR ts AS ts)")
    heard: list[dict[str, Any]] = []
    query = cell.query("SELECT sum(x) AS total FROM p [FIXED 1 MINUTE SLIDE 1 MINUTE]")
    query.on_result(heard.extend)
    assert cell.push("p", [{"ts": "2024-01-01T00:00:01Z", "x": 1}, {"ts": "2024-01-01T00:00:02Z", "x": 2}]) == 2
    cell.run(once=True)
    for _ in range(100):
        if heard:
            break
        time.sleep(0.05)
    assert [r["total"] for r in heard] == [3]


def test_the_only_boundary_may_be_read_like_a_column(cell: datacell.Cell) -> None:
    cell.sql("CREATE STREAM p (ts TIMESTAMP, x INT, WATERMARK FOR ts AS ts)")
    window = "[FIXED 1 MINUTE SLIDE 1 MINUTE]"
    named = cell.query(f"SELECT x, window_end FROM p {window}")
    started = cell.query(f"SELECT window_start AS began, sum(x) AS total FROM p {window} GROUP BY window_start")
    cell.push("p", [{"ts": "2024-01-01T00:00:01Z", "x": 1}])
    cell.run(once=True)
    begin, end = (datetime(2024, 1, 1, 0, minute, tzinfo=UTC) for minute in (0, 1))
    assert [list(r.items()) for r in rows(named)] == [[("x", 1), ("window_end", end)]]
    assert [list(r.items()) for r in rows(started)] == [[("window_end", end), ("began", begin), ("total", 1)]]


def test_an_error_tells_its_cause_also_where_spark_says_that_it_waited(spark: SparkSession, tmp_path: Path) -> None:
    cell = datacell.connect(tmp_path / "state", spark=spark, engine="spark", strategy="incremental")
    cell.sql("CREATE STREAM p (ts TIMESTAMP, x INT, WATERMARK FOR ts AS ts)")
    window = "[FIXED 1 MINUTE SLIDE 1 MINUTE]"
    cell.query(f"SELECT x, (SELECT x FROM p {window} AS b) AS y FROM p {window} AS a")
    cell.push("p", [{"ts": "2024-01-01T00:00:01Z", "x": x} for x in (1, 2)])
    with pytest.raises(EngineError, match="fragment: a subquery used as a value gave more"):
        cell.run(once=True)
    cell.stop()


def test_bad_rows_are_counted_and_kept_for_a_look(cell: datacell.Cell, tmp_path: Path) -> None:
    cell.sql(source(tmp_path))
    (tmp_path / "in" / "0.csv").write_text(ROWS + "nonsense\n2024-01-01T00:00:03Z,1,-1\n,3,3\n")
    cell.run(once=True)
    kept = cell.sql("SELECT reason FROM s__rejected ORDER BY reason")
    assert kept is not None
    assert len(kept) == 3
    shown = cell.sql("SHOW STREAMS")
    assert shown is not None
    assert shown.to_pylist()[0]["rejected"] == 3


def test_a_changed_query_is_refused_on_an_old_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    for text, works in (("SELECT k FROM s WHERE k = 1", True), ("SELECT k FROM s WHERE k = 2", False)):
        cell = datacell.connect(checkpoint=tmp_path / "state", spark=spark)
        cell.sql(source(tmp_path))
        if works:
            cell.query(text, name="q")
        else:
            with pytest.raises(CheckpointError, match="q has changed"):
                cell.query(text, name="q")
        cell.stop()


def test_queries_and_emitters_come_and_go_while_streams_run(cell: datacell.Cell, tmp_path: Path) -> None:
    cell.sql(source(tmp_path))
    cell.start()
    first = cell.query("SELECT k FROM s", name="first")
    cell.sql(f"CREATE EMITTER e FROM first WITH (format = 'csv', path = '{tmp_path / 'out'}')")
    assert next(iter(first.results(timeout=60))).to_pylist()
    with pytest.raises(SqlError, match="reads"):
        cell.sql("DROP CONTINUOUS QUERY first")
    cell.sql("DROP EMITTER e; DROP CONTINUOUS QUERY first; DISABLE STREAM s; ENABLE STREAM s")
    cell.sql("DROP EMITTER IF EXISTS e; DROP CONTINUOUS QUERY IF EXISTS first; DROP STREAM IF EXISTS nothing")
    listed = cell.sql("SHOW QUERIES")
    assert listed is not None
    assert listed.to_pylist() == []


def test_a_query_without_slide_gives_rows_with_their_validity(cell: datacell.Cell, tmp_path: Path) -> None:
    cell.sql(source(tmp_path))
    sums = cell.query("SELECT k, sum(v) AS total FROM s [RANGE 2 SECONDS] GROUP BY k", name="sums")
    cell.run(once=True)
    found = [(r["valid_from"].second, r["valid_to"].second, r["k"], r["total"]) for r in rows(sums)]
    assert found == [(1, 3, 1, 5.0), (2, 4, 2, 7.0), (3, 5, 1, 9.0)]


def test_the_owner_of_a_session_keeps_it(spark: SparkSession, cell: datacell.Cell) -> None:
    cell.sql("CREATE TEMPORARY VIEW mine AS SELECT 1 AS x")
    answer = cell.sql("SELECT x + 1 AS y FROM mine")
    assert answer is not None
    assert answer.to_pandas()["y"].tolist() == [2]
    assert [row.y for row in answer.to_spark().collect()] == [2]
    assert not spark.catalog.tableExists("mine")


def test_a_query_that_cannot_keep_up_says_what_it_could(
    cell: datacell.Cell, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    declared = source(tmp_path).replace("WITH (", "WITH ('datacell.rate' = '1e12', 'datacell.distinct.k' = '9', ")
    cell.sql(declared)
    text = "SELECT k, sum(v) AS total FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] GROUP BY k"
    sums = cell.query(text, name="sums")
    assert "sums cannot keep up" in caplog.text
    assert "rows/s of s" in caplog.text
    cell.run(once=True)
    assert len(rows(sums)) == 6
    seen = cell.sql("EXPLAIN ANALYZE sums")
    assert seen is not None
    assert {row["part"] for row in seen.to_pylist()} >= {"relation 1", "answer"}
    strict = datacell.connect(tmp_path / "strict", spark=cell.spark, refuse_infeasible=True)
    strict.sql(declared)
    with pytest.raises(SqlError, match="cannot keep up"):
        strict.query(text)
    strict.stop()


def test_what_duckdb_may_not_run_is_the_only_thing_on_spark(cell: datacell.Cell, tmp_path: Path) -> None:
    cell.sql(source(tmp_path))
    text = "SELECT k, soundex(string(k)) AS c, count(*) AS n FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] GROUP BY ALL"
    counts = cell.query(text, name="counts")
    cell.run(once=True)
    assert sorted((r["window_end"].second, r["k"], r["c"], r["n"]) for r in rows(counts)) == [
        (2, 1, "1", 1),
        (3, 1, "1", 1),
        (3, 2, "2", 1),
        (4, 1, "1", 1),
        (4, 2, "2", 1),
        (5, 1, "1", 1),
    ]
    listed = cell.sql("SHOW QUERIES")
    assert listed is not None
    assert listed.to_pylist()[0]["engine"] == "duckdb + spark"


def test_a_cell_that_was_stopped_says_so(spark: SparkSession, tmp_path: Path) -> None:
    cell = datacell.connect(tmp_path / "state", spark=spark)
    cell.sql("CREATE STREAM s (ts TIMESTAMP, k INT, WATERMARK FOR ts AS ts)")
    cell.stop()
    cell.stop()
    uses: list[Callable[[], object]] = [
        lambda: cell.run(once=True),
        cell.start,
        lambda: cell.sql("SELECT 1"),
        lambda: cell.query("SELECT k FROM s"),
        lambda: cell.push("s", [{"ts": "2026-01-01T00:00:00Z", "k": 1}]),
    ]
    for use in uses:
        with pytest.raises(DataCellError, match="this cell was stopped"):
            use()


def test_receptors_and_emitters_are_transitions(cell: datacell.Cell, tmp_path: Path) -> None:
    cell.sql(source(tmp_path))
    cell.query("SELECT k FROM s", name="q")
    cell.sql(f"CREATE EMITTER e FROM q WITH (format = 'csv', path = '{tmp_path / 'out'}')")
    net = cell.works.scheduler.members.net
    found = {t.name: (t.kind, t.inputs, t.outputs) for t in net.transitions.values()}
    assert found == {
        "receptor s": (TransitionKind.RECEPTOR, (), ("s",)),
        "q": (TransitionKind.FACTORY, ("s",), ("→q",)),
        "emitter e": (TransitionKind.EMITTER, ("→q",), ()),
    }
    assert list(net.order) == ["receptor s", "q", "emitter e"]
    cell.sql("DROP EMITTER e")
    assert "emitter e" not in cell.works.scheduler.members.net.transitions


def test_a_running_query_explains_what_was_written_and_where_it_runs(cell: datacell.Cell, tmp_path: Path) -> None:
    cell.sql(source(tmp_path))
    query = cell.query(
        "SELECT k + 0 AS k, max(v) AS top FROM s [RANGE 4 SECONDS SLIDE 1 SECOND] WHERE v > 1 GROUP BY k + 0"
    )
    assert query.explain("logical") != query.explain("optimized")
    assert "window" in query.explain("logical").splitlines()[-2], "as written, the filter stands above the window"
    cell.run(once=True)
    factory = cell.statements.factory(query.name)
    shown = [line for line in query.explain("physical").splitlines() if ": on " in line]
    for line in shown:
        part, where = line.strip().split(": on ")
        sites = {site.value for site in factory.plans.sites().get(part, ())}
        assert not sites or where.startswith(" and ".join(sorted(sites)))


def test_a_stream_of_any_name_is_dropped_alone(cell: datacell.Cell, tmp_path: Path) -> None:
    names = "..", "a/../../b", "_hidden", "x" * 300
    for name in names:
        cell.sql(f"CREATE STREAM `{name}` (x INT); CREATE CONTINUOUS QUERY `of {name}` AS SELECT x FROM `{name}`")
        assert cell.push(name, [(1,)]) == 1
    cell.run(once=True)
    for name in names:
        assert rows(datacell.RunningQuery(cell, f"of {name}")) == [{"x": 1}]
        cell.sql(f"DROP CONTINUOUS QUERY `of {name}`; DROP STREAM `{name}`")
    assert (tmp_path / "state" / "cell.json").exists()
    assert not list((tmp_path / "state" / "streams").iterdir())
