"""Functions that make rows: explode and its kin, in the select list, in LATERAL VIEW and as tables.

They need no operator of their own: the rows that one row makes are an array, the row is there once for each position
of it, and each copy takes the element at its position::

    LATERAL VIEW explode(l) v AS x   =   the rows, unfolded 0 to size(l) as i, with x = l[i]

Of OUTER a row whose array is empty or NULL is there once; its element is NULL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.plan import Map, Plan, Unfold
from datacell.algebra.schema import Named
from datacell.algebra.types import BIGINT, INT, Type
from datacell.sql import functions
from datacell.sql.bind.coercing import cast, coerced
from datacell.sql.bind.context import Context, Typed
from datacell.sql.bind.expressions import Expressions
from datacell.sql.bind.function_calls import call_type, lookup
from datacell.sql.bind.scope import Visible
from datacell.sql.functions import FunctionKind

_KNOWN = ("explode", "posexplode", "inline", "stack")
_OUTER = "_outer"


@dataclass(frozen=True)
class Generated:
    """The plan with the rows that were made, and the columns that these have more."""

    plan: Plan
    columns: tuple[Visible, ...]


def is_generator(node: exp.Expr) -> bool:
    """Is it the call of a function that makes rows?"""
    function = functions.lookup(node.name) if isinstance(node, exp.Anonymous) else None
    return function is not None and function.kind is FunctionKind.GENERATOR


def generated(binder: Expressions, node: exp.Expr, outer: bool, names: Sequence[str] = ()) -> Generated:
    """The rows that a call makes of each row of the binder's plan; the columns may be given other names."""
    context = binder.context
    if not isinstance(node, exp.Anonymous) or not is_generator(node):
        raise context.unsupported("this makes no rows", node)
    function = lookup(context, node)
    base = function.name.removesuffix(_OUTER)
    if base not in _KNOWN:
        raise context.unsupported(f"{function.name} cannot make rows here", node)
    arguments = [binder.bind(a.expression if isinstance(a, exp.Kwarg) else a) for a in node.expressions]
    result = call_type(context, function, node, node.expressions, [a.type for a in arguments])
    rows = _rows(base, node, arguments, result)
    called = list(names) or list(result.names)
    if len(called) != len(result.names):
        raise context.error(f"{function.name} makes {len(result.names)} columns, not {len(called)}", node)
    is_outer = outer or function.name.endswith(_OUTER)
    return _unfolded(context, binder.plan, rows, result, called, is_outer)


def _rows(base: str, node: exp.Anonymous, arguments: Sequence[Typed], result: Type) -> Typed:
    """The array of rows that one row makes."""
    if base == "stack":
        return _stacked(int(node.expressions[0].name), arguments[1:], result)
    (given,) = arguments
    if given.type.name == "map":
        entry = types.struct(("key", given.type.arguments[0]), ("value", given.type.arguments[1]))
        return Typed(scalar.call("map_entries", given.value), types.array(entry))
    return given


def _stacked(count: int, values: Sequence[Typed], result: Type) -> Typed:
    width = len(result.names)
    padded = [*values, *[Typed(exp.Null(), types.NULL)] * (count * width - len(values))]
    rows = [padded[i * width : (i + 1) * width] for i in range(count)]
    made = [_struct(result, row) for row in rows]
    return Typed(scalar.call("array", *made), types.array(result))


def _struct(type_: Type, values: Sequence[Typed]) -> exp.Expr:
    named = zip(type_.names, values, type_.arguments, strict=True)
    return scalar.call("named_struct", *(e for n, v, t in named for e in (exp.Literal.string(n), coerced(v, t))))


def _unfolded(context: Context, plan: Plan, rows: Typed, result: Type, called: Sequence[str], outer: bool) -> Generated:
    array, at = context.names.fresh("rows"), context.names.fresh("pos")
    length = scalar.call("size", scalar.column(array))
    stop = scalar.call("greatest", length, exp.Literal.number(1)) if outer else length
    with_rows = Map(plan, (*plan.schema.passing(), Named(array, rows.value, rows.type)))
    unfolded = Unfold(with_rows, cast(exp.Literal.number(0), BIGINT), cast(stop, BIGINT), at)
    element = exp.Bracket(this=scalar.column(array), expressions=[scalar.column(at)])
    is_there = exp.GT(this=length.copy(), expression=scalar.column(at))
    position = exp.Case(ifs=[exp.If(this=is_there, true=cast(scalar.column(at), INT))])
    inner = rows.type.arguments[0] if rows.type.arguments else types.NULL
    values: list[exp.Expr] = [position] if result.names[0] == "pos" and len(result.names) > 1 else []
    fields = result.names[len(values) :]
    if inner.name == "struct" and (len(fields) > 1 or fields == inner.names):
        values += [exp.Dot(this=element.copy(), expression=exp.Identifier(this=f, quoted=True)) for f in inner.names]
    else:
        values.append(element)
    columns = [
        Named(context.names.fresh(name), value, type_)
        for name, value, type_ in zip(called, values, result.arguments, strict=True)
    ]
    made = Map(unfolded, (*unfolded.schema.passing(plan.schema.names), *columns))
    return Generated(made, tuple(Visible(n, c.name, c.type) for n, c in zip(called, columns, strict=True)))
