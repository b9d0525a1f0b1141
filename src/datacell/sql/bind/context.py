"""What binding a statement needs everywhere: the text, the catalog, the windows cut out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from datacell.algebra.types import Type
from datacell.algebra.window import WindowSpec, counts_rows
from datacell.errors import SqlError, StreamRuleError, UnsupportedError
from datacell.sql.bind.scope import Names
from datacell.sql.catalog import Catalog
from datacell.sql.text.source import Source
from datacell.sql.text.windows import PlacedWindow


@dataclass(frozen=True)
class Typed:
    """A bound expression and its type."""

    value: exp.Expr
    type: Type


@dataclass(frozen=True)
class Context:
    """One per statement. In a one-time query a stream's name means the rows in its basket now."""

    source: Source
    catalog: Catalog
    windows: Mapping[int, PlacedWindow]
    continuous: bool
    names: Names = field(default_factory=Names)
    stream_nodes: dict[str, exp.Expr] = field(default_factory=dict)
    """Where each stream of the plan stands in the text, by its alias in the plan."""
    read_windows: set[int] = field(default_factory=set)
    """The windows that some stream has, by their position."""
    read_ctes: set[int] = field(default_factory=set)
    """The named subqueries that something reads, by the identity of their nodes."""

    called: tuple[str, ...] = ()
    """The names that Spark gives to the columns of the answer, where these are not named and it can be asked."""

    @property
    def window_specs(self) -> list[WindowSpec]:
        return [placed.window for placed in self.windows.values()]

    @property
    def counts_rows(self) -> bool:
        return any(map(counts_rows, self.window_specs))

    def error(self, message: str, node: exp.Expr, hint: str | None = None) -> SqlError:
        return self.source.error(message, node, hint)

    def rule(self, message: str, node: exp.Expr, hint: str | None = None) -> StreamRuleError:
        """What streams and windows do not allow."""
        return self.source.rule(message, node, hint)

    def unsupported(self, message: str, node: exp.Expr, hint: str | None = None) -> UnsupportedError:
        """What is not understood here, but may be right."""
        return UnsupportedError(message, place=self.source.at(node), hint=hint)
