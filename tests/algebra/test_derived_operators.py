"""The derived operators are what their definitions say, on random multisets: both sides run on DuckDB."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import (
    Difference,
    Distinct,
    Intersection,
    Join,
    JoinKind,
    Map,
    MaxUnion,
    Plan,
    StrictDifference,
    Table,
    Union,
)
from datacell.algebra.schema import Field, Named
from datacell.algebra.types import INT
from datacell.engines.protocol import run_once
from sample import engine

Row = tuple[int | None, int | None]
Multiset = Counter[Row]

ROWS = st.lists(st.tuples(st.sampled_from([None, 1, 2]), st.sampled_from([None, 1])), max_size=6)


def table(name: str) -> Plan:
    """The columns x and y of a table, under these names."""
    source = Table(name, name, (Field("x", INT), Field("y", INT)))
    return Map(source, tuple(Named(c, scalar.column(f"{name}.{c}"), INT) for c in ("x", "y")))


A, B = table("a"), table("b")
B_RENAMED = Map(B, (Named("p", scalar.column("x"), INT), Named("q", scalar.column("y"), INT)))
EQUAL_X = exp.EQ(this=scalar.column("x"), expression=scalar.column("p"))
SAME_ROW = scalar.conjoin(
    [
        exp.NullSafeEQ(this=scalar.column("x"), expression=scalar.column("p")),
        exp.NullSafeEQ(this=scalar.column("y"), expression=scalar.column("q")),
    ]
)
SEMI, ANTI = Join(A, B_RENAMED, JoinKind.SEMI, EQUAL_X), Join(A, B_RENAMED, JoinKind.ANTI, EQUAL_X)

DEFINITIONS = {
    "intersection": (Intersection(A, B), Difference(A, Difference(A, B))),
    "intersection commutes": (Intersection(A, B), Intersection(B, A)),
    "max-union": (MaxUnion(A, B), Union((Difference(A, B), Difference(B, A), Intersection(A, B)))),
    "max-union commutes": (MaxUnion(A, B), MaxUnion(B, A)),
    "max-union adds what is missing": (MaxUnion(A, B), Union((A, Difference(B, A)))),
    "strict difference": (StrictDifference(A, B), Distinct(Join(A, B_RENAMED, JoinKind.ANTI, SAME_ROW))),
    "strict difference by difference": (StrictDifference(A, B), Difference(Distinct(A), Distinct(B))),
    "anti join": (ANTI, Difference(A, SEMI)),
    "semi and anti join share the rows": (Union((SEMI, ANTI)), A),
    "distinct": (Distinct(A), MaxUnion(Distinct(A), Distinct(A))),
}


def run(plan: Plan, a: list[Row], b: list[Row]) -> Multiset:
    inputs = {name: pa.table([_column(rows, i) for i in (0, 1)], ["x", "y"]) for name, rows in (("a", a), ("b", b))}
    result = run_once(engine(), plan, inputs)
    return Counter(zip(*(column.to_pylist() for column in result.columns), strict=True))


def _column(rows: list[Row], index: int) -> Any:
    return pa.array([row[index] for row in rows], pa.int32())


@pytest.mark.parametrize("name", DEFINITIONS)
@settings(derandomize=True, database=None, deadline=None, max_examples=25)
@given(a=ROWS, b=ROWS)
def test_an_operator_is_what_its_definition_says(name: str, a: list[Row], b: list[Row]) -> None:
    left, right = DEFINITIONS[name]
    assert run(left, a, b) == run(right, a, b)


@settings(derandomize=True, database=None, deadline=None, max_examples=25)
@given(a=ROWS, b=ROWS)
def test_operators_do_to_multiplicities_what_they_promise(a: list[Row], b: list[Row]) -> None:
    left, right = Counter(a), Counter(b)
    assert run(Union((A, B)), a, b) == left + right
    assert run(Difference(A, B), a, b) == left - right
    assert run(Intersection(A, B), a, b) == left & right
    assert run(MaxUnion(A, B), a, b) == left | right
    assert run(Distinct(A), a, b) == Counter(set(a))
    assert run(StrictDifference(A, B), a, b) == Counter(set(a) - set(b))
    keys = {x for x, _ in b if x is not None}
    assert run(SEMI, a, b) == Counter(row for row in a if row[0] in keys)
    assert run(ANTI, a, b) == Counter(row for row in a if row[0] not in keys)
