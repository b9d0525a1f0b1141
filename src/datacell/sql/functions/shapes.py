"""Structs, arrays of structs, and schemas: results whose shape depends on names and texts in the call."""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import Type
from datacell.sql.functions.values import Trees, Types, integer, text
from datacell.sql.types.errors import SignatureError


def named_struct(name: str, given: Types, trees: Trees) -> Type:
    if len(given) % 2:
        raise SignatureError(f"{name} takes names and values in pairs, not {len(given)} arguments")
    names = [text(name, trees, i) for i in range(0, len(trees), 2)]
    return types.struct(*zip(names, given[1::2], strict=True))


def struct(_: str, given: Types, trees: Trees) -> Type:
    return types.struct(*((_field_name(tree) or f"col{i}", t) for i, (tree, t) in enumerate(_pairs(given, trees), 1)))


def arrays_zip(_: str, given: Types, trees: Trees) -> Type:
    fields = ((_field_name(tree) or str(i), t.arguments[0]) for i, (tree, t) in enumerate(_pairs(given, trees)))
    return types.array(types.struct(*fields))


def json_columns(_: str, given: Types, __: Trees) -> Type:
    return types.struct(*((f"c{i}", types.STRING) for i in range(len(given) - 1)))


def stacked_columns(name: str, given: Types, trees: Trees) -> Type:
    rows = integer(trees[0])
    if rows is None or rows < 1:
        raise SignatureError(f"{name} needs a number of rows, written as a literal, as argument 1", 0)
    width = -(-(len(given) - 1) // rows)
    columns = [_same(name, given[1 + i :: width]) for i in range(width)]
    return types.struct(*((f"col{i}", t) for i, t in enumerate(columns)))


def _same(name: str, column: Types) -> Type:
    found = {t for t in column if t != types.NULL} or {types.NULL}
    if len(found) > 1:
        raise SignatureError(f"{name} needs columns of one type, not {' and '.join(sorted(map(str, found)))}")
    return found.pop()


def inlined(_: str, given: Types, __: Trees) -> Type:
    return given[0].arguments[0]


def histogram(_: str, given: Types, __: Trees) -> Type:
    return types.array(types.struct(("x", given[0]), ("y", types.DOUBLE)))


def top_array(_: str, given: Types, __: Trees) -> Type:
    return types.array(types.struct(("item", given[0]), ("count", types.BIGINT)))


def top_sketch(_: str, given: Types, __: Trees) -> Type:
    """The state of `approx_top_k`: it remembers the type of its items by a field that is always NULL."""
    return types.struct(
        ("sketch", types.BINARY),
        ("maxItemsTracked", types.INT),
        ("itemDataType", given[0]),
        ("itemDataTypeDDL", types.STRING),
    )


def top_items(name: str, given: Types, __: Trees) -> Type:
    fields = dict(zip(given[0].names, given[0].arguments, strict=False))
    if "itemDataType" not in fields:
        raise SignatureError(f"{name} needs what approx_top_k_accumulate returns, not {given[0]}", 0)
    return top_array(name, (fields["itemDataType"],), ())


def row_schema(name: str, _: Types, trees: Trees) -> Type:
    """The schema of `from_csv` and `from_xml`: columns, or a struct."""
    found = schema(name, _, trees)
    if found.name != "struct":
        raise SignatureError(f"{name} needs a schema of columns, not {found}", 1)
    return found


def schema(name: str, _: Types, trees: Trees) -> Type:
    """The schema of `from_json`: columns (`a INT, b STRING`) or one type (`ARRAY<INT>`)."""
    written = text(name, trees, 1)
    for spelled in (f"struct<{written}>", written):
        try:
            found = types.of(spelled)
        except ValueError:
            continue
        if found.arguments or found == types.VARIANT:
            return found
    raise SignatureError(f"{name} cannot read the schema {written!r}", 1)


def variant_type(name: str, _: Types, trees: Trees) -> Type:
    written = text(name, trees, 2)
    try:
        return types.of(written)
    except ValueError:
        raise SignatureError(f"{name} knows no type {written}", 2) from None


def _pairs(given: Types, trees: Trees) -> list[tuple[exp.Expr, Type]]:
    return list(zip(trees, given, strict=True))


def _field_name(tree: exp.Expr) -> str | None:
    match tree:
        case exp.Alias():
            return str(tree.alias)
        case exp.Column() | exp.Dot() | exp.Identifier():
            return str(tree.name)
    return None
