"""Spark SQL parsed so that a call stays a call.

sqlglot turns each function it knows into a class of its own, with arguments reordered, wrapped and defaulted for
other dialects. Here every call is an ``exp.Anonymous`` that has the name as written and the arguments in Spark's
order; what is syntax rather than a call (CAST, CASE, EXISTS, IN, BETWEEN, LIKE, INTERVAL) stays a node. No tree has
comments, and every node that begins at some token of the text knows where it begins: ``meta["start"]`` to
``meta["end"]``, both counted from 0 and both included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import Token, TokenType

_SPARK = Dialect.get_or_raise("spark")
_WITH_UNIT = ("date_add", "date_diff", "dateadd", "datediff", "timestampadd", "timestampdiff")
_PLACE = ("line", "col", "start", "end")


def tokenize(sql: str) -> list[Token]:
    return _SPARK.tokenize(sql)


def parse(sql: str, tokens: Sequence[Token]) -> list[exp.Expr]:
    """The statements of a text, from its tokens; ParseError if it is not Spark SQL."""
    bare = [_without_comments(token) for token in tokens]
    trees = _Parser(dialect=_SPARK).parse(bare, sql)
    return [normalize(tree) for tree in trees if tree is not None]


def normalize(tree: exp.Expr) -> exp.Expr:
    """The same tree with each call that has its own syntax written as a plain call, and every place filled in."""
    root = tree.copy()
    for node in reversed(list(root.walk(bfs=True))):
        plain = _plain_call(node)
        if plain is not node:
            node.replace(plain)
            root = plain if node is root else root
        plain.pop_comments()
        _cover_children(plain)
    for node in root.walk(bfs=True):
        _fall_back_on_parent(node)
    return root


def call(name: str, *arguments: exp.Expr | None) -> exp.Anonymous:
    """`name(arguments)`; trailing arguments that are not there are left out."""
    return exp.Anonymous(this=name, expressions=[argument for argument in arguments if argument is not None])


def _plain_call(node: exp.Expr) -> exp.Expr:
    match node:
        case exp.Extract():
            unit = _at(node.this, exp.Literal.string(node.this.name))
            return _at(node, call("date_part", unit, node.expression))
        case exp.Overlay():
            return _at(node, call("overlay", *map(node.args.get, ("this", "expression", "from_", "for_"))))
        case exp.StrPosition():
            return _at(node, call("position", *map(node.args.get, ("substr", "this", "position"))))
        case exp.Substring():
            return _at(node, call("substring", *map(node.args.get, ("this", "start", "length"))))
        case exp.Trim():
            name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(node.args.get("position") or "", "trim")
            return _at(node, call(name, *map(node.args.get, ("expression", "this"))))
        case exp.Anonymous(this=exp.Identifier()):
            return _at(node, call(node.this.name, *node.expressions))
        case exp.Anonymous(expressions=[exp.Column() as unit, _, _]) if node.name.lower() in _WITH_UNIT:
            unit.replace(_at(unit, exp.var(unit.name.upper())))
    return node


def _at(original: exp.Expr, node: exp.Expr) -> exp.Expr:
    node.meta.update({key: original.meta[key] for key in _PLACE if key in original.meta})
    return node


def _cover_children(node: exp.Expr) -> None:
    placed = [child.meta for child in node.iter_expressions() if "start" in child.meta]
    if placed and "start" not in node.meta:
        first, last = min(placed, key=lambda m: m["start"]), max(placed, key=lambda m: m["end"])
        node.meta.update({key: first[key] for key in ("line", "col", "start")}, end=last["end"])


def _fall_back_on_parent(node: exp.Expr) -> None:
    if "start" not in node.meta and node.parent is not None:
        _at(node.parent, node)


def _without_comments(token: Token) -> Token:
    return Token(token.token_type, token.text, token.line, token.col, token.start, token.end)


_NodeParser = Callable[..., Any]


def _placed(parse_rest: _NodeParser, back: int) -> _NodeParser:
    """The node that a parser makes, at the token `back` steps before the one the parser starts with."""

    def parse_at(parser: Any, *arguments: Any, **options: Any) -> exp.Expr | None:
        token = parser._tokens[parser._index - back]
        node: exp.Expr | None = parse_rest(parser, *arguments, **options)
        return node and node.update_positions(token)

    return parse_at


def _bare_or_called(parser: Any) -> exp.Expr:
    """`current_date` and its like may be written without parentheses."""
    name = parser._prev.text
    called = parser._match(TokenType.L_PAREN, advance=False)
    return call(name, *(parser._parse_wrapped_csv(parser._parse_assignment, optional=True) if called else ()))


class _Parser(SparkParser):
    """Spark's grammar with no function known by name, so that only special syntax makes special nodes."""

    FUNCTIONS: ClassVar[dict[str, _NodeParser]] = {}
    FUNCTION_PARSERS: ClassVar[dict[str, _NodeParser]] = {
        name: _placed(SparkParser.FUNCTION_PARSERS[name], back=2)
        for name in ("CAST", "TRY_CAST", "EXTRACT", "OVERLAY", "POSITION", "SUBSTRING", "SUBSTR", "TRIM")
    }
    NO_PAREN_FUNCTIONS: ClassVar[dict[TokenType, _NodeParser]] = {}
    NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, _NodeParser]] = {
        "CASE": _placed(SparkParser.NO_PAREN_FUNCTION_PARSERS["CASE"], back=1),
        **{
            name: _placed(_bare_or_called, back=1)
            for name in ("CURRENT_DATE", "CURRENT_TIMESTAMP", "CURRENT_USER", "SESSION_USER")
        },
    }
    PRIMARY_PARSERS: ClassVar[dict[TokenType, _NodeParser]] = {
        **SparkParser.PRIMARY_PARSERS,
        **{
            kind: _placed(SparkParser.PRIMARY_PARSERS[kind], back=1)
            for kind in (TokenType.NULL, TokenType.TRUE, TokenType.FALSE, TokenType.STAR)
        },
    }
    _parse_interval = _placed(SparkParser._parse_interval, back=0)
