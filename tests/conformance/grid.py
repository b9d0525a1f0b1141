"""Every line of the agreed tables as expressions over grids of awkward values, to be run on both engines."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
from sqlglot import exp

from conformance import pools
from datacell.algebra import duration, scalar, types
from datacell.algebra.plan import Map, Table
from datacell.algebra.schema import Field, Named, Schema
from datacell.algebra.types import Type
from datacell.engines.agreed import casts, operators, spelling
from datacell.engines.agreed.entries import Entry
from datacell.engines.agreed.special import PARTS, TRUNCATE, TRUNCATE_DATE
from datacell.engines.agreed.spelled import RefusedError
from datacell.engines.arrow import arrow_schema

_CLASSES: dict[str, list[Type]] = {
    "any": [types.INT, types.STRING],
    "integer": [types.TINYINT, types.INT, types.BIGINT],
    "fraction": [types.FLOAT, types.DOUBLE],
    "decimal": [types.decimal(10, 2)],
    "number": [types.TINYINT, types.INT, types.BIGINT, types.DOUBLE, types.decimal(10, 2)],
    "N": [types.INT, types.BIGINT, types.DOUBLE],
    "T": [types.INT, types.DOUBLE, types.STRING, types.DATE, types.decimal(10, 2)],
    "orderable": [types.INT, types.DOUBLE, types.STRING],
}
_GROWING = ("repeat", "lpad", "rpad", "space")
_RAISING = (
    *("like", "split_part", "timestamp_seconds", "timestamp_millis", "timestamp_micros", "add_months"),
    *("date_add", "dateadd", "date_sub", "date_from_unix_date", "last_day", "add", "sub"),
)
"""What raises on Spark, even with ANSI mode off, for values that are out of all bounds."""
_PATTERNS = (
    "a",
    "^a",
    "b|c",
    "[a-c]+",
    "[^a-z]",
    "(a)(b)?",
    "(x|a)+b",
    "A-C",
    "a b",
    "a*b",
    "\\.",
    "[.,]",
    "c?,",
    "^[^,]+,",
)
_EXPRESSIONS = 60
_FEW = (100, 100, 28, 9, 5)
"""So many values of each argument, by the number of arguments."""
_NUMBERS = [types.TINYINT, types.INT, types.BIGINT, types.FLOAT, types.DOUBLE, types.decimal(10, 2)]
_COMPARED = [*_NUMBERS, types.STRING, types.DATE, types.TIMESTAMP, types.BOOLEAN, types.BINARY]


@dataclass(frozen=True)
class Block:
    """Expressions over the columns ``a0, a1, …``, and the rows to try them on."""

    types: tuple[Type, ...]
    pools: tuple[tuple[pools.Value, ...], ...]
    expressions: tuple[exp.Expr, ...]


@dataclass(frozen=True)
class Grid:
    """Blocks side by side in one table, so that an engine runs few queries; shorter blocks end in NULLs."""

    table: pa.Table
    plan: Map


def grids(blocks: Iterable[Block]) -> Iterator[Grid]:
    waiting: list[Block] = []
    for block in sorted(blocks, key=lambda b: math.prod(map(len, b.pools))):
        waiting.append(block)
        if sum(len(b.expressions) for b in waiting) >= _EXPRESSIONS:
            yield _grid(waiting)
            waiting = []
    if waiting:
        yield _grid(waiting)


def blocks() -> list[Block]:
    """Everything that is agreed on single rows."""
    found: dict[tuple[tuple[Type, ...], str], list[exp.Expr]] = defaultdict(list)
    for entry in itertools.chain.from_iterable(spelling.scalars().values()):
        for given in _types(entry):
            call = scalar.call(entry.name, *(scalar.column(f"a{i}") for i in range(len(given))))
            found[given, "few" if entry.ascii_only else _pool(entry.name)].append(call)
    for given, operator in _operators():
        moves = types.is_time(given[0])
        found[given, _pool(type(operator).__name__.lower()) if moves or types.STRING in given else "all"].append(
            operator
        )
    for given, call in _literal_calls():
        found[given, "mild" if call.name == "timestampadd" else "all"].append(call)
    for source in pools.POOLS:
        targets = [t for t in pools.POOLS if t != source and casts.agreed(source, t)]
        found[(source,), "readable"] += [exp.TryCast(this=scalar.column("a0"), to=types.to_sqlglot(t)) for t in targets]
    return [
        _block(given, pool, list(filter(lambda e: _agreed(e, given), made))) for (given, pool), made in found.items()
    ]


def _pool(name: str) -> str:
    if name == "ilike":
        return "few"
    return "small" if name in _GROWING else "mild" if name in _RAISING else "all"


def _block(given: tuple[Type, ...], pool: str, expressions: list[exp.Expr]) -> Block:
    values = [tuple(pools.pool(t, pool)) for t in given]
    return Block(given, tuple(v[: _FEW[len(given)]] for v in values), tuple(expressions))


def _agreed(node: exp.Expr, given: tuple[Type, ...]) -> bool:
    try:
        spelling.spelled(node, {f"a{i}": t for i, t in enumerate(given)})
    except RefusedError:
        return False
    return True


def _grid(members: list[Block]) -> Grid:
    height = max(math.prod(map(len, block.pools)) for block in members)
    fields = [Field("id", types.BIGINT)]
    data: list[list[pools.Value]] = [list(range(height))]
    named = [Named("id", scalar.column("grid.id"), types.BIGINT)]
    for number, block in enumerate(members):
        known = {f"a{i}": t for i, t in enumerate(block.types)}
        rows = [*itertools.product(*block.pools)]
        rows += [(None,) * len(block.types)] * (height - len(rows))
        data += [list(column) for column in zip(*rows, strict=True)]
        fields += [Field(f"b{number}_{name}", t) for name, t in known.items()]
        read = {name: scalar.column(f"grid.b{number}_{name}") for name in known}
        for node in block.expressions:
            result = spelling.spelled(node, known).type
            label = f"{len(named)}: {scalar.show(node)} of {', '.join(map(str, block.types))}"
            named.append(Named(label, scalar.substitute(node, read), result))
    schema = arrow_schema(Schema(tuple(fields)))
    arrays = [pa.array(column, f.type) for column, f in zip(data, schema, strict=True)]
    return Grid(pa.Table.from_arrays(arrays, schema=schema), Map(Table("grid", "grid", tuple(fields)), tuple(named)))


def _types(entry: Entry) -> Iterator[tuple[Type, ...]]:
    names = [*entry.parameters, *([entry.repeated] * 2 if entry.repeated else ())]
    choices = [_CLASSES.get(name) or [types.of(name)] for name in names if name not in ("T", "N")]
    free = next((_CLASSES[name] for name in names if name in ("T", "N")), [types.NULL])
    for common in free:
        for rest in itertools.product(*choices):
            others = iter(rest)
            yield tuple(common if name in ("T", "N") else next(others) for name in names)


def _literal_calls() -> Iterator[tuple[tuple[Type, ...], exp.Anonymous]]:
    """Calls whose spelling depends on a literal."""
    a, b = scalar.column("a0"), scalar.column("a1")
    text, number = exp.Literal.string, exp.Literal.number
    for t in (types.DATE, types.TIMESTAMP):
        yield from (((t,), scalar.call("date_trunc", text(unit), a)) for unit in TRUNCATE)
        yield from (((t,), scalar.call("trunc", a, text(unit))) for unit in TRUNCATE_DATE)
        yield from (((t,), scalar.call("date_part", text(unit), a)) for unit in PARTS)
    for unit in map(str.upper, duration.UNITS):
        yield (types.TIMESTAMP, types.TIMESTAMP), scalar.call("timestampdiff", exp.var(unit), a, b)
        yield (types.INT, types.TIMESTAMP), scalar.call("timestampadd", exp.var(unit), a, b)
    for t in (types.INT, types.DOUBLE, types.decimal(10, 2)):
        yield (t,), scalar.call("round", a)
        yield (t,), scalar.call("round", a, number(1))
        yield (t,), scalar.call("zeroifnull", a)
    for pattern in _PATTERNS:
        yield (types.STRING,), scalar.call("rlike", a, text(pattern))
        yield (types.STRING,), scalar.call("regexp_replace", a, text(pattern), text("<>"))
        yield from (((types.STRING,), scalar.call("regexp_extract", a, text(pattern), number(i))) for i in (0, 1, 2))
    yield (types.STRING,), scalar.call("sha2", a, number(256))
    yield (types.INT, types.INT), scalar.call("div", a, b)


def _operators() -> Iterator[tuple[tuple[Type, ...], exp.Expr]]:
    a, b = scalar.column("a0"), scalar.column("a1")
    arithmetic = (*operators.ARITHMETIC, exp.Div, exp.IntDiv, exp.Mod)
    for pair in itertools.product(_NUMBERS, repeat=2):
        yield from ((pair, kind(this=a.copy(), expression=b.copy())) for kind in arithmetic)
    integers = [t for t in _NUMBERS if t in types.INTEGERS]
    for pair in itertools.product(integers, repeat=2):
        yield from ((pair, kind(this=a.copy(), expression=b.copy())) for kind in operators.BITS)
    for pair in itertools.product(_COMPARED, repeat=2):
        yield from ((pair, kind(this=a.copy(), expression=b.copy())) for kind in operators.COMPARISONS)
    for t in _NUMBERS:
        yield (t,), exp.Neg(this=a.copy())
    for kind in (exp.Like, exp.ILike, exp.DPipe):
        yield (types.STRING, types.STRING), kind(this=a.copy(), expression=b.copy())
    for t in (types.DATE, types.TIMESTAMP):
        for unit in ("YEAR", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND"):
            interval = exp.Interval(this=exp.Literal.string("13"), unit=exp.var(unit))
            yield (t,), exp.Add(this=a.copy(), expression=interval)
            yield (t,), exp.Sub(this=a.copy(), expression=interval.copy())
    for days in (types.INT, types.TINYINT):
        yield (types.DATE, days), exp.Add(this=a.copy(), expression=b.copy())
        yield (types.DATE, days), exp.Sub(this=a.copy(), expression=b.copy())
