"""Spark SQL parsed so that a call stays a call.

sqlglot turns each function it knows into a class of its own, with arguments reordered, wrapped and defaulted for
other dialects. So the names of calls are marked before it sees them, and the mark is taken off again: it knows no
function, and every call is an ``exp.Anonymous`` that has the name as written and the arguments in Spark's
order; what is syntax rather than a call (CAST, CASE, EXISTS, IN, BETWEEN, LIKE, INTERVAL) stays a node. No tree has
comments, and every node knows where it stands: ``meta["start"]`` to ``meta["end"]``, both counted from 0 and both
included; at least where its operands stand, or else its parent.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.parsers.spark import SparkParser
from sqlglot.tokenizer_core import Token, TokenType

_SPARK = Dialect.get_or_raise("spark")
_WITH_UNIT = ("date_add", "date_diff", "dateadd", "datediff", "timestampadd", "timestampdiff")
_PLACE = ("line", "col", "start", "end")
_MARK = "\u2063"
"""An invisible character that no name ends with."""

_NAMES = frozenset(
    {TokenType.CURRENT_DATE, TokenType.CURRENT_TIME, TokenType.CURRENT_TIMESTAMP}
    | {TokenType.CURRENT_USER, TokenType.SESSION_USER}
)
"""Functions that are called without parentheses, unless a column has the name."""

_OWN_SYNTAX = frozenset({"CAST", "TRY_CAST", "EXTRACT", "OVERLAY", "POSITION", "SUBSTRING", "SUBSTR", "TRIM"})
_BEFORE_TYPE = frozenset({TokenType.ALIAS, TokenType.DCOLON})
_STARTS_QUERY = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN, TokenType.VALUES})
_INFIX_WORDS = frozenset({"PLACING", "LEADING", "TRAILING", "BOTH"})
_ENDS_OPERAND = frozenset(
    {TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER, TokenType.NULL, TokenType.END}
    | {TokenType.TRUE, TokenType.FALSE, TokenType.R_PAREN, TokenType.R_BRACKET}
)


def tokenize(sql: str) -> list[Token]:
    """The tokens of a text. A quote is doubled inside a string; sqlglot sees two strings there, here they are one."""
    tokens: list[Token] = []
    for token in _SPARK.tokenize(sql):
        before = tokens[-1] if tokens else None
        both = before is not None and before.token_type == token.token_type == TokenType.STRING
        if before is not None and both and before.end + 1 == token.start and sql[before.end] == sql[token.start]:
            text = before.text + sql[token.start] + token.text
            tokens[-1] = Token(TokenType.STRING, text, token.line, token.col, before.start, token.end)
        else:
            tokens.append(token)
    return tokens


def parse(sql: str, tokens: Sequence[Token]) -> list[exp.Expr]:
    """The statements of a text, from its tokens; ParseError if it is not Spark SQL."""
    trees = _SPARK.parser().parse(_marked(tokens), sql)
    return [normalize(tree.update_positions(tokens[0])) for tree in trees if tree is not None]


def normalize(tree: exp.Expr) -> exp.Expr:
    """The same tree with each call that has its own syntax written as a plain call, and every place filled in."""
    root = tree.copy()
    for node in reversed(list(root.walk(bfs=True))):
        _without_mark(node)
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


# Marking calls


def _marked(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without comments, and with the mark on every name that is called."""
    depth, marked = 0, []
    for index, token in enumerate(tokens):
        before = tokens[index - 1].token_type if index else None
        depth += _angles(token, before, depth)
        called = depth == 0 and _is_called(tokens, index)
        named = token.token_type in _NAMES and not _is_followed_by(tokens, index, TokenType.L_PAREN)
        kind = TokenType.VAR if named or (called and token.token_type != TokenType.IDENTIFIER) else token.token_type
        text = token.text + _MARK if called else token.text
        marked.append(Token(kind, text, token.line, token.col, token.start, token.end))
    return marked


def _is_followed_by(tokens: Sequence[Token], index: int, kind: TokenType) -> bool:
    return index + 1 < len(tokens) and tokens[index + 1].token_type == kind


def _is_called(tokens: Sequence[Token], index: int) -> bool:
    token, ahead = tokens[index], tokens[index + 1 : index + 3]
    before = tokens[index - 1].token_type if index else None
    return (
        token.token_type in SparkParser.FUNC_TOKENS
        and token.text.upper() not in _OWN_SYNTAX
        and not _follows_operand(tokens, index)
        and not (before in _BEFORE_TYPE and token.token_type in SparkParser.TYPE_TOKENS)
        and len(ahead) > 1
        and ahead[0].token_type == TokenType.L_PAREN
        and not (token.token_type in SparkParser.SUBQUERY_PREDICATES and ahead[1].token_type in _STARTS_QUERY)
    )


def _follows_operand(tokens: Sequence[Token], index: int) -> bool:
    """A word after an operand is an alias, a clause or an infix operator, never a call."""
    if index == 0:
        return False
    before = tokens[index - 1]
    return before.token_type in _ENDS_OPERAND and before.text.upper() not in _INFIX_WORDS


def _angles(token: Token, before: TokenType | None, depth: int) -> int:
    """How the token changes the depth of angle brackets, in which types stand and no calls."""
    opens = token.token_type == TokenType.LT and before in (TokenType.ARRAY, TokenType.MAP, TokenType.STRUCT)
    return int(opens) - (token.text.count(">") if depth and not opens else 0)


def _without_mark(node: exp.Expr) -> None:
    if isinstance(node, exp.Identifier | exp.Anonymous) and isinstance(node.this, str) and node.this.endswith(_MARK):
        node.set("this", node.this.removesuffix(_MARK))
