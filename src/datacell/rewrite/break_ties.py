"""Order by everything: where rows tie in what the user orders by, the other columns decide.

LIMIT, ``row_number``, ``lag`` and their kin may choose freely among ties. A free choice would depend on the engine, the
partitions, the cut into micro-batches; here it depends on the rows alone. What still ties is equal in every column.

Further keys must not move the ends of a frame. Frames of rows, and whole partitions, have no ends that depend on ties;
a RANGE frame ends with the last tie, so there only the first row may be decided.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Order, Over, Plan, SortKey
from datacell.algebra.schema import Named, Schema
from datacell.algebra.types import Type

_FRAMELESS = frozenset({"row_number", "ntile", "lag", "lead"})
_FIRST = frozenset({"first_value", "first", "any_value"})
_FRAMED = _FIRST | {"last_value", "last", "nth_value", "collect_list", "array_agg", "listagg", "string_agg"}


def rewrite(node: Plan) -> Plan:
    match node:
        case Order(child, keys, limit) if limit is not None or node.offset:
            missing = _missing({k.value for k in keys}, child.schema)
            return replace(node, keys=(*keys, *map(SortKey, missing))) if missing else node
        case Over(child, functions):
            new = tuple(_decided(f, child.schema) for f in functions)
            unchanged = all(a is b for a, b in zip(new, functions, strict=True))
            return node if unchanged else replace(node, functions=new)
    return node


def _decided(function: Named, schema: Schema) -> Named:
    window = function.value
    order = window.args.get("order")
    if not _may_have_more_keys(window):
        return function
    present = list(order.expressions) if order is not None else []
    fixed = {o.this for o in present} | set(window.args.get("partition_by") or ())
    missing = _missing(fixed, schema)
    if not missing:
        return function
    added = [exp.Ordered(this=m, desc=False, nulls_first=True) for m in missing]
    new = window.copy()
    new.set("order", exp.Order(expressions=[*(o.copy() for o in present), *added]))
    if not present and not _counts_rows(window):
        new.set("spec", _whole_partition())
    return replace(function, value=new)


def _may_have_more_keys(window: exp.Expr) -> bool:
    call = window.this if isinstance(window.this, exp.Anonymous) else window.this.find(exp.Anonymous)
    if call.name in _FRAMELESS or _counts_rows(window):
        return True
    if call.name not in _FRAMED:
        return False
    if window.args.get("order") is None or _is_whole(window):
        return True
    ignores_nulls = call is not window.this or len(call.expressions) > 1
    return call.name in _FIRST and not ignores_nulls and _side(window, "start") in ("", "UNBOUNDED PRECEDING")


def _counts_rows(window: exp.Expr) -> bool:
    spec = window.args.get("spec")
    return spec is not None and str(spec.args.get("kind")).upper() == "ROWS"


def _is_whole(window: exp.Expr) -> bool:
    return (_side(window, "start"), _side(window, "end")) == ("UNBOUNDED PRECEDING", "UNBOUNDED FOLLOWING")


def _side(window: exp.Expr, side: str) -> str:
    spec = window.args.get("spec")
    words = [] if spec is None else [spec.args.get(side), spec.args.get(f"{side}_side")]
    return " ".join(str(word).upper() for word in words if word)


def _whole_partition() -> exp.WindowSpec:
    return exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="UNBOUNDED", end_side="FOLLOWING")


def _missing(present: set[exp.Expr], schema: Schema) -> list[exp.Expr]:
    return [c for f in schema if _orderable(f.type) and (c := scalar.column(f.name)) not in present]


def _orderable(t: Type) -> bool:
    return t.name not in ("map", "variant", "interval") and all(map(_orderable, t.arguments))
