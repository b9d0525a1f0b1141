"""Every call is typed as Spark types it: `function_types.txt` holds what Spark answered, one expression per line.

A line is `expression | types`; one that we do not type as Spark does ends with `! reason`, and must still disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import Type
from datacell.sql.bind.typing import operator_type
from datacell.sql.functions import FunctionKind, LambdaArgument, SignatureError, lookup, names, result_type
from datacell.sql.text import calls

FIXTURE = Path(__file__).with_name("function_types.txt")
Columns = Mapping[str, Type]


def _lines() -> list[str]:
    return [line for line in FIXTURE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


AGREED = [line for line in _lines() if " ! " not in line.rpartition(" | ")[2]]
KNOWN_GAPS = [line for line in _lines() if " ! " in line.rpartition(" | ")[2]]


@pytest.mark.parametrize("line", AGREED)
def test_types_as_spark(line: str) -> None:
    expression, _, expected = line.rpartition(" | ")
    if expected == "refused":
        with pytest.raises(SignatureError):
            query_types(expression)
    else:
        assert query_types(expression) == expected


@pytest.mark.parametrize("line", KNOWN_GAPS)
def test_known_gap_is_still_one(line: str) -> None:
    expression, _, rest = line.rpartition(" | ")
    try:
        found = query_types(expression)
    except Exception:
        return
    assert found != rest.partition(" ! ")[0]


def test_gaps_are_few() -> None:
    assert len(KNOWN_GAPS) < 0.05 * len(AGREED)


def query_types(text: str) -> str:
    """The types of the columns of `SELECT text`, by a walker that of queries knows only VALUES and subqueries."""
    sql = f"SELECT {text}"
    (select,) = calls.parse(sql, calls.tokenize(sql))
    return ", ".join(str(t) for _, t in _select_types(select))


def _select_types(select: exp.Expr) -> list[tuple[str, Type]]:
    while isinstance(select, exp.SetOperation | exp.Subquery):
        select = select.this
    columns = dict(_from_types(select.args.get("from_")))
    found: list[tuple[str, Type]] = []
    for item in select.expressions:
        value = item.unalias()
        typed = _type(value, columns)
        function = lookup(value.name) if isinstance(value, exp.Anonymous) else None
        if function and function.kind is FunctionKind.GENERATOR:
            found += zip(typed.names, typed.arguments, strict=True)
        else:
            found.append((item.alias_or_name.lower(), typed))
            columns.setdefault(item.alias_or_name.lower(), typed)
    return found


def _from_types(clause: exp.Expr | None) -> Columns:
    match clause and clause.this:
        case None:
            return {}
        case exp.Subquery() as query:
            return dict(_select_types(query.this))
        case exp.Values() as values:
            rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]
            columns = zip(*([_type(cell, {}) for cell in row] for row in rows), strict=True)
            return dict(zip(_aliases(values), (types.common_of(list(c)) or types.NULL for c in columns), strict=True))
    raise AssertionError(clause)


def _aliases(values: exp.Expr) -> list[str]:
    return [identifier.name.lower() for identifier in values.args["alias"].args["columns"]]


def _type(node: exp.Expr, columns: Columns) -> Type:
    match node:
        case exp.Column() | exp.Identifier() if node.name.lower() in columns:
            return columns[node.name.lower()]
        case exp.Window() | exp.Filter() | exp.IgnoreNulls() | exp.RespectNulls():
            return _type(node.this, columns)
        case exp.WithinGroup():
            aggregated = [] if node.this.name.lower() in ("listagg", "string_agg") else node.expression.expressions
            return _call(node.this.name, [*node.this.expressions, *(o.this for o in aggregated)], columns)
        case exp.Anonymous():
            return _call(node.name, node.expressions, columns)
    return operator_type(node, [_type(child, columns) for child in node.iter_expressions()])


def _call(name: str, written: Sequence[exp.Expr], columns: Columns) -> Type:
    function = lookup(name)
    assert function is not None, name
    flat = [
        a for argument in written for a in (argument.expressions if isinstance(argument, exp.Distinct) else [argument])
    ]
    arguments = [a for a in flat if not isinstance(a, exp.Star)]
    return result_type(function, [_argument(a, columns) for a in arguments], arguments)


def _argument(node: exp.Expr, columns: Columns) -> Type | LambdaArgument:
    if not isinstance(node, exp.Lambda):
        return _type(node, columns)
    parameters = [p.name.lower() for p in node.expressions]
    return LambdaArgument(
        len(parameters), lambda given: _type(node.this, {**columns, **dict(zip(parameters, given, strict=True))})
    )


@pytest.mark.parametrize(
    ("expression", "message", "argument"),
    [
        ("substring('a')", "substring takes 2 or 3 arguments, not 1", None),
        ("pi(1)", "pi takes no arguments, not 1", None),
        ("coalesce()", "coalesce takes at least 1 argument, not 0", None),
        ("map(1)", "map takes at least 0 arguments in groups, not 1", None),
        ("median(array(1))", "median needs a number, a year-month interval or a day-time interval, not array<int>", 0),
        ("sqrt(array(1))", "sqrt needs a number, not array<int>", 0),
        ("sum(array(1))", "sum needs a number or an interval, not array<int>", 0),
        ("ntile(2L) OVER (ORDER BY 1)", "ntile needs an int, not bigint", 0),
        ("upper(array(1))", "upper needs a string, not array<int>", 0),
        ("date_add('2020-01-01', true)", "date_add needs a number of days as argument 2, not boolean", 1),
        ("coalesce(1, array(1))", "coalesce needs something like int as argument 2, not array<int>", 1),
        ("array_contains(array(1), 'a')", "array_contains needs something like int as argument 2, not string", 1),
        ("transform(array(1), 2)", None, 1),
        (
            "exists(array(1), (a, b) -> true)",
            "exists needs a lambda of 1 parameter as argument 2, not a lambda of 2 parameters",
            1,
        ),
        ("filter(array(1), (a, b, c) -> true)", None, 1),
        (
            "aggregate(array(1L), 0, (a, x) -> a + x)",
            "aggregate needs a lambda that returns int as argument 3, not one that returns bigint",
            2,
        ),
        (
            "exists(array(1), x -> x + 1)",
            "exists needs a lambda that returns a boolean as argument 2, not one that returns int",
            1,
        ),
        ("named_struct(1, 2)", "named_struct needs a text, written as a literal, as argument 1", 0),
        ("from_json('{}', 'a FOO')", "from_json cannot read the schema 'a FOO'", 1),
        ("date_part('fortnight', date'2020-01-01')", "date_part cannot take fortnight from date", 0),
        ("1 + array(1)", "int + array<int> has no meaning", 1),
        ("1 = array(1)", "int and array<int> cannot be compared", 1),
        ("map(1, 2) < map(1, 2)", None, 1),
        ("not 1", "NOT needs a boolean, not int", 0),
        ("'a' and true", "AND needs a boolean, not string", 0),
        ("case when 1 then 2 end", "WHEN needs a boolean, not int", 0),
        ("case when true then 2 else array(1) end", "the branches of CASE have no common type: int and array<int>", 0),
        ("named_struct('a', 1).b", "struct<a:int> has no field b", 1),
        ("array(1)['a']", "array<int> is looked up by int, not by string", 1),
        ("cast(array(1) as int)", "array<int> cannot be cast to int", 0),
    ],
)
def test_says_what_is_wrong(expression: str, message: str | None, argument: int | None) -> None:
    with pytest.raises(SignatureError) as caught:
        query_types(expression)
    assert message is None or caught.value.message == message
    assert caught.value.argument == argument


def test_refusal_has_a_reason() -> None:
    function = lookup("now")
    assert function is not None
    assert function.refused is not None
    assert function.refused.startswith("it reads the clock")


def test_refused_for_every_query() -> None:
    with pytest.raises(SignatureError, match="window cannot be used: the windows of a stream"):
        query_types("window('2020-01-01', '5 minutes')")


def test_every_function_of_spark_is_known() -> None:
    """`function_names.txt` is what SHOW FUNCTIONS lists, without operators and syntax."""
    listed = FIXTURE.with_name("function_names.txt").read_text(encoding="utf-8").split()
    assert [name for name in listed if lookup(name) is None] == []


def test_lookup_ignores_case() -> None:
    assert lookup("Sum") is lookup("sum")
    assert lookup("no_such_function") is None


def test_names_leave_out_what_is_refused() -> None:
    assert "sum" in names()
    assert "rand" not in names()


@pytest.mark.parametrize(
    ("name", "kind"),
    [("upper", FunctionKind.SCALAR), ("sum", FunctionKind.AGGREGATE), ("first_value", FunctionKind.AGGREGATE), ("lag", FunctionKind.RANKING)]
    + [
        (name, FunctionKind.RANKING)
        for name in ["row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lead", "nth_value"]
    ]
    + [(name, FunctionKind.GENERATOR) for name in ["explode", "posexplode", "inline", "stack", "json_tuple"]],
)
def test_kinds(name: str, kind: FunctionKind) -> None:
    function = lookup(name)
    assert function is not None
    assert function.kind is kind
