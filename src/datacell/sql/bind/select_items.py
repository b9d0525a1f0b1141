"""The elements of a select list: their names, and what a star stands for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.definitions import reserved
from datacell.errors import did_you_mean
from datacell.sql.bind.context import Context
from datacell.sql.bind.naming import name_of
from datacell.sql.bind.scope import Scope, Visible


@dataclass(frozen=True)
class Item:
    """An element of the select list: its name, and its node or the column that a star stands for, and of what."""

    name: str
    node: exp.Expr
    of: str | None = None


def select_items(context: Context, select: exp.Select, scope: Scope) -> Iterator[Item]:
    """The elements of a select list, stars spread out."""
    for item in _spread(context, select, scope):
        if context.continuous and (refused := reserved(item.name)):
            raise context.rule(refused, item.node, "give it another name: … AS name")
        yield item


def _spread(context: Context, select: exp.Select, scope: Scope) -> Iterator[Item]:
    for node in select.expressions:
        if isinstance(node, exp.Star):
            yield from _starred(context, select, node, scope.star())
        elif isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
            relation = scope.relation(node.table) if not node.args.get("db") else None
            plain = not any(map(node.this.args.get, ("except_", "replace", "rename")))
            if relation is None and plain and (fields := list(_fields(scope, node))):
                yield from fields
                continue
            if relation is None:
                hint = did_you_mean(node.table, [r.alias for r in scope.relations if r.alias])
                raise context.error(f"there is no table or stream {node.table} in this FROM", node, hint)
            yield from _starred(context, select, node.this, (replace(c, of=relation.alias) for c in relation.columns))
        else:
            yield Item(name_of(node), node)


def _fields(scope: Scope, node: exp.Column) -> Iterator[Item]:
    """``st.*`` of a struct: its fields."""
    named = scope.relation(node.text("db")) if node.args.get("db") else scope
    found = named.find(node.table) if named is not None else ()
    if len(found) == 1 and found[0].type.name == "struct":
        for name in found[0].type.names:
            column = resolved(found[0], node)
            yield Item(name, exp.Dot(this=column, expression=exp.Identifier(this=name, quoted=True)))


def _starred(context: Context, select: exp.Select, star: exp.Expr, columns: Iterator[Visible]) -> Iterator[Item]:
    if not select.args.get("from_"):
        raise context.error("* without FROM", star, "name a stream or a table: SELECT * FROM …")
    if star.args.get("rename"):
        raise context.unsupported("* takes only EXCEPT", star, "name the columns")
    found = list(columns)
    others = _replaced(context, star, found)
    dropped = star.args.get("except_") or ()
    for name in dropped:
        if not any(_is_named(c, name) for c in found):
            hint = did_you_mean(name.name, [c.name for c in found])
            raise context.error(f"there is no column {name.name} to leave out", name, hint)
    left = [c for c in found if not any(_is_named(c, name) for name in dropped)]
    if not left:
        raise context.error("* leaves no column", star, "leave out fewer")
    for column in left:
        other = others.get(column.name.lower())
        yield Item(column.name, resolved(column, star), column.of) if other is None else Item(column.name, other)


def _is_named(column: Visible, node: exp.Expr) -> bool:
    """Is it the column that is named, perhaps with its relation?"""
    of = node.text("table").lower()
    return column.name.lower() == node.name.lower() and of in ("", (column.of or "").lower())


def _replaced(context: Context, star: exp.Expr, columns: list[Visible]) -> dict[str, exp.Expr]:
    """``* REPLACE (a + 1 AS a)``: what stands for some of the columns."""
    found = {alias.alias.lower(): alias.this for alias in star.args.get("replace") or ()}
    for name in found:
        if sum(c.name.lower() == name for c in columns) != 1:
            raise context.unsupported(f"there is not just one column {name} to replace", star)
    return found


def resolved(column: Visible, star: exp.Expr) -> exp.Expr:
    """A column that another node stands for, as a star does: already resolved, and blamed on that."""
    node = scalar.column(column.column)
    node.meta.update(star.meta, visible=column)
    return node
