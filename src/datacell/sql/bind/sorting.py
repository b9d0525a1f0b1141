"""ORDER BY, LIMIT and OFFSET."""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra.plan import Order, Plan, SortKey
from datacell.errors import counted
from datacell.sql.bind.context import Context, Typed
from datacell.sql.types.coercion import is_orderable


def ordered(context: Context, node: exp.Expr, plan: Plan, keys: list[SortKey]) -> Plan:
    """The plan in the order, and within the limits, that a query asks for."""
    limit = _whole(context, node.args.get("limit"), "LIMIT")
    offset = _whole(context, node.args.get("offset"), "OFFSET") or 0
    if not keys and limit is None and not offset:
        return plan
    return Order(plan, tuple(keys), limit, offset)


def sort_key(node: exp.Expr, value: exp.Expr) -> SortKey:
    descending = bool(node.args.get("desc"))
    nulls_first = node.args.get("nulls_first")
    return SortKey(value, descending, (not descending) if nulls_first is None else bool(nulls_first))


def sortable(context: Context, node: exp.Expr, value: Typed) -> Typed:
    """The value, if its type has an order."""
    if not is_orderable(value.type):
        raise context.error(f"{value.type} has no order", node, "sort by something else")
    return value


def position(context: Context, node: exp.Literal, length: int) -> int:
    """The element of a select list that a number means, counted from 0."""
    if len(node.name) > len(str(length)) or not 1 <= int(node.name) <= length:
        hint = f"it has {counted(length, 'column')}"
        raise context.error(f"position {node.name} is not in the select list", node, hint)
    return int(node.name) - 1


def _whole(context: Context, node: exp.Expr | None, clause: str) -> int | None:
    if node is None:
        return None
    value = node.args.get("expression") or node.args.get("count")
    if value is None or value.name.upper() == "ALL":
        return None
    found = whole_number(value)
    if found is None or not 0 <= found < 10**18:
        raise context.error(f"{clause} needs a whole number, not negative", value, f"write {clause} 10")
    return found


def whole_number(node: exp.Expr) -> int | None:
    """The value of a constant expression of whole numbers."""
    match node:
        case exp.Literal(is_string=False) if node.is_int:
            return int(node.name)
        case exp.Paren():
            return whole_number(node.this)
        case exp.Neg():
            found = whole_number(node.this)
            return None if found is None else -found
        case exp.Add() | exp.Sub() | exp.Mul():
            left, right = whole_number(node.left), whole_number(node.right)
            if left is None or right is None:
                return None
            return {exp.Add: left + right, exp.Sub: left - right, exp.Mul: left * right}[type(node)]
    return None
