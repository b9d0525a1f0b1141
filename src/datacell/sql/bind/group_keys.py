"""The keys of GROUP BY: expressions, positions, names of the select list, ALL, and grouping sets of them."""

from __future__ import annotations

from math import prod

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.schema import Named
from datacell.sql.bind.expressions import Expressions
from datacell.sql.bind.grouping import MOST_SETS, Sets, aggregates, cube, grouping_sets, rollup
from datacell.sql.bind.naming import name_of
from datacell.sql.bind.select_items import Item
from datacell.sql.bind.sorting import position

_ELEMENTS = (exp.GroupingSets, exp.Rollup, exp.Cube)


class GroupKeys:
    """Collects the keys of one GROUP BY over the rows before grouping."""

    def __init__(self, rows: Expressions, items: list[Item]) -> None:
        self.rows, self.items, self.context = rows, items, rows.context
        self.keys: list[Named] = []

    def bind(self, group: exp.Group | None) -> tuple[list[Named], Sets]:
        """The keys, and the sets of them to group by; no sets means all keys at once."""
        if group is None:
            return [], []
        self.rows.clause = "GROUP BY"
        if group.args.get("all"):
            if self.rows.scope.find("all"):
                raise self.context.unsupported("a column is called all", group)
            for item in self.items:
                if next(iter(aggregates(item.node)), None) is None:
                    self._key(item.node)
            return self.keys, []
        own = [self._key(node) for node in group.expressions if not isinstance(node, _ELEMENTS)]
        elements = [e for e in group.expressions if isinstance(e, _ELEMENTS)]
        trailing = [e for kind in ("grouping_sets", "rollup", "cube") for e in group.args.get(kind) or ()]
        parts = [self._sets(element, own) for element in (*elements, *trailing)]
        self._check_sets(prod(map(len, parts)), group)
        return self.keys, grouping_sets([] if trailing else own, parts)

    def _check_sets(self, number: int, node: exp.Expr) -> None:
        if number > MOST_SETS:
            raise self.context.error(f"this makes {number} groupings, more than {MOST_SETS}", node, "group by less")

    def _sets(self, element: exp.Expr, own: list[int]) -> list[list[int]]:
        if isinstance(element, exp.GroupingSets):
            return [found for member in element.expressions for found in self._member_sets(member, own)]
        members = [[self._key(n) for n in _members(e)] for e in element.expressions]
        members = members or [[i] for i in own]
        if isinstance(element, exp.Rollup):
            return rollup(members)
        self._check_sets(2 ** len(members), element)
        return cube(members)

    def _member_sets(self, member: exp.Expr, own: list[int]) -> list[list[int]]:
        """One of GROUPING SETS is a set of keys, or stands for several sets."""
        if isinstance(member, _ELEMENTS):
            return self._sets(member, own)
        return [[self._key(n) for n in _members(member)]]

    def _key(self, node: exp.Expr) -> int:
        """The position of a key, added if it is new."""
        item = self._item_meant(node)
        bound = self.rows.bind(item.node if item is not None else node)
        value = bound.value.unnest()
        for index, key in enumerate(self.keys):
            if key.value == value:
                return index
        is_column = isinstance(value, exp.Column) and not scalar.is_outer(value)
        wish = value.name if is_column else item.name if item is not None else name_of(node)
        self.keys.append(Named(wish if is_column else self.context.names.fresh(wish), value, bound.type))
        return len(self.keys) - 1

    def _item_meant(self, node: exp.Expr) -> Item | None:
        if isinstance(node, exp.Literal) and node.is_int:
            return self.items[position(self.context, node, len(self.items))]
        if isinstance(node, exp.Column) and len(node.parts) == 1 and not self.rows.scope.find(node.name):
            return next((i for i in self.items if i.name.lower() == node.name.lower()), None)
        return None


def _members(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Tuple):
        return list(node.expressions)
    return [node.this] if isinstance(node, exp.Paren) else [node]
