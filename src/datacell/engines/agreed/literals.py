"""Literals, with the types that Spark reads them as."""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import Type
from datacell.engines.agreed.spelled import Spelled, as_type, quoted


def literal(node: exp.Literal) -> Spelled:
    if node.is_string:
        return Spelled(quoted(node.name), types.STRING, node)
    return _number(node.name.lower(), node)


def negative(node: exp.Neg) -> Spelled:
    """A minus before a number belongs to it: -2147483648 is an int."""
    return _number(f"-{node.this.name.lower()}", node)


def _number(text: str, node: exp.Expr) -> Spelled:
    found = _type(text)
    return Spelled(as_type(quoted(text) if found == types.DOUBLE else f"({text})", found), found, node)


def _type(text: str) -> Type:
    if "e" in text:
        return types.DOUBLE
    if "." in text:
        whole, _, fraction = text.removeprefix("-").partition(".")
        return types.decimal(max(len(whole.lstrip("0")) + len(fraction), 1), len(fraction))
    value = int(text)
    if -(2**31) <= value < 2**31:
        return types.INT
    return types.BIGINT if -(2**63) <= value < 2**63 else types.decimal(len(str(abs(value))), 0)
