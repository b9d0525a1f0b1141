"""The type of every scalar node that is not a function call, as Spark types it with ANSI mode off.

``operator_type(node, operands)`` looks at one node: the types of its children, in the order in which
``node.iter_expressions()`` gives them, are the caller's. A child that is no value (a type, a unit, a field's name)
has a type too, so that a caller need not tell them apart: a written type is itself, a unit or a name is ``void``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import Type
from datacell.sql.functions.rules import concatenated
from datacell.sql.functions.shapes import struct
from datacell.sql.types import arithmetic
from datacell.sql.types.casting import castable
from datacell.sql.types.coercion import can_cast, comparable, is_orderable
from datacell.sql.types.errors import SignatureError
from datacell.sql.types.literals import interval_type, literal_type

Operands = Sequence[Type]


def operator_type(node: exp.Expr, operands: Operands) -> Type:
    """The type of a node; SignatureError, with the child that is wrong, if Spark has no meaning for it."""
    for kind, rule in _RULES.items():
        if isinstance(node, kind):
            return rule(node, operands)
    raise SignatureError(f"{node.sql(dialect='spark')} is not supported")


def _arithmetic(node: exp.Expr, operands: Operands) -> Type:
    return arithmetic.result(type(node), operands[0], operands[1], (node.this, node.expression))


def _negated(node: exp.Expr, operands: Operands) -> Type:
    operand = operands[0]
    if isinstance(node.this, exp.Literal) and not node.this.is_string:
        return literal_type(node)
    if operand in (types.STRING, types.NULL):
        return types.DOUBLE
    if types.is_number(operand) or types.is_interval(operand):
        return operand
    raise SignatureError(f"- needs a number or an interval, not {operand}", 0)


def _bits(node: exp.Expr, operands: Operands) -> Type:
    for i, operand in enumerate(operands):
        if operand not in (*types.INTEGERS, types.NULL):
            raise SignatureError(f"{_symbol(node)} needs an integer, not {operand}", i)
    found = types.common_of(list(operands))
    return types.INT if found in (None, types.NULL) else found


def _shifted(node: exp.Expr, operands: Operands) -> Type:
    for i, operand in enumerate(operands):
        if not can_cast(operand, types.INT):
            raise SignatureError(f"{_symbol(node)} needs an integer, not {operand}", i)
    return types.BIGINT if operands[0] == types.BIGINT else types.INT


def _logic(node: exp.Expr, operands: Operands) -> Type:
    for i, operand in enumerate(operands):
        if operand not in (types.BOOLEAN, types.NULL):
            raise SignatureError(f"{_symbol(node)} needs a boolean, not {operand}", i)
    return types.BOOLEAN


def _compared(node: exp.Expr, operands: Operands) -> Type:
    first, *rest = operands
    for i, other in enumerate(rest, 1):
        if not comparable(first, other):
            raise SignatureError(f"{first} and {other} cannot be compared", i)
        if isinstance(node, _ORDERINGS) and (first == types.BOOLEAN) != (other == types.BOOLEAN):
            _check_order_of_booleans(first, other, i)
    return types.BOOLEAN


def _check_order_of_booleans(a: Type, b: Type, i: int) -> None:
    if types.is_number(a) or types.is_number(b):
        raise SignatureError(f"{a} and {b} have no order", i)


def _in(node: exp.Expr, operands: Operands) -> Type:
    if node.args.get("query"):
        return types.BOOLEAN
    first, *rest = operands
    for i, other in enumerate(rest, 1):
        common = types.common(first, types.renamed(other, first))
        if common is None or not is_orderable(common):
            raise SignatureError(f"{first} and {other} cannot be compared", i)
    return types.BOOLEAN


def _matched(node: exp.Expr, operands: Operands) -> Type:
    for i, operand in enumerate(operands):
        if not can_cast(operand, types.STRING) and not isinstance(node.expression, exp.Any | exp.All):
            raise SignatureError(f"{_symbol(node)} needs a string, not {operand}", i)
    return types.BOOLEAN


def _is(node: exp.Expr, operands: Operands) -> Type:
    if isinstance(node.expression, exp.Boolean) and not comparable(operands[0], types.BOOLEAN):
        raise SignatureError(f"IS TRUE and IS FALSE need a boolean, not {operands[0]}", 0)
    return types.BOOLEAN


def _case(node: exp.Expr, operands: Operands) -> Type:
    subject, branches = (operands[:1], operands[1:]) if node.this else ((), operands)
    found = types.common_of(list(branches))
    if found is None:
        shown = " and ".join(dict.fromkeys(str(t) for t in branches))
        raise SignatureError(f"the branches of CASE have no common type: {shown}", len(subject))
    return found


def _branch(node: exp.Expr, operands: Operands) -> Type:
    searched = not (isinstance(node.parent, exp.Case) and node.parent.this)
    if searched and operands[0] not in (types.BOOLEAN, types.NULL):
        raise SignatureError(f"WHEN needs a boolean, not {operands[0]}", 0)
    return operands[1]


def _cast(node: exp.Expr, operands: Operands) -> Type:
    try:
        to = types.of_sqlglot(node.args["to"])
    except ValueError as error:
        raise SignatureError(str(error)) from None
    if not castable(operands[0], to):
        raise SignatureError(f"{operands[0]} cannot be cast to {to}", 0)
    return to


def _bracket(node: exp.Expr, operands: Operands) -> Type:
    container, *keys = operands
    for i, key in enumerate(keys, 1):
        container = _element(container, key, i)
    return container


def _element(container: Type, key: Type, i: int) -> Type:
    match container.name:
        case "array" if key in (*types.INTEGERS, types.NULL):
            return container.arguments[0]
        case "map" if can_cast(key, container.arguments[0]) or types.common(container.arguments[0], key) is not None:
            return container.arguments[1]
        case "void":
            return types.NULL
        case "array" | "map":
            wanted = "int" if container.name == "array" else container.arguments[0]
            raise SignatureError(f"{container} is looked up by {wanted}, not by {key}", i)
    raise SignatureError(f"{container} has no elements to look up", 0)


def _field(node: exp.Expr, operands: Operands) -> Type:
    """A struct's field; of an array of structs, the array of their fields; of a map, the value of that key."""
    container, name = operands[0], node.expression.name.lower()
    if container.name == "map" and container.arguments[0] == types.STRING:
        return container.arguments[1]
    inner = container.arguments[0] if container.name == "array" else container
    fields = {n.lower(): t for n, t in zip(inner.names, inner.arguments, strict=False)}
    if inner.name != "struct":
        raise SignatureError(f"{container} has no fields", 0)
    if name not in fields:
        raise SignatureError(f"{container} has no field {node.expression.name}", 1)
    return types.array(fields[name]) if container.name == "array" else fields[name]


def _data_type(node: exp.Expr, _: Operands) -> Type:
    try:
        return types.of_sqlglot(node)
    except ValueError as error:
        raise SignatureError(str(error)) from None


def _tuple(node: exp.Expr, operands: Operands) -> Type:
    return struct("struct", operands, node.expressions)


def _symbol(node: exp.Expr) -> str:
    return _SYMBOLS.get(type(node)) or type(node).__name__.upper()


_ORDERINGS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)

_SYMBOLS: Mapping[type[exp.Expr], str] = {
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
    exp.BitwiseNot: "~",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
    exp.RegexpLike: "RLIKE",
}

_Rule = Callable[[exp.Expr, Operands], Type]
_Kinds = type[exp.Expr] | tuple[type[exp.Expr], ...]

_RULES: Mapping[_Kinds, _Rule] = {
    (exp.Literal, exp.Boolean, exp.Null, exp.HexString, exp.RawString, exp.National): lambda n, _: literal_type(n),
    exp.Interval: lambda n, _: interval_type(n),
    (exp.Paren, exp.Alias, exp.Distinct, exp.Ordered, exp.Collate): lambda _, operands: operands[0],
    exp.Kwarg: lambda _, operands: operands[-1],
    tuple(arithmetic.SYMBOLS): _arithmetic,
    exp.Neg: _negated,
    (exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot): _bits,
    (exp.BitwiseLeftShift, exp.BitwiseRightShift): _shifted,
    (exp.And, exp.Or, exp.Not): _logic,
    (exp.Like, exp.ILike, exp.RegexpLike): _matched,
    exp.Escape: lambda _, __: types.BOOLEAN,
    (exp.Any, exp.All): lambda _, operands: operands[0] if operands else types.NULL,
    exp.Is: _is,
    exp.In: _in,
    exp.Exists: lambda _, __: types.BOOLEAN,
    (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.Between): _compared,
    exp.Case: _case,
    exp.If: _branch,
    exp.DPipe: lambda node, operands: concatenated("||", operands, (node.this, node.expression)),
    exp.Cast: _cast,
    exp.Bracket: _bracket,
    exp.Dot: _field,
    exp.Tuple: _tuple,
    (exp.Var, exp.Identifier, exp.IntervalSpan, exp.DataTypeParam, exp.ColumnDef): lambda _, __: types.NULL,
    exp.DataType: _data_type,
}
