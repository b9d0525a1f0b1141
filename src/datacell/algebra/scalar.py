"""Scalar expressions: sqlglot trees in one normal form, never mutated.

- a column is ``exp.Column`` with a quoted identifier and no table: its name is unique within the plan, ``p.value``;
- a column of an enclosing query (in the right side of an `Apply`) stands under the table name ``outer``;
- every function call is ``exp.Anonymous`` with Spark's name in lower case and Spark's argument order;
- ``window_end`` and its kin are placeholders: constants of the snapshot, filled in when it is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sqlglot import exp

OUTER = "outer"
WINDOW_START = "window_start"
WINDOW_END = "window_end"
VALID_FROM = "valid_from"
VALID_TO = "valid_to"


def column(name: str) -> exp.Column:
    return exp.Column(this=exp.Identifier(this=name, quoted=True))


def outer(name: str) -> exp.Column:
    return exp.Column(this=exp.Identifier(this=name, quoted=True), table=exp.Identifier(this=OUTER, quoted=True))


def call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])


def function_name(node: exp.Expr) -> str:
    """Of the function that an expression calls, be it under FILTER, OVER or the like; empty if there is none."""
    found = node if isinstance(node, exp.Anonymous) else node.find(exp.Anonymous)
    return found.name if found is not None else ""


def boundary() -> exp.Placeholder:
    """The boundary at which the snapshot is taken."""
    return exp.Placeholder(this=WINDOW_END)


def boundary_start() -> exp.Placeholder:
    """When the session began that is the snapshot."""
    return exp.Placeholder(this=WINDOW_START)


def is_outer(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and node.table == OUTER


def columns(node: exp.Expr) -> frozenset[str]:
    """The columns of the input that an expression reads."""
    return frozenset(c.name for c in node.find_all(exp.Column) if not is_outer(c))


def outer_columns(node: exp.Expr) -> frozenset[str]:
    """The columns of enclosing queries that an expression reads."""
    return frozenset(c.name for c in node.find_all(exp.Column) if is_outer(c))


def reads_boundary(node: exp.Expr) -> bool:
    """Does the value depend on when the snapshot is taken?"""
    return node.find(exp.Placeholder) is not None


def replace(node: exp.Expr, change: Callable[[exp.Expr], exp.Expr | None]) -> exp.Expr:
    """A copy with every node for which `change` gives a new one replaced, outermost first."""

    def step(found: exp.Expr) -> exp.Expr:
        new = change(found)
        return found if new is None else new

    return node.copy().transform(step, copy=False)


def substitute(node: exp.Expr, values: Mapping[str, exp.Expr]) -> exp.Expr:
    """A copy with input columns replaced by what `values` says they are."""

    def change(found: exp.Expr) -> exp.Expr | None:
        if isinstance(found, exp.Column) and not is_outer(found) and found.name in values:
            return _operand(values[found.name])
        return None

    return replace(node, change)


def substitute_outer(node: exp.Expr, values: Mapping[str, exp.Expr]) -> exp.Expr:
    """A copy with columns of enclosing queries replaced by what `values` says they are."""

    def change(found: exp.Expr) -> exp.Expr | None:
        return _operand(values[found.name]) if is_outer(found) and found.name in values else None

    return replace(node, change)


def conjuncts(predicate: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of a conjunction, left to right, without needless parentheses."""
    bare = predicate.unnest()
    if isinstance(bare, exp.And):
        yield from conjuncts(bare.this)
        yield from conjuncts(bare.expression)
    else:
        yield bare


def conjoin(parts: list[exp.Expr]) -> exp.Expr:
    """The conjunction of the parts; TRUE if there are none."""
    return exp.and_(*parts, copy=True) if parts else exp.true()


def show(node: exp.Expr) -> str:
    """One line of text for a plan: names bare, as a person would write them."""
    text = node.sql(dialect="spark", comments=False, normalize_functions="lower")
    for name in (WINDOW_START, WINDOW_END, VALID_FROM, VALID_TO):
        text = text.replace(f":{name}", name)
    return text.replace("`", "")


def _operand(value: exp.Expr) -> exp.Expr:
    copied = value.copy()
    return (
        exp.Paren(this=copied) if isinstance(copied, exp.Binary | exp.Not | exp.Is | exp.Between | exp.In) else copied
    )
