"""Places for constants. sqlglot does not remember where TRUE, NULL or an interval stood, so they are found again.

Nodes and tokens of one kind come in the same order; where their numbers differ, nothing is said about that kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

_KINDS = {
    TokenType.TRUE: "true",
    TokenType.FALSE: "false",
    TokenType.NULL: "null",
    TokenType.INTERVAL: "interval",
    TokenType.CURRENT_DATE: "current_date",
    TokenType.CURRENT_TIMESTAMP: "current_timestamp",
}


def place_constants(tree: exp.Expr, tokens: Sequence[Token]) -> None:
    """Tell constants, and the operators over them, where they stand."""
    nodes: dict[str, list[exp.Expr]] = {}
    for node in tree.walk(bfs=False):
        kind = _kind(node)
        if kind is not None:
            nodes.setdefault(kind, []).append(node)
    for kind, found in nodes.items():
        places = [t for t in tokens if _KINDS.get(t.token_type) == kind or _is_called(t, kind)]
        if len(places) == len(found):
            for node, token in zip(found, places, strict=True):
                _place(node, token)


def _kind(node: exp.Expr) -> str | None:
    match node:
        case exp.Boolean():
            return "true" if node.this else "false"
        case exp.Null():
            return "null"
        case exp.Interval():
            return "interval"
        case exp.Anonymous() if node.name.lower() in _KINDS.values():
            return node.name.lower()
    return None


def _is_called(token: Token, kind: str) -> bool:
    return token.token_type == TokenType.VAR and token.text.lower() == kind


def _place(node: exp.Expr, token: Token) -> None:
    node.meta.update(line=token.line, col=token.col, start=token.start, end=token.end)
    for above in _operators_over(node):
        above.meta["start"] = min(above.meta.get("start", token.start), token.start)
        above.meta["end"] = max(above.meta.get("end", token.end), token.end)


def _operators_over(node: exp.Expr) -> Iterator[exp.Expr]:
    while isinstance(node.parent, exp.Binary | exp.Unary | exp.Predicate):
        node = node.parent
        yield node
