"""DuckDB is locked down, and no name or value can be taken for SQL."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.plan import Aggregate, Filter, Join, JoinKind, Map, Order, Over, Plan, SortKey, Table
from datacell.algebra.schema import Field, Named
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Files, run_once
from datacell.errors import EngineError

NASTY = [
    "we\"ird``na'me; drop table x",
    "select",
    "from",
    "ünïcödé 日本 😀",
    "a.b",
    "--",
    "/*",
    "{0}",
    "$1",
    "?",
    " ",
]


@pytest.fixture
def engine() -> Iterator[DuckDBEngine]:
    made = DuckDBEngine()
    yield made
    made.close()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '{folder}/some.parquet'",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM glob('/*')",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/other.db' AS other",
        "INSTALL httpfs",
        "LOAD httpfs",
        "LOAD '{folder}/some.duckdb_extension'",
        "SET threads = 1",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "PRAGMA enable_external_access",
        "RESET lock_configuration",
    ],
)
def test_locked_down(engine: DuckDBEngine, statement: str, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "some.parquet")
    with pytest.raises(duckdb.Error):
        engine.execute(statement.format(folder=tmp_path)).fetchall()


@pytest.mark.parametrize("name", NASTY)
def test_names_are_quoted(engine: DuckDBEngine, name: str) -> None:
    source = Table(name, "t", (Field(name, types.STRING),))
    plan: Plan = Map(source, (Named(name, scalar.column(f"t.{name}"), types.STRING),))
    plan = Order(plan, (SortKey(scalar.column(name)),))
    given = pa.table({name: ["b", "a", None, ""]})
    assert run_once(engine, plan, {name: given}).to_pydict() == {name: [None, "", "a", "b"]}


@pytest.mark.parametrize("value", [*NASTY, "", "'", "''", "\\", '"', "a\nb"])
def test_values_are_quoted(engine: DuckDBEngine, value: str) -> None:
    source = Table("t", "t", (Field("s", types.STRING),))
    plan = Filter(source, exp.EQ(this=scalar.column("t.s"), expression=exp.Literal.string(value)))
    assert run_once(engine, plan, {"t": pa.table({"s": [value, "other", None]})}).to_pydict() == {"t.s": [value]}


def test_reads_parquet_files(engine: DuckDBEngine, tmp_path: Path) -> None:
    paths = tuple(str(tmp_path / f"{i}.parquet") for i in range(2))
    for i, path in enumerate(paths):
        pq.write_table(pa.table({"a": [i], "unread": ["x"]}), path)
    plan = Table("t", "t", (Field("a", types.BIGINT),))
    assert run_once(engine, plan, {"t": Files(paths)}).sort_by("t.a").to_pydict() == {"t.a": [0, 1]}


def test_refused_plan_is_not_run(engine: DuckDBEngine) -> None:
    source = Table("t", "t", (Field("v", types.DOUBLE),))
    plan = Map(source, (Named("x", scalar.call("sin", scalar.column("t.v")), types.DOUBLE),))
    assert engine.refusals(plan) == ("sin: the last digits depend on the mathematical library",)
    with pytest.raises(EngineError, match="must not run"):
        run_once(engine, plan, {"t": pa.table({"v": [1.0]})})


def test_every_reason_is_told(engine: DuckDBEngine) -> None:
    source = Table("t", "t", (Field("v", types.DOUBLE),))
    v = scalar.column("t.v")
    columns = (
        Named("x", exp.Add(this=scalar.call("sin", v), expression=scalar.call("hash", v)), types.DOUBLE),
        Named("y", scalar.call("no_such_function", v), types.INT),
    )
    assert engine.refusals(Map(source, columns)) == (
        "sin: the last digits depend on the mathematical library",
        "hash: the hash functions differ",
        "no_such_function: not compared yet",
    )


def test_overflow_raises_and_leaves_nothing_behind(engine: DuckDBEngine) -> None:
    source = Table("t", "t", (Field("n", types.BIGINT),))
    double = exp.Mul(this=scalar.column("t.n"), expression=exp.Literal.number(2))
    plan = Map(source, (Named("x", double, types.BIGINT),))
    for _ in range(3):
        with pytest.raises(EngineError, match="Overflow"):
            run_once(engine, plan, {"t": pa.table({"n": [2**62]})})
    assert run_once(engine, plan, {"t": pa.table({"n": [2]})}).to_pydict() == {"x": [4]}
    assert engine.execute("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall() == [(0,)]


@pytest.mark.parametrize("rows", [3, 100_000])
def test_an_input_may_be_read_twice(engine: DuckDBEngine, rows: int) -> None:
    """A plan reads it twice, or the database makes a join of what reads it once."""
    left, right = (Table("t", name, (Field("n", types.BIGINT),)) for name in ("a", "b"))
    paired = Join(left, right, JoinKind.INNER, exp.EQ(this=scalar.column("a.n"), expression=scalar.column("b.n")))
    both = Aggregate(paired, (Named("c", scalar.call("count", exp.Star()), types.BIGINT),))
    counted = exp.Window(this=scalar.call("count", exp.Star()), partition_by=[scalar.column("a.n")])
    over = Over(left, (Named("c", counted, types.BIGINT),))
    for times in (1, 2):
        values = pa.table({"n": list(range(rows)) * times})
        assert run_once(engine, both, {"t": values}).to_pydict() == {"c": [rows * times**2]}
        assert set(run_once(engine, over, {"t": values})["c"].to_pylist()) == {times}


def test_what_runs_up_to_a_row_is_not_computed_for_every_row_by_itself(engine: DuckDBEngine) -> None:
    """Frames computed one by one would take this test some minutes."""
    source = Table("t", "t", (Field("n", types.BIGINT),))
    frame = exp.WindowSpec(
        kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end=exp.Literal.number(1), end_side="PRECEDING"
    )
    order = exp.Order(expressions=[exp.Ordered(this=scalar.column("t.n"), desc=False, nulls_first=True)])
    before = exp.Window(this=scalar.call("sum", scalar.column("t.n")), order=order, spec=frame)
    plan = Over(source, (Named("before", before, types.BIGINT),))
    found = run_once(engine, plan, {"t": pa.table({"n": range(200_000)})}).sort_by("t.n")
    assert found["before"].to_pylist()[1:] == list(accumulate(range(199_999)))


def test_inputs_that_are_not_read_are_let_go(engine: DuckDBEngine) -> None:
    nothing = Filter(Table("t", "t", (Field("n", types.BIGINT),)), exp.false())
    before = pa.total_allocated_bytes()
    for _ in range(3):
        assert len(run_once(engine, nothing, {"t": pa.table({"n": pa.array(range(10_000))})})) == 0
    assert pa.total_allocated_bytes() - before < 10_000
