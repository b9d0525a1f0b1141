"""Results that no signature can state, because they depend on the value of a literal or on a name.

A rule gets the name of the function, the types of the arguments after their casts, and the trees of the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import Type
from datacell.sql import arithmetic
from datacell.sql.functions.coercion import can_cast
from datacell.sql.functions.errors import SignatureError

Types = Sequence[Type]
Trees = Sequence[exp.Expr]
RuleFunction = Callable[[str, Types, Trees], Type]


def named_struct(name: str, given: Types, trees: Trees) -> Type:
    if len(given) % 2:
        raise SignatureError(f"{name} takes names and values in pairs, not {len(given)} arguments")
    names = [_text(name, trees, i) for i in range(0, len(trees), 2)]
    return types.struct(*zip(names, given[1::2], strict=True))


def struct(_: str, given: Types, trees: Trees) -> Type:
    return types.struct(*((_field_name(tree) or f"col{i}", t) for i, (tree, t) in enumerate(_pairs(given, trees), 1)))


def arrays_zip(_: str, given: Types, trees: Trees) -> Type:
    fields = ((_field_name(tree) or str(i), t.arguments[0]) for i, (tree, t) in enumerate(_pairs(given, trees)))
    return types.array(types.struct(*fields))


def json_columns(_: str, given: Types, __: Trees) -> Type:
    return types.struct(*((f"c{i}", types.STRING) for i in range(len(given) - 1)))


def stacked_columns(name: str, given: Types, trees: Trees) -> Type:
    rows = _integer(trees[0])
    if rows is None or rows < 1:
        raise SignatureError(f"{name} needs a number of rows, written as a literal, as argument 1", 0)
    width = -(-(len(given) - 1) // rows)
    columns = [types.common_of(list(given[1 + i :: width])) for i in range(width)]
    if None in columns:
        raise SignatureError(f"{name} needs columns whose values have one type")
    return types.struct(*((f"col{i}", t) for i, t in enumerate(columns) if t is not None))


def inlined(_: str, given: Types, __: Trees) -> Type:
    return given[0].arguments[0]


def row_schema(name: str, _: Types, trees: Trees) -> Type:
    """The schema of `from_csv` and `from_xml`: columns, or a struct."""
    found = schema(name, _, trees)
    if found.name != "struct":
        raise SignatureError(f"{name} needs a schema of columns, not {found}", 1)
    return found


def schema(name: str, _: Types, trees: Trees) -> Type:
    """The schema of `from_json`: columns (`a INT, b STRING`) or one type (`ARRAY<INT>`)."""
    text = _text(name, trees, 1)
    for spelled in (f"struct<{text}>", text):
        try:
            return types.of(spelled)
        except ValueError:
            continue
    raise SignatureError(f"{name} cannot read the schema {text!r}", 1)


def variant_type(name: str, _: Types, trees: Trees) -> Type:
    text = _text(name, trees, 2)
    try:
        return types.of(text)
    except ValueError:
        raise SignatureError(f"{name} knows no type {text}", 2) from None


def date_part(name: str, given: Types, trees: Trees) -> Type:
    unit = _text(name, trees, 0).lower()
    source = given[1]
    if unit in ("second", "s", "sec", "seconds", "secs"):
        return types.decimal(8, 6)
    if not types.is_interval(source):
        return types.INT
    whole = unit in ("year", "y", "years", "yr", "yrs", "day", "d", "days")
    return types.INT if whole else types.TINYINT


def rounded(_: str, given: Types, trees: Trees) -> Type:
    """`round` and `bround`: a decimal keeps room for the carry, every other number keeps its type."""
    if given[0].name != "decimal":
        return given[0]
    precision, scale, digits = given[0].precision, given[0].scale, _integer(trees[1]) if len(trees) > 1 else 0
    whole = precision - scale + 1
    if digits is None:
        return given[0]
    if digits < 0:
        return types.decimal(min(types.MAX_PRECISION, max(whole, 1 - digits)), 0)
    kept = min(scale, digits)
    return types.decimal(min(types.MAX_PRECISION, whole + kept), kept)


def ceiled(name: str, given: Types, trees: Trees) -> Type:
    """`ceil` and `floor`: a whole number, or with a scale a decimal."""
    if len(given) > 1:
        return rounded(name, (_wide_decimal(given[0]), given[1]), trees)
    if given[0].name != "decimal":
        return types.BIGINT
    precision, scale = given[0].precision, given[0].scale
    return given[0] if scale == 0 else types.bounded_decimal(precision - scale + 1, 0)


def number_format(name: str, _: Types, trees: Trees) -> Type:
    whole, _point, fraction = _text(name, trees, 1).upper().replace("D", ".").partition(".")
    digits, scale = (sum(c in "09" for c in part) for part in (whole, fraction))
    return types.decimal(digits + scale, scale)


def decoded(_: str, given: Types, __: Trees) -> Type:
    """`decode(value, key, result, ..., default)`."""
    results = [*given[2::2], *(given[-1:] if len(given) % 2 == 0 else ())]
    common = types.common_of(results)
    if common is None:
        raise SignatureError("decode needs results of one type")
    return common


def concatenated(name: str, given: Types, _: Trees) -> Type:
    """Arrays make an array, binaries a binary, and everything else is text."""
    if any(t.name == "array" for t in given):
        found = types.common_of(list(given))
        if found is None:
            raise SignatureError(f"{name} needs arrays of one type, not {' and '.join(map(str, given))}", 1)
        return found
    if types.BINARY in given and all(t in (types.BINARY, types.NULL) for t in given):
        return types.BINARY
    for i, t in enumerate(given):
        if not can_cast(t, types.STRING):
            raise SignatureError(f"{name} needs a string, not {t}", i)
    return types.STRING


def or_zero(name: str, given: Types, _: Trees) -> Type:
    found = types.common(given[0], types.INT)
    if found is None:
        raise SignatureError(f"{name} needs a number, not {given[0]}", 0)
    return found


def array_of_first(_: str, given: Types, __: Trees) -> Type:
    return types.array(given[0])


def top_sketch(_: str, given: Types, __: Trees) -> Type:
    """The state of `approx_top_k`: it remembers the type of its items by a field that is always NULL."""
    return types.struct(
        ("sketch", types.BINARY), ("maxItemsTracked", types.INT), ("itemDataType", given[0]), ("itemDataTypeDDL", types.STRING)
    )


def top_items(name: str, given: Types, __: Trees) -> Type:
    fields = dict(zip(given[0].names, given[0].arguments, strict=False))
    if "itemDataType" not in fields:
        raise SignatureError(f"{name} needs what approx_top_k_accumulate returns, not {given[0]}", 0)
    return types.array(types.struct(("item", fields["itemDataType"]), ("count", types.BIGINT)))


def _wide_decimal(t: Type) -> Type:
    if t == types.FLOAT:
        return types.decimal(14, 7)
    return types.decimal(30, 15) if t == types.DOUBLE else types.as_decimal(t)


def _arithmetic(operator: type[exp.Binary]) -> RuleFunction:
    return lambda _, given, trees: arithmetic.result(operator, given[0], given[1], trees)


def _pairs(given: Types, trees: Trees) -> list[tuple[exp.Expr, Type]]:
    return list(zip(trees, given, strict=True))


def _field_name(tree: exp.Expr) -> str | None:
    match tree:
        case exp.Alias():
            return str(tree.alias)
        case exp.Column() | exp.Dot() | exp.Identifier():
            return str(tree.name)
    return None


def _text(name: str, trees: Trees, i: int) -> str:
    tree = trees[i]
    if isinstance(tree, exp.Var) or (isinstance(tree, exp.Literal) and tree.is_string):
        return str(tree.name)
    raise SignatureError(f"{name} needs a text, written as a literal, as argument {i + 1}", i)


def _integer(tree: exp.Expr) -> int | None:
    sign = -1 if isinstance(tree, exp.Neg) else 1
    try:
        return sign * int(Decimal(tree.this.name if sign < 0 else tree.name))
    except InvalidOperation:
        return None


RULES: Mapping[str, RuleFunction] = {
    "array_of_first": array_of_first,
    "arrays_zip": arrays_zip,
    "ceiled": ceiled,
    "concatenated": concatenated,
    "date_part": date_part,
    "decoded": decoded,
    "difference": _arithmetic(exp.Sub),
    "inlined": inlined,
    "json_columns": json_columns,
    "named_struct": named_struct,
    "number_format": number_format,
    "or_zero": or_zero,
    "product": _arithmetic(exp.Mul),
    "quotient": _arithmetic(exp.Div),
    "remainder": _arithmetic(exp.Mod),
    "rounded": rounded,
    "row_schema": row_schema,
    "schema": schema,
    "stacked_columns": stacked_columns,
    "struct": struct,
    "sum": _arithmetic(exp.Add),
    "top_items": top_items,
    "top_sketch": top_sketch,
    "variant_type": variant_type,
    "whole_quotient": _arithmetic(exp.IntDiv),
}
