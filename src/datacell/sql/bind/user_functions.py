"""The functions that the user has made: a call of one is typed as Spark types it.

A scalar one is an expression like others, and always computed by Spark; an aggregate one needs all the rows.
"""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra.analysis import CalledFunction
from datacell.sql import functions
from datacell.sql.bind.context import Context
from datacell.sql.catalog import Catalog
from datacell.sql.functions import Function, FunctionKind, Signature
from datacell.sql.functions.refused import UNREPEATABLE
from datacell.sql.functions.signature import Named

_MARK = "function"
_NO_FUNCTIONS = ("all", "any", "some", "in", "values", "range")
RANDOM = "it is not deterministic, and a window's answer must depend on its rows alone"


def meant(node: exp.Expr) -> Function | None:
    """The function that a call means: Spark's own, or one that was found to be the user's."""
    if not isinstance(node, exp.Anonymous):
        return None
    marked: Function | None = node.meta.get(_MARK)
    return marked or functions.lookup(node.name)


def mark_functions(context: Context, tree: exp.Expr) -> None:
    """Let every call of a function that is not Spark's own know what Spark says of it."""
    for call in tree.find_all(exp.Anonymous):
        if functions.lookup(call.name) is None and call.name.lower() not in _NO_FUNCTIONS:
            found = user_function(context.catalog, call.name, len(call.expressions))
            if found is not None:
                call.meta[_MARK] = found


def user_function(catalog: Catalog, name: str, count: int) -> Function | None:
    """A function that is not Spark's own, called with so many arguments."""
    found = catalog.find_function(name, count)
    if found is None:
        return None
    kind = FunctionKind.AGGREGATE if found.is_aggregate else FunctionKind.SCALAR
    signature = Signature((), (), (Named("any"),), Named(str(found.type)))
    return Function(name, kind, (signature,), None if _is_repeatable(found) else RANDOM)


def _is_repeatable(found: CalledFunction) -> bool:
    return found.is_repeatable and not found.calls() & UNREPEATABLE
