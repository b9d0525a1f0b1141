"""Increments answer as re-evaluation does, over streams long enough for fronts, suffixes, stragglers and blocks."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.spark import SparkEngine
from datacell.placement.operators import Site
from datacell.runtime.windows import compaction
from reference import Answer
from runtime.netrun import NetRun
from sample import Values, bind, catalog, reference

QUERIES = [
    "SELECT k, avg(v) AS a, count(*) AS c FROM s [{w}] GROUP BY k",
    "SELECT k, max(n) AS a, min(v) AS b, sum(n) AS c FROM s [{w}] WHERE n IS NOT NULL GROUP BY k HAVING count(*) > 1",
    "SELECT count(*) AS c, count(v) AS d, sum(v) AS e FROM s [{w}] WHERE k > 1",
    "SELECT k, count(DISTINCT n) AS d, count(n) AS c FROM s [{w}] GROUP BY k",
    "SELECT k, var_samp(v) AS a, covar_pop(v, n) AS b FROM s [{w}] GROUP BY k",
    "SELECT DISTINCT k, n FROM s [{w}]",
    "SELECT k, n, v FROM s [{w}] ORDER BY v DESC, k, n LIMIT 3",
    "SELECT k, median(v) AS m FROM s [{w}] WHERE n > 0 GROUP BY k",
    "SELECT a.k, count(*) AS c, max(b.x) AS m FROM s [{w}] a JOIN r [{w2}] b ON a.k = b.k GROUP BY a.k",
    "SELECT a.k, a.n, b.x FROM s [{w}] a JOIN r [{w2}] b ON a.k = b.k AND a.n < b.x",
    "SELECT a.k, b.x FROM s [{w}] a LEFT JOIN r [{w2}] b ON a.k = b.k AND a.n = b.x",
    "SELECT count(*) AS c FROM s [{w}] a JOIN s [{w2}] b ON a.k = b.k JOIN r [{w}] c ON b.n = c.x",
    "SELECT x.k, x.a, y.b FROM (SELECT k, sum(n) AS a FROM s [{w}] GROUP BY k) x "
    "JOIN (SELECT k, sum(n) AS b FROM s [{w2}] GROUP BY k) y ON x.k <=> y.k",
    "SELECT max(q.a) AS m FROM (SELECT k, avg(v) AS a FROM s [{w}] GROUP BY k) q",
    "SELECT k FROM s [{w}] EXCEPT SELECT k FROM r [{w2}]",
    "SELECT k, sum(q.n) AS t FROM (SELECT k, n FROM s [{w}] UNION ALL SELECT k, x FROM r [{w2}]) q GROUP BY k",
    "ISTREAM (SELECT k, count(*) AS c FROM s [{w}] GROUP BY k)",
    "SELECT k, v, n FROM s [{w}] WHERE n >= (SELECT max(x) FROM r [{w2}])",
    "SELECT k, window_end AS e, count(*) AS c FROM s [{w}] GROUP BY k, window_end HAVING window_end IS NOT NULL",
]

UNION = "(SELECT k, n FROM s [{w}] UNION ALL SELECT k, x FROM r [{w2}])"
DEEP = [
    "SELECT k, sum(v) AS a FROM s [{w}] GROUP BY k HAVING sum(v) > 0 AND k < 3",
    f"SELECT DISTINCT q.k, n + 1 AS m FROM {UNION} q",
    f"SELECT q.k, n, b FROM {UNION} q LEFT JOIN u ON q.k = u.k",
    f"SELECT k, n FROM {UNION} ORDER BY n DESC, k LIMIT 2 OFFSET 1",
    f"SELECT q.k, avg(q.n) AS a, count(*) AS c FROM {UNION} q JOIN u ON q.k = u.k GROUP BY q.k",
    f"SELECT q.k, q.n, a.v FROM {UNION} q JOIN s [{{w}}] a ON q.n = a.n",
    "SELECT k, v, n FROM s [{w}] a WHERE EXISTS (SELECT 1 FROM r [{w2}] b WHERE b.k = a.k)",
    "SELECT k, v, n FROM s [{w}] a WHERE EXISTS (SELECT 1 FROM r [{w2}] b WHERE b.k = a.k AND b.x > a.n)",
    "SELECT k, count(*) AS c FROM s [{w}] a WHERE NOT EXISTS (SELECT 1 FROM r [{w2}] b WHERE b.k = a.k) GROUP BY k",
    "SELECT k, n FROM s [{w}] WHERE n NOT IN (SELECT x FROM r [{w2}] WHERE x > 0)",
    "SELECT k, count(DISTINCT n + 1) AS d, sum(n) AS c FROM s [{w}] GROUP BY k",
    "SELECT count(DISTINCT n % 2, k) AS d, sum(DISTINCT n * 2) FILTER (WHERE k > 1) AS e FROM s [{w}]",
    "SELECT max_by(n, n * 2) AS a FROM s [{w}]",
    "SELECT a.k, count(*) AS c, sum(b.x) AS t, avg(c.n) AS m FROM s [{w}] a JOIN r [{w2}] b ON a.k = b.k "
    "JOIN s [{w2}] c ON b.x > c.n GROUP BY a.k",
    "SELECT a.k, a.n, b.x FROM s [{w}] a JOIN r [{w2}] b ON a.k = b.k "
    "UNION ALL SELECT c.k, c.n, d.x FROM s [{w}] c JOIN r [{w2}] d ON c.k = d.k",
]
"""Queries that are cut above the first operator which needs more than one slice, or below what hides it."""


def windows(chance: Random) -> tuple[str, str]:
    """Two windows that go together."""
    if chance.random() < 0.3:
        rows = [
            f"ROWS {chance.randint(1, 40)} SLIDE {chance.randint(1, 9)}",
            f"PARTITION BY k ROWS {chance.randint(1, 5)} SLIDE {chance.randint(1, 9)}",
            f"LANDMARK SLIDE {chance.randint(1, 15)} ROWS",
        ]
        return chance.choice(rows), chance.choice(rows[::2])
    length, slide = chance.choice([2, 7, 10, 20, 45]), chance.choice([1, 2, 3, 5, 20])
    time = [
        f"RANGE {length} SECONDS SLIDE {slide} SECONDS",
        f"RANGE {length} SECONDS SLIDE {slide} SECONDS",
        f"FIXED {length} SECONDS SLIDE {slide} SECONDS",
        f"LANDMARK SLIDE {slide} SECONDS",
        f"LANDMARK SLIDE {slide} SECONDS RESET EVERY {chance.choice([4, 15])} SECONDS",
        f"LANDMARK FROM TIMESTAMP '1970-01-01 00:00:11Z' SLIDE {slide} SECONDS",
    ]
    return chance.choice(time), chance.choice([*time, f"RANGE {length} SECONDS"])


def rows(chance: Random) -> dict[str, Values]:
    """Some ninety seconds with gaps, disorder within the lateness, and a few rows that come far too late."""
    seconds = 0.0
    found: dict[str, list[tuple[object, ...]]] = {"s": [], "r": []}
    for _ in range(chance.randint(20, 160)):
        seconds += chance.choice([0, 0, 0.25, 0.5, 1, 1.5]) if chance.random() < 0.98 else 25
        late = chance.choice([0, 0, 0.5, 1.5, 1.9]) if chance.random() < 0.97 else 8
        time = max(0.0, seconds - late)
        key = chance.choice([None, 1, 2, 3, chance.randint(4, 9)])
        value = chance.choice([None, -1.5, 0.5, 2.0, 7.5])
        if chance.random() < 0.65:
            found["s"].append((time, key, value, chance.choice([None, 0, 1, 2, 5])))
        else:
            found["r"].append((time, key, chance.choice([None, 0, 1, 2, 5]), chance.choice(["x", "y"])))
    return {**found, "t": [], "u": [(1, 10), (1, 20), (2, None), (None, 30), (5, 5)]}


def compared(
    engine: Engine, seed: int, queries: Sequence[str] = QUERIES, overhead: int | None = None
) -> tuple[list[Answer], list[Answer], str]:
    """The answers by increments and by re-evaluation, of a case that the seed decides."""
    chance = Random(seed)
    w, w2 = windows(chance)
    query = bind(chance.choice(queries).format(w=w, w2=w2))
    data = rows(chance)
    most = chance.choice([1, 3, 12, 60])
    cuts = {name: [chance.randint(0, most) for _ in range(len(data[name]))] for name in ("s", "r")}
    little = chance.choice([0, 0, 40, 10_000])
    answers = []
    for incremental in (True, False):
        with tempfile.TemporaryDirectory() as directory:
            net = NetRun(Path(directory), catalog(), reference(data), engine, query, incremental)
            if overhead is not None:
                net.factory.plans.call_overhead_rows = {Site(engine.name): overhead}
            net.factory.plans.little_rows = {Site(engine.name): little}
            answers.append(net.run(cuts))
    return answers[0], answers[1], query.text


MANY = settings(
    max_examples=45,
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@MANY
@example(486, 0, 2)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 5, 10_000]), st.sampled_from([2, 32]))
def test_increments_answer_as_reevaluation_does(seed: int, overhead: int, compacted_from: int) -> None:
    """`overhead` and `compacted_from` decide how often rows are folded and chunks are combined."""
    engine = DuckDBEngine(threads=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compaction, "COMPACTED_FROM", compacted_from)
        ours, expected, text = compared(engine, seed, overhead=overhead)
    engine.close()
    assert ours == expected, text


@MANY
@given(st.integers(0, 2**32 - 1))
def test_deep_cuts_answer_as_reevaluation_does(seed: int) -> None:
    engine = DuckDBEngine(threads=1)
    ours, expected, text = compared(engine, seed, DEEP)
    engine.close()
    assert ours == expected, text


@pytest.mark.spark
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("queries", [QUERIES, DEEP], ids=["usual", "deep"])
def test_on_spark_too(spark_engine: SparkEngine, queries: list[str], seed: int) -> None:
    ours, expected, text = compared(spark_engine, seed, queries)
    assert ours == expected, text
