"""A delta join: however rows come, each pair is found once, and rows that nothing can overlap with are let go of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.algebra import scalar
from datacell.algebra.delta_join import delta_join, overlap
from datacell.algebra.partial import formula
from datacell.algebra.schema import Field, Schema
from datacell.algebra.types import BIGINT, INT
from datacell.engines.arrow import arrow_schema
from datacell.runtime.delta_join import FEW_EXPIRED, BothSides, JoinedRows
from datacell.runtime.plans.plans import Plans
from sample import engine

VALIDITY = ("since", "until")
Row = tuple[int | None, int, int]
"""A key, and from where up to where it is visible."""

ROWS = st.lists(st.tuples(st.sampled_from([None, 1, 2]), st.integers(0, 20), st.integers(1, 8)), max_size=14)


def fields(key: str) -> tuple[Field, ...]:
    return (Field(key, INT),)


def table(key: str, rows: Sequence[Row]) -> pa.Table:
    schema = arrow_schema(Schema((*fields(key), *(Field(name, BIGINT) for name in VALIDITY))))
    return pa.table([pa.array(c, f.type) for c, f in zip(zip(*rows, strict=True), schema, strict=True)], schema=schema)


def empty(key: str) -> pa.Table:
    return table(key, [(0, 0, 0)])[:0]


def sides() -> BothSides:
    on = scalar.conjoin([formula("a = b", a=scalar.column("a"), b=scalar.column("b")), overlap(VALIDITY)])
    join = Plans.on(engine()).prepare("join", delta_join(fields("a"), fields("b"), on, VALIDITY))
    left, right = (JoinedRows(empty(key).schema, VALIDITY[1]) for key in ("a", "b"))
    return BothSides(join, left, right)


@settings(max_examples=60, deadline=None)
@given(ROWS, ROWS, st.integers(1, 5))
def test_every_pair_is_found_once_and_valid_in_the_intersection(left: list[Row], right: list[Row], size: int) -> None:
    """Rows come in the order in which they begin; what ended before the next begin cannot be needed any more."""
    lefts, rights = (
        sorted(((k, a, a + length) for k, a, length in rows), key=lambda row: row[1]) for rows in (left, right)
    )
    joined, found = sides(), Counter[tuple[object, ...]]()
    for now in range(0, 21 + size, size):
        new = [
            table(key, taken) if (taken := [row for row in rows if now - size <= row[1] < now]) else empty(key)
            for key, rows in (("a", lefts), ("b", rights))
        ]
        pairs = joined.new_pairs(*new)
        found.update(zip(*(pairs[name].to_pylist() for name in ("a", "b", *VALIDITY)), strict=True))
        joined.expire(now)
    expected = Counter(
        (k, m, max(a, c), min(b, d))
        for k, a, b in lefts
        for m, c, d in rights
        if k is not None and k == m
        if a < d and c < b
    )
    assert found == expected


def test_rows_are_let_go_of_when_enough_have_expired() -> None:
    joined = JoinedRows(empty("a").schema, VALIDITY[1])
    joined.add(table("a", [(1, 0, end) for end in range(10, 20)]))
    for position in range(10, 20):
        joined.expire(position)
        live = 19 - position
        assert live <= len(joined.rows) <= live / FEW_EXPIRED + 1
