"""agg(P₁ ∪ … ∪ Pₙ) = finish(combine(align(partial(P₁), …, partial(Pₙ)))), on both engines, combined in several ways."""

from __future__ import annotations

import datetime as dt
import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import pyarrow as pa
import pytest
from sqlglot import exp

from datacell.algebra import scalar, tree
from datacell.algebra.decompose import Decomposition, decompose, decompose_all
from datacell.algebra.plan import Aggregate, Filter, Group, Map, Over, Plan, Table, Union, Values
from datacell.algebra.schema import Named, Schema
from datacell.algebra.types import BIGINT, INT, STRING
from datacell.engines.arrow import arrow_schema
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine, run_once
from datacell.engines.spark import SparkEngine
from datacell.sql import script
from datacell.sql.catalog import Catalog
from datacell.sql.statements.statement import Select
from sample import defined

_DEFINITION = """create table rows (k string, part int, o int, i int, b boolean, v double, w double, p decimal(10,2),
    much decimal(38,2), big bigint, s string, t string, d date)"""
_NAN, _INF = math.nan, math.inf

AGREED = """
    count(*) | count(1) | count(i) | count(i, v) | count_if(b) | count_if(i > 1) | regr_count(v, w)
    sum(i) | sum(v) | sum(p) | sum(p * i) | sum(much)
    min(i) | max(v) | min(s) | max(d) | max(p)
    bool_and(b) | every(i > 0) | bool_or(b) | any(b) | some(i > 2)
    bit_and(i) | bit_or(i) | bit_xor(i)
    max_by(i, o) | min_by(v, o) | max_by(s, o) | min_by(i, cast(o as bigint))
    avg(v) | mean(i) | regr_avgx(v, w) | regr_avgy(v, w)
    var_pop(v) | var_samp(v) | variance(i) | std(v) | stddev(p) | stddev_samp(i) | stddev_pop(v) | var_pop(i + w)
    covar_pop(v, w) | covar_samp(v, w)
    count(*) filter (where b) | sum(i) filter (where v > 1) | max(s) filter (where i > 100)
    count_if(b) filter (where i > 1) | bool_or(b) filter (where i > 1) | max_by(s, o) filter (where b)
    avg(v) filter (where b) | stddev(v) filter (where b) | covar_pop(i, v) filter (where b)
"""
"""DuckDB may run them, and then by parts too."""

OTHERS = """
    try_sum(i) | try_sum(v) | try_sum(big) | try_sum(p) filter (where b)
    avg(p) | avg(t) | try_avg(v) | try_avg(p) | regr_avgx(t, v) | regr_avgx(v, p) | regr_avgy(p, v) filter (where b)
    stddev(t) | covar_pop(t, v) | skewness(v) | kurtosis(v) | kurtosis(w) filter (where b)
    corr(v, w) | corr(w, v) filter (where b) | regr_sxx(v, w) | regr_syy(v, w) | regr_sxy(v, w) | regr_slope(v, w)
    regr_slope(i, t) | regr_intercept(v, w) | regr_r2(v, w) | regr_r2(v, w) filter (where b)
"""
NOT_BY_PARTS = """
    count(distinct i) | sum(distinct i) | avg(distinct v) | bit_xor(distinct i) | stddev(distinct v)
    max_by(distinct i, o) | max_by(i, o, 2) | max_by(i, o + 1) | avg(much) | median(v) | percentile(v, 0.5) | mode(i)
    first(i) | any_value(i) | collect_list(i) | listagg(s)
"""


@cache
def catalog() -> Catalog:
    return defined(_DEFINITION)


def listed(text: str) -> list[str]:
    return [piece.strip() for line in text.splitlines() if line.strip() for piece in line.split(" | ")]


@cache
def bound(text: str) -> tuple[Named, ...]:
    """The aggregates of a text, as the binder gives them."""
    selected = ", ".join(f"{item} as x{number}" for number, item in enumerate(listed(text)))
    (placed,) = script.read(f"select {selected} from rows", catalog())
    assert isinstance(placed.statement, Select)
    (found,) = (n for n in tree.descendants(placed.statement.query.plan) if isinstance(n, Aggregate))
    maps = (n for n in tree.descendants(found.child) if isinstance(n, Map))
    below = {c.name: c.value for m in maps for c in m.columns}
    return tuple(replace(a, value=scalar.substitute(a.value, below)) for a in found.aggregates)


# Plans


@cache
def source() -> Table:
    columns = catalog().table("rows")
    assert columns is not None
    return Table("rows", "rows", columns)


PART = Named("part", scalar.column("rows.part"), INT)
KEYS = (Named("k", scalar.column("rows.k"), STRING),)


def direct(aggregates: Sequence[Named], keys: tuple[Named, ...]) -> Plan:
    return Aggregate(Group(source(), keys) if keys else source(), tuple(aggregates))


def decomposed(aggregates: Sequence[Named]) -> list[Decomposition]:
    found = [decompose(a, source().schema) for a in aggregates]
    assert [str(a) for a, p in zip(aggregates, found, strict=True) if p is None] == []
    return [p for p in found if p is not None]


def partials(found: Sequence[Decomposition], keys: tuple[Named, ...], count: int) -> Plan:
    """One row per part; without keys of empty parts too."""
    columns = tuple(p for f in found for p in f.partials)
    if keys:
        return Aggregate(Group(source(), (*keys, PART)), columns)
    pieces = tuple(_numbered(Aggregate(Filter(source(), _is(PART.value, i)), columns), i) for i in range(count))
    return Union(pieces) if count > 1 else pieces[0]


def _numbered(piece: Plan, number: int) -> Plan:
    return Map(piece, (Named("part", exp.Literal.number(number), INT), *piece.schema.passing()))


def _is(value: exp.Expr, number: int) -> exp.Expr:
    return exp.EQ(this=value.copy(), expression=exp.Literal.number(number))


def aligned(plan: Plan, found: Sequence[Decomposition], keys: Sequence[str]) -> Plan:
    references = tuple(Named(r.name, _over(r.value, keys), r.type) for f in found for r in f.references)
    new = {a.name: a for f in found for a in f.align}
    seen = Over(plan, references) if references else plan
    return Map(seen, tuple(new.get(c.name, c) for c in plan.schema.passing()))


def combined(plan: Plan, found: Sequence[Decomposition], keys: Sequence[str]) -> Plan:
    columns = tuple(c for f in found for c in f.combined)
    return Aggregate(Group(plan, plan.schema.passing(keys)) if keys else plan, columns)


def finished(plan: Plan, found: Sequence[Decomposition], keys: Sequence[str]) -> Plan:
    return Map(plan, (*plan.schema.passing(keys), *(f.finish for f in found)))


def _over(call: exp.Expr, keys: Sequence[str], growing: bool = False) -> exp.Expr:
    order = exp.Order(expressions=[exp.Ordered(this=scalar.column("part"), nulls_first=True)])
    frame = exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW")
    partition = [scalar.column(key) for key in keys]
    return exp.Window(this=call.copy(), partition_by=partition, **({"order": order, "spec": frame} if growing else {}))


Way = Callable[[Plan, Sequence[Decomposition], Sequence[str]], Plan]


def at_once(plan: Plan, found: Sequence[Decomposition], keys: Sequence[str]) -> Plan:
    return combined(aligned(plan, found, keys), found, keys)


def twice(plan: Plan, found: Sequence[Decomposition], keys: Sequence[str]) -> Plan:
    """Two parts at a time, and what this gives once more."""
    pairs = exp.IntDiv(this=scalar.column("part"), expression=exp.Literal.number(2))
    pair = Named("pair", pairs, BIGINT)
    numbered = Map(plan, (pair, *plan.schema.passing([n for n in plan.schema.names if n != "part"])))
    some = combined(aligned(numbered, found, [*keys, "pair"]), found, [*keys, "pair"])
    return at_once(some, found, keys)


def running(plan: Plan, found: Sequence[Decomposition], keys: Sequence[str]) -> Plan:
    """A growing frame; at the last part it has all of them."""
    columns = [c for f in found for c in f.combined]
    last = Named("last", _over(scalar.call("max", scalar.column("part")), keys), INT)
    growing = tuple(Named(f"{c.name}′", _over(c.value, keys, growing=True), c.type) for c in columns)
    grown = Over(aligned(plan, found, keys), (last, *growing))
    ends = Filter(grown, exp.EQ(this=scalar.column("part"), expression=scalar.column("last")))
    renamed = (Named(c.name, scalar.column(f"{c.name}′"), c.type) for c in columns)
    return Map(ends, (*ends.schema.passing(keys), *renamed))


def by_parts(aggregates: Sequence[Named], keys: tuple[Named, ...], way: Way, count: int = 5) -> Plan:
    found, names = decomposed(aggregates), [k.name for k in keys]
    return finished(way(partials(found, keys, count), found, names), found, names)


# Answers


Row = tuple[Any, ...]


def table(rows: Sequence[Row]) -> pa.Table:
    schema = arrow_schema(Schema(source().columns))
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    return pa.Table.from_arrays([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def answers(engine: Engine, plan: Plan, rows: Sequence[Row]) -> dict[Any, dict[str, Any]]:
    """By key, by name."""
    found = run_once(engine, plan, {"rows": table(rows)}).to_pylist()
    return {row.get("k"): {name: value for name, value in row.items() if name != "k"} for row in found}


def differences(right: dict[Any, dict[str, Any]], given: dict[Any, dict[str, Any]]) -> list[str]:
    assert right.keys() == given.keys()
    return [
        f"{name} of {key}: {value!r} is {given[key][name]!r} by parts"
        for key, row in right.items()
        for name, value in row.items()
        if not close(value, given[key][name])
    ]


def close(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return type(a) is type(b) and bool(a == b)


# On DuckDB


@cache
def duckdb() -> DuckDBEngine:
    return DuckDBEngine(threads=1)


WAYS: list[Way] = [at_once, twice, running]
_POOLS: dict[str, list[Any]] = {
    "i": [None, 0, 1, 2, 3, -7, 100, 255],
    "b": [None, True, False],
    "v": [None, 0.0, 0.1, 1.5, 2.5, -3.25, 100.1, 1e6],
    "w": [None, 0.0, 0.3, 1.0, -2.0, 7.7],
    "p": [None, Decimal("0.00"), Decimal("1.05"), Decimal("-2.25"), Decimal("99999999.99")],
    "much": [None, Decimal("0.01"), Decimal("-5.00")],
    "big": [None, 1, -1],
    "s": [None, "", "a", "b", "é"],
    "t": [None, "1", "2.5", "no number"],
    "d": [None, dt.date(1970, 1, 1), dt.date(2024, 2, 29)],
}


Made = dict[str, Any]


def any_rows(seed: int, count: int, filled: int, **pools: list[Any]) -> list[Made]:
    """By chance, but always the same; in the first parts."""
    chance = random.Random(seed)
    drawn = {name: chance.choices(pool, k=count) for name, pool in (_POOLS | pools).items()}
    return [{name: values[n] for name, values in drawn.items()} | {"part": n % filled} for n in range(count)]


def rows_of(**columns: Sequence[Any]) -> list[Made]:
    """Columns that are not given are NULL; the rows go to the parts in turn, the third of which stays empty."""
    length = max(map(len, columns.values()))
    given = {name: [*values, *[None] * (length - len(values))] for name, values in columns.items()}
    rows = ({name: values[n] for name, values in given.items()} for n in range(length))
    return [dict.fromkeys(_POOLS) | row | {"part": (0, 1, 3, 4)[n % 4]} for n, row in enumerate(rows)]


def keyed(groups: Mapping[str | None, Sequence[Made]]) -> list[Row]:
    """Every fourth row has no value to order by, the others have different ones: ties are undecided."""
    names = [f.name for f in source().columns]
    rows = [row | {"k": key} for key, group in groups.items() for row in group]
    ordered = (row | {"o": None if n % 4 == 3 else n * 7 % 10007} for n, row in enumerate(rows))
    return [tuple(row[name] for name in names) for row in ordered]


@pytest.mark.parametrize("way", WAYS)
def test_many_groups(way: Way) -> None:
    """Every group has other rows, in one to five parts."""
    rows = keyed({str(n) if n else None: any_rows(n, n % 17 + n // 60 + 1, n % 5 + 1) for n in range(300)})
    right = answers(duckdb(), direct(bound(AGREED), KEYS), rows)
    assert differences(right, answers(duckdb(), by_parts(bound(AGREED), KEYS, way), rows)) == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("size", "filled", "count"), [(0, 1, 1), (0, 1, 5), (1, 1, 3), (20, 1, 1), (20, 3, 5)])
def test_without_keys(way: Way, size: int, filled: int, count: int) -> None:
    """Some parts are empty, or all of them."""
    rows = keyed({None: any_rows(1, size, filled)})
    right = answers(duckdb(), direct(bound(AGREED), ()), rows)
    assert differences(right, answers(duckdb(), by_parts(bound(AGREED), (), way, count), rows)) == []


@pytest.mark.parametrize("text", listed(AGREED))
def test_duckdb_may_run_the_parts_of_what_it_may_run(text: str) -> None:
    assert duckdb().refusals(direct(bound(text), KEYS)) == ()
    assert [duckdb().refusals(by_parts(bound(text), keys, way)) for keys in (KEYS, ()) for way in WAYS] == [()] * 6


@pytest.mark.parametrize("text", listed(AGREED) + listed(OTHERS))
def test_combining_keeps_names_and_types(text: str) -> None:
    (found,) = decomposed(bound(text))
    assert [c.field for c in found.combined] == [p.field for p in found.partials]
    assert all(isinstance(c.value, exp.Anonymous) for c in (*found.combined, *found.references))
    assert {a.field for a in found.align} <= {p.field for p in found.partials}
    assert found.finish.field == bound(text)[0].field
    names = [c.name for c in (*found.partials, *found.references)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("text", listed(AGREED) + listed(OTHERS))
def test_nothing_combined(text: str) -> None:
    """A finish is the value of no rows when there is nothing to finish."""
    (found,) = decomposed(bound(text))
    columns = tuple(c.field for c in found.combined)
    plan = Map(Values(columns, (tuple(exp.Null() for _ in columns),)), (found.finish,))
    if found.finish.type.name == "decimal" and duckdb().refusals(plan):
        return  # an average of decimals is never DuckDB's
    (row,) = answers(duckdb(), plan, []).values()
    assert row == {found.finish.name: 0 if "count" in text else None}


@pytest.mark.parametrize("text", listed(NOT_BY_PARTS))
def test_no_parts(text: str) -> None:
    assert [decompose(a, source().schema) for a in bound(text)] == [None]


def test_rules_are_given_only_what_adds_up() -> None:
    simple, moved, lost = bound("avg(v) | stddev(v) | sum(much)")
    found = decompose(simple)
    assert found is not None
    assert decompose_all([simple]) == [found]
    assert decompose_all([simple, moved]) is None
    assert decompose_all([simple, lost]) is None


@pytest.mark.parametrize("text", ["min(i)", "max(s)", "bool_and(b)", "some(b)", "bit_and(i)", "bit_or(i)"])
def test_distinct_makes_no_difference(text: str) -> None:
    assert decomposed(bound(text.replace("(", "(distinct "))) == decomposed(bound(text))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9, -1e12])
def test_far_from_zero(way: Way, offset: float) -> None:
    """The error grows with the offset, compared with the deviation, and not with its square."""
    chance = random.Random(1)
    values = [offset + chance.gauss(100 * (n % 5), 50) for n in range(2000)]
    rows = keyed({None: rows_of(v=values)})
    (given,) = answers(duckdb(), by_parts(bound("var_pop(v)"), (), way), rows).values()
    right = statistics.pvariance(map(Fraction, values))
    tolerance = 1e-14 + 1e-15 * abs(offset) / math.sqrt(right)
    assert given["var_pop_v"] == pytest.approx(float(right), rel=tolerance)


# On Spark


CASES: dict[str | None, list[Made]] = {
    "awkward": any_rows(1, 60, 5),
    "few": any_rows(2, 3, 5),
    "noise": any_rows(3, 40, 5, v=[n / 7 for n in range(50)], w=[n / 3 for n in range(50)]),
    "one row": rows_of(v=[0.1], w=[0.7], i=[5], b=[True], p=[Decimal("1.05")], t=["3"]),
    "constant": rows_of(v=[0.1] * 7, w=[0.3, 0.7, 0.1] * 2, i=[3] * 7, b=[True] * 7, t=["7"] * 7),
    "both constant": rows_of(v=[0.1] * 10, w=[0.7] * 10, b=[True, False] * 5),
    "nothing but NULL": rows_of(i=[None] * 6),
    "no pairs": rows_of(v=[1.0, None, 2.0, None], w=[None, 1.0, None, 2.0]),
    "NaN": rows_of(v=[1.0, 2.0, _NAN, 4.0, 5.0], w=[1.0, 5.0, 2.0, 0.5, 0.1], b=[True, True, False, True, True]),
    "only NaN": rows_of(v=[_NAN] * 3, w=[1.0, 2.0, 3.0]),
    "infinite": rows_of(v=[1.0, _INF, 2.0, 3.0, 4.0], b=[True, False, True, True, True]),
    "one infinite": rows_of(v=[-_INF], w=[1.0]),
    "far": rows_of(v=[1e9 + n % 7 * 1e4 for n in range(40)], w=[1e9 + n % 5 * 1e4 for n in range(40)]),
    "lost": rows_of(much=[Decimal("9e35")] * 3 + [Decimal(-1)], big=[2**63 - 1, 1, 5, 6], i=[1, 2, 3, 4]),
    "lost in a part": rows_of(much=[Decimal("9e35"), None, None, None] * 2, big=[2**62, None, None, None] * 2),
    "averages": any_rows(16, 50, 4, p=[Decimal(n) / 100 for n in range(-999, 999, 7)]),
}


RAISING = ("NaN", "only NaN", "infinite", "one infinite", "lost", "lost in a part")
"""Where DuckDB gives up, and the runtime falls back to Spark."""


@pytest.mark.spark
def test_on_spark(spark_engine: SparkEngine) -> None:
    """As few jobs as possible. What DuckDB may do of the same by parts has Spark's answers too."""
    aggregates = bound(AGREED + OTHERS)
    right = answers(spark_engine, direct(aggregates, KEYS), keyed(CASES))
    for way in (twice, running):
        assert differences(right, answers(spark_engine, by_parts(aggregates, KEYS, way), keyed(CASES))) == []
    agreed = [a for a in aggregates if not duckdb().refusals(by_parts([a], KEYS, twice))]
    fit = [row for row in keyed(CASES) if row[0] not in RAISING]
    wanted = {key: {a.name: row[a.name] for a in agreed} for key, row in right.items() if key not in RAISING}
    assert differences(wanted, answers(duckdb(), by_parts(agreed, KEYS, twice), fit)) == []
