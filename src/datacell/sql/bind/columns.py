"""What a name in an expression means: a column, a field of it, a time column of a window, a name of the select list."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.types import STRING, TIMESTAMP, Type, collation, is_collated, uncollated
from datacell.algebra.window import WindowSpec, is_sampled
from datacell.errors import SqlError, did_you_mean, spelled
from datacell.sql.bind import typing, window_columns
from datacell.sql.bind.coercing import operand
from datacell.sql.bind.context import Context, Typed
from datacell.sql.bind.scope import Relation, Scope, Visible
from datacell.sql.functions import SignatureError

OPERATORS = (exp.Binary, exp.Unary, exp.Predicate, exp.Bracket)
"""Operators, under which an expression that takes a name's place needs parentheses."""


def collate(value: exp.Expr, name: str) -> exp.Expr:
    """Text that is compared by a collation; only Spark knows the function."""
    return scalar.call("collate", value, exp.Literal.string(name))


def which_spark_compares(context: Context, type_: Type, node: exp.Expr) -> SqlError:
    return context.unsupported(f"{node.name} is {type_}, which Spark compares", node)


class Columns:
    """Resolves the names of one clause over a scope."""

    def __init__(self, context: Context, scope: Scope, clause: str) -> None:
        self.context, self.scope, self.clause = context, scope, clause
        self.aliases: dict[str, Typed] = {}
        self.compares = False
        """May text with a collation be read? Where nothing is kept but rows, Spark compares it."""
        self.shown: exp.Expr | None = None
        """What is read only to be shown, and compared with nothing."""
        self.collated: exp.Expr | None = None
        """Where a collation was met."""
        self.later: set[str] = set()
        """Names that the select list will give; not yet in sight, but a reason for a better message."""

    def column(self, node: exp.Column) -> Typed:
        found = self._column(node)
        if not is_collated(found.type):
            return found
        self.collated = node
        plain = uncollated(found.type)
        is_near = self.compares and not scalar.outer_columns(found.value)
        if is_near and node is self.shown:
            return Typed(found.value, plain)
        if is_near and plain == STRING:
            return Typed(collate(found.value, collation(found.type)), STRING)
        raise which_spark_compares(self.context, found.type, node)  # partial results would be put together by bytes

    def _column(self, node: exp.Column) -> Typed:
        resolved = node.meta.get("visible")
        if resolved is not None:
            return Typed(scalar.column(resolved.column), resolved.type)
        parts = [part for part in node.parts if isinstance(part, exp.Identifier)]
        scope: Scope | None = self.scope
        while scope is not None:
            found = self._in_scope(scope, parts, node)
            if found is not None:
                return found
            if scope is self.scope and parts[0].name.lower() in self.aliases:
                break  # a name of the select list is nearer than a column of the query around this one
            scope = scope.parent
        given = self._time_column(parts, node) or self._alias(parts) or self._unknown(parts, node)
        return Typed(operand(given.value), given.type) if isinstance(node.parent, OPERATORS) else given

    def _in_scope(self, scope: Scope, parts: Sequence[exp.Identifier], node: exp.Column) -> Typed | None:
        for relation, rest in _split(scope, parts):
            name = rest[0].name
            found = relation.find(name) if relation else scope.find(name)
            if len(found) > 1:
                where = list(dict.fromkeys(r.alias for r in scope.relations if r.find(name) and r.alias))
                hint = (
                    f"write {' or '.join(f'{spelled(alias)}.{spelled(name)}' for alias in where)}"
                    if len(where) > 1
                    else "rename one of them"
                )
                raise self.context.error(f"column {name} is ambiguous", node, hint)
            if found:
                return self._fields(self._read(scope, found[0]), rest[1:])
            if relation is not None and len(parts) == 2:
                return self._window_column(relation, name, node) or self._no_such_column(relation, name, node)
        return None

    def _read(self, scope: Scope, found: Visible) -> Typed:
        """A column of this query, or of the one around it."""
        make = scalar.column if scope is self.scope else scalar.outer
        return Typed(make(found.column), found.type)

    def _fields(self, value: Typed, names: Sequence[exp.Identifier]) -> Typed:
        for name in names:
            dot = exp.Dot(this=value.value, expression=exp.Identifier(this=name.name, quoted=True))
            try:
                value = Typed(dot, typing.operator_type(dot, [value.type]))
            except SignatureError as error:
                raise self.context.error(error.message, name, did_you_mean(name.name, value.type.names)) from None
        return value

    def _window_column(self, relation: Relation, name: str, node: exp.Column) -> Typed | None:
        if relation.window is None or name.lower() not in ("window_start", "window_end"):
            return None
        if name.lower() == "window_end":
            return window_columns.own_end(relation.window, self.context.window_specs)
        return self._start(relation.window, node)

    def _time_column(self, parts: Sequence[exp.Identifier], node: exp.Column) -> Typed | None:
        name = parts[0].name.lower()
        windows = self.context.window_specs
        if len(parts) > 1 or not windows:
            return None
        sampled = any(map(is_sampled, windows))
        if name in (scalar.VALID_FROM, scalar.VALID_TO) and not sampled:
            return Typed(exp.Placeholder(this=name), TIMESTAMP)
        if name not in ("window_start", "window_end"):
            return None
        if not sampled:
            raise self.context.error(f"{name} needs a window with SLIDE", node, "use valid_from, or add SLIDE 1 SECOND")
        if name == "window_end":
            return window_columns.query_end(self.context.counts_rows)
        return self._window_start(windows, node)

    def _window_start(self, windows: Sequence[WindowSpec], node: exp.Column) -> Typed:
        near = [r.window for r in self.scope.relations if r.window is not None] or windows
        if len(set(near)) > 1:
            raise self.context.error("window_start is ambiguous: the windows differ", node, "write alias.window_start")
        return self._start(near[0], node)

    def _start(self, window: WindowSpec, node: exp.Column) -> Typed:
        start = window_columns.own_start(window, self.context.window_specs)
        if start is None:
            raise self.context.error(f"the window [{window}] has no start to name", node, "use window_end")
        return start

    def _alias(self, parts: Sequence[exp.Identifier]) -> Typed | None:
        found = self.aliases.get(parts[0].name.lower())
        return self._fields(Typed(found.value.copy(), found.type), parts[1:]) if found is not None else None

    def _no_such_column(self, relation: Relation, name: str, node: exp.Column) -> Typed:
        hint = did_you_mean(name, [c.name for c in relation.columns])
        raise self.context.error(f"{relation.alias} has no column {name}", node.this, hint)

    def _unknown(self, parts: Sequence[exp.Identifier], node: exp.Column) -> Typed:
        if len(parts) > 1:
            aliases = [r.alias for r in self.scope.relations if r.alias]
            hint = did_you_mean(parts[0].name, aliases)
            raise self.context.error(f"there is no table or stream {parts[0].name} in this FROM", parts[0], hint)
        name = parts[0].name
        message, hint = self._missing_time_column(name) or (f"there is no column {name}", self._hint(name))
        raise self.context.error(message, node, hint)

    def _hint(self, name: str) -> str | None:
        if name.lower() in self.later:
            return f"the select list names {name} only after {self.clause}: repeat its expression here"
        if name.strip("‘’“”") != name:
            return "use straight quotes: 'text'"
        if self.clause == "VALUES":
            return "VALUES takes constants"
        if not self.scope.relations and self.scope.parent is None and not self.aliases:
            return "there is nothing to read it from: add FROM"
        return did_you_mean(name, [*self.scope.column_names(), *self.aliases])

    def _missing_time_column(self, name: str) -> tuple[str, str] | None:
        """Why a column that only some windows have is not there."""
        if name.lower() in ("window_start", "window_end"):
            return f"{name} needs a window", "write FROM name [RANGE 5 MINUTES SLIDE 1 MINUTE]"
        if name.lower() not in (scalar.VALID_FROM, scalar.VALID_TO):
            return None
        hint = "use window_start and window_end" if self.context.windows else "write FROM name [RANGE 5 MINUTES]"
        return f"{name} needs a window in time without SLIDE", hint


def _split(scope: Scope, parts: Sequence[exp.Identifier]) -> list[tuple[Relation | None, Sequence[exp.Identifier]]]:
    """The readings of a dotted name: relation and column, or column and fields of it."""
    readings: list[tuple[Relation | None, Sequence[exp.Identifier]]] = []
    relation = scope.relation(parts[0].name) if len(parts) > 1 else None
    if relation is not None:
        readings.append((relation, parts[1:]))
    readings.append((None, parts))
    return readings
