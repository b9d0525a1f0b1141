"""The Spark engine leaves its owner's session as it was, and nothing behind."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.plan import Map, Table
from datacell.algebra.schema import Field, Named, Schema
from datacell.engines import spark as spark_module
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Files, run_once
from datacell.engines.spark import SparkEngine
from datacell.errors import EngineError

pytestmark = pytest.mark.spark

_SOURCE = Table("t", "t", (Field("a", types.INT), Field("s", types.STRING), Field("ts", types.TIMESTAMP)))
_NOON = dt.datetime(2024, 7, 1, 12, tzinfo=dt.UTC)
_ROWS = pa.table(
    {
        "a": pa.array([1, None], pa.int32()),
        "s": ["x", "7"],
        "ts": pa.array([_NOON, None], pa.timestamp("us", tz="UTC")),
    }
)
_PLAN = Map(
    _SOURCE,
    (
        Named("n", exp.TryCast(this=scalar.column("t.s"), to=types.to_sqlglot(types.INT)), types.INT),
        Named("h", scalar.call("hour", scalar.column("t.ts")), types.INT),
    ),
)
_ANSWER = {"n": [None, 7], "h": [12, None]}


def test_an_empty_piece_of_an_input_is_not_its_end(spark_engine: SparkEngine) -> None:
    pieces = pa.concat_tables([_ROWS.slice(0, 0), _ROWS.slice(0, 1), _ROWS.slice(0, 0), _ROWS.slice(1)])
    assert run_once(spark_engine, _PLAN, {"t": pieces}).to_pydict() == _ANSWER


def test_owner_keeps_its_session(spark: SparkSession) -> None:
    owner = spark.newSession()
    wanted = {"spark.sql.ansi.enabled": "true", "spark.sql.session.timeZone": "Asia/Tokyo"}
    for key, value in wanted.items():
        owner.conf.set(key, value)
    owner.range(3).createOrReplaceTempView("mine")
    active = SparkSession.getActiveSession()
    assert active is not None
    active.conf.set("datacell.test.active", "this one")
    assert run_once(SparkEngine(owner), _PLAN, {"t": _ROWS}).to_pydict() == _ANSWER
    assert {key: owner.conf.get(key) for key in wanted} == wanted
    assert [view.name for view in owner.catalog.listTables()] == ["mine"]
    after = SparkSession.getActiveSession()
    assert after is not None
    assert after.conf.get("datacell.test.active") == "this one"


def test_leaves_no_views(spark: SparkSession) -> None:
    engine = SparkEngine(spark)
    for _ in range(3):
        run_once(engine, _PLAN, {"t": _ROWS})
    assert engine.session.catalog.listTables() == []


def test_reads_parquet_files(spark_engine: SparkEngine, tmp_path: Path) -> None:
    paths = tuple(str(tmp_path / f"{i}.parquet") for i in range(2))
    for path in paths:
        pq.write_table(_ROWS, path)
    answer = run_once(spark_engine, _PLAN, {"t": Files(paths)})
    assert sorted(answer.column("h").to_pylist(), key=str) == [12, 12, None, None]


def test_a_large_job_finds_out_its_partitions(
    spark_engine: SparkEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq.write_table(_ROWS, tmp_path / "rows.parquet")
    files, prepared = Files((str(tmp_path),), len(_ROWS)), spark_engine.prepare(_PLAN)
    plans = []
    for large in (len(_ROWS), 0):
        monkeypatch.setattr(spark_module, "_LARGE", large)
        plans.append(
            prepared.over({"t": files}, lambda frame: frame.sparkSession.conf.get("spark.sql.adaptive.enabled"))
        )
        assert prepared.run({"t": files}).num_rows == len(_ROWS)
    assert plans == ["false", "true"]
    assert spark_engine.large.catalog.listTables() == []


def test_names_are_quoted(spark_engine: SparkEngine) -> None:
    name = "we\"ird``na'me; drop table x"
    source = Table(name, "t", (Field(name, types.TIMESTAMP_NTZ),))
    plan = Map(source, (Named(name, scalar.column(f"t.{name}"), types.TIMESTAMP_NTZ),))
    given = pa.table({name: pa.array([_NOON.replace(tzinfo=None)], pa.timestamp("us"))})
    assert run_once(spark_engine, plan, {name: given}).equals(given)


def test_failure_is_ours_and_quiet(spark_engine: SparkEngine, capfd: pytest.CaptureFixture[str]) -> None:
    plan = Map(_SOURCE, (Named("x", scalar.call("raise_error", exp.Literal.string("no!")), types.STRING),))
    with pytest.raises(EngineError, match="no!"):
        run_once(spark_engine, plan, {"t": _ROWS})
    assert "QueryContextLogger" not in capfd.readouterr().err


def test_empty_input(spark_engine: SparkEngine) -> None:
    answer = run_once(spark_engine, _PLAN, {"t": _ROWS.slice(0, 0)})
    assert answer.num_rows == 0
    assert answer.schema == pa.schema([("n", pa.int32()), ("h", pa.int32())])


def test_empty_input_with_nested_columns(spark_engine: SparkEngine) -> None:
    nested = {"a": "array<int>", "s": "struct<x:int>", "m": "map<string,int>"}
    schema = Schema(tuple(Field(name, types.of(text)) for name, text in nested.items()))
    source = Table("t", "t", schema.fields)
    nothing = pa.Table.from_batches([], arrow_schema(schema))
    assert len(run_once(spark_engine, Map(source, source.schema.passing()), {"t": nothing})) == 0
