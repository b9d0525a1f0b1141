"""Expressions in DuckDB's words, with the types that Spark gives them; or the reasons why there are none."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import Type

LONGEST = 20_000
"""Some spellings name an argument several times, so nested calls grow; a longer text is not worth its parsing."""

_NAMES = {
    types.BOOLEAN: "BOOLEAN",
    types.TINYINT: "TINYINT",
    types.SMALLINT: "SMALLINT",
    types.INT: "INTEGER",
    types.BIGINT: "BIGINT",
    types.FLOAT: "FLOAT",
    types.DOUBLE: "DOUBLE",
    types.STRING: "VARCHAR",
    types.BINARY: "BLOB",
    types.DATE: "DATE",
    types.TIMESTAMP: "TIMESTAMP",
    types.TIMESTAMP_NTZ: "TIMESTAMP",
}


@dataclass(frozen=True)
class Spelled:
    """DuckDB's text for an expression, the type of its values, and the expression itself."""

    text: str
    type: Type
    node: exp.Expr

    def __post_init__(self) -> None:
        if len(self.text) > LONGEST:
            raise RefusedError("the expression grows too long for DuckDB")


class RefusedError(Exception):
    """The engines do not agree on an expression."""

    def __init__(self, *reasons: str) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


def each(nodes: Iterable[exp.Expr], spell: Callable[[exp.Expr], Spelled]) -> list[Spelled]:
    """All of them spelled, or the reasons against all that cannot be."""
    found: list[Spelled] = []
    reasons: list[str] = []
    for node in nodes:
        try:
            found.append(spell(node))
        except RefusedError as refused:
            reasons.extend(refused.reasons)
    if reasons:
        raise RefusedError(*dict.fromkeys(reasons))
    return found


def has_name(t: Type) -> bool:
    """Do the engines have this type in common?"""
    return t in _NAMES or t.name == "decimal"


def type_name(t: Type) -> str:
    if not has_name(t):
        raise RefusedError(f"type {t}")
    return f"DECIMAL({t.precision},{t.scale})" if t.name == "decimal" else _NAMES[t]


def as_type(text: str, t: Type) -> str:
    """A cast that cannot lose a value: DuckDB raises where the value does not fit."""
    return f"CAST({text} AS {type_name(t)})"


def quoted(text: str) -> str:
    """A string literal."""
    return "'" + text.replace("'", "''") + "'"


def text_literal(value: Spelled) -> str | None:
    """The text of a literal argument, NULL and everything computed aside."""
    node = value.node
    if isinstance(node, exp.Var) or (isinstance(node, exp.Literal) and node.is_string):
        return str(node.name)
    return None


def whole_literal(value: Spelled) -> int | None:
    """The value of an argument that is written as a whole number."""
    sign, node = (-1, value.node.this) if isinstance(value.node, exp.Neg) else (1, value.node)
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        return sign * int(node.name)
    return None
