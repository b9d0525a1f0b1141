"""Tables are refreshed between batches, runs go on from a checkpoint: an answer sees one version of each table."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from datacell.algebra import tree
from datacell.algebra.query import Query, Timing
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from properties.queries import CUTS, EVERY_INSTANT, SEVERAL, data, queries
from properties.queries import rows as drawn_rows
from reference import Answer, Reference, Refreshed
from runtime.netrun import Cuts, NetRun, snapshot, without_empty
from sample import Values, bind, catalog, decided, nearly_in_order, reference

QUERIES = [
    "SELECT t.c, sum(s.n) AS a, count(*) AS b FROM s [RANGE 5 SECONDS SLIDE 1 SECOND] JOIN t ON s.k = t.k GROUP BY t.c",
    "SELECT s.k, s.v, t.a FROM s [RANGE 3 SECONDS SLIDE 2 SECONDS] LEFT JOIN t ON s.k = t.k",
    "SELECT t.c, count(DISTINCT s.n) AS a FROM s [LANDMARK SLIDE 2 SECONDS] JOIN t ON s.k = t.k GROUP BY t.c",
    "SELECT k, n FROM s [RANGE 4 SECONDS SLIDE 1 SECOND] WHERE k IN (SELECT k FROM t)",
    "SELECT t.c, avg(s.v) AS a FROM s [ROWS 3 SLIDE 1] JOIN t ON s.k = t.k GROUP BY t.c",
    "SELECT DISTINCT t.c FROM s [RANGE 4 SECONDS SLIDE 1 SECOND] JOIN t ON s.k = t.k",
    "SELECT q.k, sum(q.n) AS a FROM (SELECT k, n FROM s [RANGE 5 SECONDS SLIDE 1 SECOND] UNION ALL "
    "SELECT k, x FROM r [RANGE 5 SECONDS SLIDE 1 SECOND]) q JOIN t ON q.k = t.k GROUP BY q.k",
    "SELECT s.k, r.x, t.a FROM s [RANGE 3 SECONDS SLIDE 1 SECOND] JOIN r [RANGE 4 SECONDS] ON s.k = r.k "
    "JOIN t ON s.k = t.k",
    "ISTREAM (SELECT s.k, max(t.a) AS a FROM s [RANGE 4 SECONDS SLIDE 1 SECOND] JOIN t ON s.k = t.k GROUP BY s.k)",
    "CREATE CONTINUOUS QUERY q AS SELECT s.k, s.n, t.a FROM s LEFT JOIN t ON s.k = t.k",
    "SELECT s.k, s.n, t.a FROM s [RANGE 4 SECONDS] JOIN t ON s.k = t.k",
    "SELECT t.c, count(*) AS n FROM s [RANGE 4 SECONDS] JOIN t ON s.k = t.k GROUP BY t.c",
    "SELECT k, count(*) AS n FROM s [FIXED 3 SECONDS] WHERE EXISTS (SELECT 1 FROM t WHERE t.k = s.k) GROUP BY k",
]

NEVER_ENDS = "UNBOUNDED"
"""The window whose rows were given out for good: its tables cannot be refreshed."""


@settings(SEVERAL, max_examples=30)
@given(st.sampled_from(QUERIES), st.integers(0, 2**32 - 1), CUTS, st.integers(0, 2**32 - 1), st.booleans())
def test_no_answer_mixes_versions(text: str, rows: int, cuts: Cuts, seed: int, incremental: bool) -> None:
    checked(DuckDBEngine(threads=1), text, drawn_rows(Random(rows)), cuts, seed, incremental)


@settings(SEVERAL, max_examples=30)
@given(queries(), data(), CUTS, st.integers(0, 2**32 - 1), st.booleans())
def test_no_answer_of_any_query_mixes_versions(
    text: str, rows: dict[str, Values], cuts: Cuts, seed: int, incremental: bool
) -> None:
    assume("[" in text and (" t" in text or " u" in text) and NEVER_ENDS not in text)
    checked(DuckDBEngine(threads=1), text, rows, cuts, seed, incremental)


@settings(SEVERAL, max_examples=20)
@given(queries(forms=(EVERY_INSTANT,)), data(), CUTS, st.integers(0, 2**32 - 1))
def test_no_instant_sees_two_versions(text: str, rows: dict[str, Values], cuts: Cuts, seed: int) -> None:
    assume("[" in text and (" t" in text or " u" in text) and NEVER_ENDS not in text)
    checked(DuckDBEngine(threads=1), text, rows, cuts, seed, incremental=False)


@pytest.mark.spark
@pytest.mark.parametrize("text", [QUERIES[0], QUERIES[10]])
def test_nor_on_spark(spark_engine: SparkEngine, text: str) -> None:
    checked(spark_engine, text, drawn_rows(Random(11)), {"s": [2, 2, 2], "r": [2]}, seed=5, incremental=True)


def checked(engine: Engine, text: str, rows: dict[str, Values], cuts: Cuts, seed: int, incremental: bool) -> None:
    chance, query = Random(seed), bind(text)
    tables = {name for name in tree.table_names(query.plan) if name != "f"}
    judge = reference(nearly_in_order(rows))
    refreshes: list[Refreshed] = []
    arrivals: list[str] = []
    with tempfile.TemporaryDirectory() as directory:

        def net_again() -> NetRun:
            return NetRun(Path(directory), catalog(), judge, engine, query, incremental)

        net = net_again()
        for batch in list(net.batches(cuts)):
            if chance.random() < 0.3:
                net = net_again()
            net.deposit(*batch)
            arrivals += [batch[0]] * len(batch[2])
            if tables and chance.random() < 0.5:
                refreshes.append(refreshed(chance, judge, tables, arrivals, net))
        net.scheduler.drain()
        judged_by = replace(judge, arrivals=arrivals, refreshes=refreshes)
        compared(net, judged_by, replace(query, plan=decided(query.plan)))


def refreshed(chance: Random, judge: Reference, tables: set[str], arrivals: list[str], net: NetRun) -> Refreshed:
    """Some rows of a table are gone, others are there twice."""
    name = chance.choice(sorted(tables))
    before: pa.Table = judge.tables[name]
    kept = [row for row in range(len(before)) for _ in range(chance.choice([0, 1, 1, 2]))]
    after = before.take(pa.array(kept, pa.int64()))
    net.trial.refresh(name, after)
    return Refreshed(sum(stream in net.factory.streams for stream in arrivals), name, after)


def compared(net: NetRun, judge: Reference, query: Query) -> None:
    expected = [Answer(a.boundary, _rounded(a.rows)) for a in judge.answers(query)]
    if query.timing is Timing.EVERY_INSTANT:
        found = net.validities()
        assert [v[:2] for v in found] == sorted(v[:2] for v in found), "they leave in order"
        for answer in expected:
            assert snapshot(found, answer.boundary) == answer.rows, answer.boundary
    else:
        assert without_empty(net.answers()) == without_empty(expected)


def _rounded(rows: Counter[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    found = Counter[tuple[Any, ...]]()
    for row, count in rows.items():
        found[tuple(round(value, 9) if isinstance(value, float) else value for value in row)] += count
    return found
