"""A row for which a predicate is true lies in its region; regions that have no row in common are found out."""

from __future__ import annotations

from math import inf, nan

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.algebra import region
from datacell.algebra.region import Region
from datacell.engines.protocol import run_once
from datacell.runtime.net.chain import wanted_of
from datacell.runtime.streams.own_basket import inside
from datacell.testing import Trial
from properties.queries import SEVERAL
from sample import engine

STREAM = "CREATE STREAM s (ts TIMESTAMP, i INT, b BIGINT, v DOUBLE, t STRING, d DATE, o BOOLEAN, f FLOAT);"


def of(condition: str) -> Region:
    with Trial(f"{STREAM}CREATE CONTINUOUS QUERY q AS SELECT * FROM s AS x WHERE {condition}") as trial:
        return wanted_of(trial.factory("q").compiled, "s")


DISJOINT = [
    ("i > 5", "i < 5"),
    ("i > 5", "i <= 5"),
    ("i > 5", "i < 6"),
    ("i > 5.5", "5.5 > i"),
    ("i = 5.5", "i > 0"),
    ("i BETWEEN 1 AND 3", "i NOT BETWEEN 1 AND 3"),
    ("i IN (1, 2, 3)", "i IN (4, 5)"),
    ("i IN (1, 2)", "i NOT IN (1, 2)"),
    ("i <> 3", "i = 3"),
    ("i IS NULL", "i > 0"),
    ("i IS NULL", "i IS NOT NULL"),
    ("NOT (i > 5)", "i > 5"),
    ("NOT (i > 5 OR v > 1)", "i > 5"),
    ("(i < 1 OR i > 9) AND v > 0", "i BETWEEN 1 AND 9"),
    ("v > 1", "v <= 1"),
    ("v < -1e0 AND v < -2", "v > -2"),
    ("t = 'a'", "t IN ('b', 'A')"),
    ("t < 'b'", "t >= 'b'"),
    ("o", "NOT o"),
    ("o", "o = false"),
    ("d < DATE '2026-01-02'", "d >= '2026-01-02'"),
    ("ts < TIMESTAMP '2026-01-01 00:00:01'", "ts > '2026-01-01 00:00:01.5'"),
    ("i > 5 AND abs(i) = 7", "i < 5"),
    ("false", "true"),
    ("i > 5 AND NULL", "i > 5"),
]
OVERLAPPING = [
    ("i > 5", "i > 7"),
    ("i >= 5", "i <= 5"),
    ("i > 5", "v > 5"),
    ("i > 5.5", "i < 6.5"),
    ("abs(i) > 5", "abs(i) < 5"),
    ("i % 2 = 0", "i % 2 = 1"),
    ("f < 0.5", "f > 0.5"),
    ("b > 1e3", "b < 1e3"),
    ("v > 0.1234567890123456", "v < 0.1234567890123456"),
    ("i > 5 OR t = 'a'", "i < 5"),
    ("i IS NULL OR i > 5", "i IS NULL"),
    ("t LIKE 'a%'", "t LIKE 'b%'"),
    ("true", "i = 1"),
]


@pytest.mark.parametrize(("one", "other"), DISJOINT)
def test_disjoint(one: str, other: str) -> None:
    assert region.is_disjoint(of(one), of(other))
    assert region.is_disjoint(of(other), of(one))


@pytest.mark.parametrize(("one", "other"), OVERLAPPING)
def test_perhaps_not_disjoint(one: str, other: str) -> None:
    assert not region.is_disjoint(of(one), of(other))


def test_too_many_alternatives_are_not_understood() -> None:
    assert of(" OR ".join(f"i = {n}" for n in range(64))) != region.EVERYTHING
    assert of(" OR ".join(f"i = {n}" for n in range(65))) == region.EVERYTHING


WHOLE, DOUBLES, TEXTS = (0, 1, 2, 3, None), (-inf, -0.0, 0.0, 1.5, 2.0, inf, nan, None), ("", "a", "ab", "b", None)
ROWS = st.lists(st.tuples(*map(st.sampled_from, (WHOLE, DOUBLES, TEXTS, (True, False, None)))), max_size=12)
_LITERALS = {"i": ("0", "1", "1.5", "2", "3", "NULL"), "v": ("0", "-1.5", "1.5", "2.0"), "t": ("''", "'a'", "'ab'")}
COMPARED = st.sampled_from(sorted(_LITERALS)).flatmap(
    lambda name: st.builds(
        "{} {} {}".format,
        st.just(name),
        st.sampled_from(("=", "<>", "<", "<=", ">", ">=", "<=>")),
        st.sampled_from(_LITERALS[name]),
    )
)
SIMPLE = st.one_of(
    COMPARED,
    st.sampled_from(("o", "i IN (1, 2)", "i IN (1, NULL)", "v BETWEEN 0 AND 1.5", "i IS NULL", "t LIKE 'a%'", "i = b")),
)
PREDICATES = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT ({})".format, inner),
    ),
    max_leaves=6,
)


@settings(SEVERAL, max_examples=150)
@given(ROWS, PREDICATES, PREDICATES)
def test_what_is_wanted_lies_in_the_region(rows: list[tuple[object, ...]], one: str, other: str) -> None:
    select = "CREATE CONTINUOUS QUERY {} AS SELECT * FROM s WHERE {};"
    with Trial(STREAM + select.format("q", one) + select.format("p", other)) as trial:
        schema = trial.stream("s").gate.schema
        columns = [{"b": row[0], "ts": 0, **dict(zip(("i", "v", "t", "o"), row, strict=True))} for row in rows]
        table = pa.Table.from_pylist(columns, schema=schema)
        wanted = []
        for name in "qp":
            compiled = trial.factory(name).compiled
            found = run_once(engine(), compiled.optimized.plan, {"s": table}).to_pylist()
            area = wanted_of(compiled, "s")
            assert _shown(found) <= _shown(table.filter(pa.array(inside(area, table))).to_pylist())
            wanted.append((area, _shown(found)))
        (area, mine), (theirs, others) = wanted
        assert not region.is_disjoint(area, theirs) or not mine & others


def _shown(rows: list[dict[str, object]]) -> set[str]:
    return {str(list(row.values())) for row in rows}
