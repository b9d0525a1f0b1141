"""Expressions of a SELECT list: those of any clause, and analytic functions (OVER)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Over, Plan
from datacell.algebra.schema import Named
from datacell.errors import did_you_mean
from datacell.sql.bind.context import Context, Typed
from datacell.sql.bind.expressions import Expressions
from datacell.sql.bind.function_calls import call_over_rows, lookup
from datacell.sql.bind.scope import Scope
from datacell.sql.bind.sorting import sortable
from datacell.sql.bind.subqueries import Subqueries
from datacell.sql.functions import FunctionKind

_WRAPPERS = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls)


class SelectExpressions(Expressions):
    """Collects analytic functions; `plan_with_analytics` computes them."""

    def __init__(
        self,
        context: Context,
        scope: Scope,
        plan: Plan,
        clause: str,
        subqueries: Subqueries,
        windows: dict[str, exp.Window],
    ) -> None:
        super().__init__(context, scope, plan, clause, subqueries)
        self.named_windows = windows
        self.analytic: dict[exp.Expr, Named] = {}

    def plan_with_analytics(self) -> Plan:
        return Over(self.plan, tuple(self.analytic.values())) if self.analytic else self.plan

    def over(self, node: exp.Window) -> Typed:
        definition = self._definition(node)
        self._check_nesting(node)
        call = self._function(node.this, definition)
        value = exp.Window(
            this=call.value,
            partition_by=[self.bind(p).value for p in definition.args.get("partition_by") or ()],
            order=self._order(definition.args.get("order")),
            spec=self._frame(definition.args.get("spec")),
            over="OVER",
        )
        found = self.analytic.get(value)
        if found is None:
            name = self.context.names.fresh(node.this.find(exp.Anonymous).name.lower())
            found = self.analytic[value] = Named(name, value, call.type)
        return Typed(scalar.column(found.name), found.type)

    def _check_nesting(self, node: exp.Window) -> None:
        inner = next((n for n in node.find_all(exp.Window) if n is not node), None)
        if inner is not None:
            raise self.context.error("OVER cannot stand within OVER", inner, "compute the inner one in a subquery")

    def _definition(self, node: exp.Window) -> exp.Window:
        """What is said of a window here, or where its name is defined, which may refer to another name."""
        found, seen = node, set[str]()
        while (name := found.args.get("alias")) is not None:
            if any(map(found.args.get, ("partition_by", "order", "spec"))) or name.name.lower() in seen:
                raise self.context.unsupported(f"the window {name.name} is said more of here", name)
            seen.add(name.name.lower())
            known = self.named_windows.get(name.name.lower())
            if known is None:
                hint = did_you_mean(name.name, self.named_windows)
                raise self.context.error(f"there is no window {name.name} in this SELECT", name, hint)
            found = known
        return found

    def _function(self, node: exp.Expr, definition: exp.Window) -> Typed:
        if isinstance(node, _WRAPPERS):
            inner = self._function(node.this, definition)
            if not isinstance(node, exp.Filter):
                return Typed(type(node)(this=inner.value), inner.type)
            condition = self.predicate(node.expression.this)
            return Typed(exp.Filter(this=inner.value, expression=exp.Where(this=condition)), inner.type)
        if isinstance(node, exp.WithinGroup):
            return self._within_group(node)
        if not isinstance(node, exp.Anonymous):
            raise self.context.error("OVER needs a function", node)
        lifted = nulls_outside(node)
        if lifted is not node:
            return self._function(lifted, definition)
        function = lookup(self.context, node)
        if function.kind not in (FunctionKind.RANKING, FunctionKind.AGGREGATE):
            raise self.context.error(
                f"{function.name} cannot have OVER", node, "use an aggregate or a ranking function"
            )
        if function.kind is FunctionKind.RANKING and definition.args.get("order") is None:
            hint = f"write {function.name}() OVER (ORDER BY …)"
            raise self.context.error(f"{function.name} needs ORDER BY in its OVER", node, hint)
        if any(isinstance(argument, exp.Distinct) for argument in node.expressions):
            raise self.context.error("DISTINCT cannot be used with OVER", node, "use DISTINCT in a subquery")
        return call_over_rows(self, node, function)

    def _within_group(self, node: exp.WithinGroup) -> Typed:
        if orders_only(node.this):
            raise self.context.unsupported("WITHIN GROUP that says an order cannot stand with OVER here", node)
        ordered = node.expression.expressions
        keys = [self.bind(o.this) for o in ordered]
        call = call_over_rows(self, node.this, lookup(self.context, node.this), [k.type for k in keys])
        return within_group(call, keys, ordered, self.computed)

    def _order(self, node: exp.Order | None) -> exp.Order | None:
        if node is None:
            return None
        return exp.Order(
            expressions=[
                exp.Ordered(
                    this=sortable(self.context, o.this, self.bind(o.this)).value,
                    desc=o.args.get("desc"),
                    nulls_first=o.args.get("nulls_first"),
                )
                for o in node.expressions
            ]
        )

    def _frame(self, node: exp.Expr | None) -> exp.Expr | None:
        """ROWS or RANGE between two constants, the first not after the second."""
        if node is None:
            return None
        for edge in ("start", "end"):
            value = node.args.get(edge)
            if isinstance(value, exp.Expr) and value.find(exp.Column, exp.Query, exp.Anonymous) is not None:
                raise self.context.error("a frame is bounded by constants", value, "write ROWS BETWEEN 5 PRECEDING …")
        if node.args.get("end") and _place(node, "start") > _place(node, "end"):
            where = next((v for v in (node.args["start"], node.args["end"]) if isinstance(v, exp.Expr)), node)
            raise self.context.error("this frame ends before it starts", where, "swap its two bounds")
        return node.copy()


def nulls_outside(node: exp.Expr) -> exp.Expr:
    """``f(x IGNORE NULLS)`` is ``f(x) IGNORE NULLS``."""
    first = node.expressions[0] if node.expressions else None
    if not isinstance(first, exp.IgnoreNulls | exp.RespectNulls):
        return node
    bare = node.copy()
    bare.set("expressions", [first.this.copy(), *(e.copy() for e in node.expressions[1:])])
    return type(first)(this=bare)


def within_group(
    call: Typed, keys: Sequence[Typed], ordered: Sequence[exp.Expr], computed: Mapping[exp.Expr, str]
) -> Typed:
    """An aggregate of rows in an order, which may be that of an argument that is `computed` below."""
    values = [scalar.column(computed[k.value]) if k.value in computed else k.value for k in keys]
    parts = [
        exp.Ordered(this=value, desc=o.args.get("desc"), nulls_first=o.args.get("nulls_first"))
        for value, o in zip(values, ordered, strict=True)
    ]
    return Typed(exp.WithinGroup(this=call.value, expression=exp.Order(expressions=parts)), call.type)


def orders_only(node: exp.Expr) -> bool:
    """Does WITHIN GROUP say in which order, and not what?"""
    return isinstance(node, exp.Anonymous) and node.name.lower() in ("listagg", "string_agg")


def _place(frame: exp.Expr, edge: str) -> int:
    """Where a bound lies, as far as its words tell: from UNBOUNDED PRECEDING to UNBOUNDED FOLLOWING."""
    value, side = str(frame.args[edge]).upper(), str(frame.args.get(f"{edge}_side")).upper()
    if value == "CURRENT ROW":
        return 0
    far = 2 if value == "UNBOUNDED" else 1
    return -far if side == "PRECEDING" else far
