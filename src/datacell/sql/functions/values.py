"""What a rule may ask of an argument's tree: the value of a literal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from datacell.algebra.types import Type
from datacell.sql.types.errors import SignatureError

Types = Sequence[Type]
Trees = Sequence[exp.Expr]
RuleFunction = Callable[[str, Types, Trees], Type]


def text(name: str, trees: Trees, i: int) -> str:
    tree = trees[i]
    if isinstance(tree, exp.Var) or (isinstance(tree, exp.Literal) and tree.is_string):
        return str(tree.name)
    raise SignatureError(f"{name} needs a text, written as a literal, as argument {i + 1}", i)


def integer(tree: exp.Expr) -> int | None:
    sign = -1 if isinstance(tree, exp.Neg) else 1
    try:
        return sign * int(Decimal(tree.this.name if sign < 0 else tree.name))
    except InvalidOperation:
        return None
