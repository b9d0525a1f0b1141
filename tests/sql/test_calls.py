"""A call stays a call, and every node knows where it begins."""

from __future__ import annotations

import pytest
from sqlglot import exp

from datacell.sql.text import calls


def _parse(expression: str) -> exp.Expr:
    sql = f"SELECT {expression}"
    (select,) = calls.parse(sql, calls.tokenize(sql))
    return select


def _shown(node: exp.Expr) -> str:
    """Calls as name(arguments) with the name as it is in the tree; everything else as sqlglot prints it."""
    if isinstance(node, exp.Anonymous):
        return f"{node.name}({', '.join(_shown(argument) for argument in node.expressions)})"
    return node.sql(dialect="spark")


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("date_add(d, 3)", "date_add(d, 3)"),
        ("Date_Trunc('day', ts)", "Date_Trunc('day', ts)"),
        ("element_at(a, 1)", "element_at(a, 1)"),
        ("int(x)", "int(x)"),
        ("struct(1 AS a, b)", "struct(1 AS a, b)"),
        ("if(a, b, c)", "if(a, b, c)"),
        ("any(x)", "any(x)"),
        ("transform(a, x -> x + 1)", "transform(a, x -> x + 1)"),
        ("`my function`(x)", "my function(x)"),
        ("extract(YEAR FROM ts)", "date_part('YEAR', ts)"),
        ("overlay(a PLACING b FROM 1 FOR 2)", "overlay(a, b, 1, 2)"),
        ("position('x' IN b)", "position('x', b)"),
        ("position('x', b, 3)", "position('x', b, 3)"),
        ("substr(a FROM 2 FOR 3)", "substring(a, 2, 3)"),
        ("trim(a)", "trim(a)"),
        ("trim(LEADING FROM a)", "ltrim(a)"),
        ("trim(TRAILING 'x' FROM a)", "rtrim('x', a)"),
        ("trim('x' FROM trim(a))", "trim('x', trim(a))"),
        ("current_date()", "current_date()"),
        ("current_timestamp()", "current_timestamp()"),
        ("timestampadd(hour, 1, ts)", "timestampadd(HOUR, 1, ts)"),
    ],
)
def test_plain_call(written: str, normal: str) -> None:
    (item,) = _parse(written).expressions
    assert isinstance(item, exp.Anonymous)
    assert _shown(item) == normal


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("CAST(a AS INT)", exp.Cast),
        ("a::int", exp.Cast),
        ("CASE WHEN a THEN b END", exp.Case),
        ("EXISTS (SELECT 1)", exp.Exists),
        ("a IN (1, 2)", exp.In),
        ("INTERVAL 1 DAY", exp.Interval),
        ("array(1)[0]", exp.Bracket),
        ("sum(x) OVER (ORDER BY y)", exp.Window),
        ("percentile_cont(0.5) WITHIN GROUP (ORDER BY x)", exp.WithinGroup),
    ],
)
def test_syntax_stays_syntax(written: str, kind: type[exp.Expr]) -> None:
    (item,) = _parse(written).expressions
    assert isinstance(item, kind)


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("a + b", "a + b"),
        ("cast(a AS INT)", "a"),
        ("extract(YEAR FROM ts)", "ts"),
        ("sum(x)", "sum"),
        ("case when a then b end", "a then b"),
        ("null", "SELECT"),
    ],
)
def test_place(written: str, place: str) -> None:
    sql = f"SELECT {written}"
    (item,) = _parse(written).expressions
    assert sql[item.meta["start"] : item.meta["end"] + 1] == place


def test_every_node_has_a_place_and_none_has_comments() -> None:
    tree = _parse("a /* one */ + extract(day FROM cast(x AS DATE)), interval 3 days -- two\nFROM t WHERE true")
    assert all("start" in node.meta for node in tree.walk())
    assert not any(node.comments for node in tree.walk())


@pytest.mark.parametrize(("written", "value"), [("'it''s'", "it's"), ("''''", "'"), ("'a'", "a")])
def test_a_doubled_quote_is_a_quote(written: str, value: str) -> None:
    (item,) = _parse(written).expressions
    assert isinstance(item, exp.Literal)
    assert item.name == value
