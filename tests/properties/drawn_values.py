"""Random scalar expressions as text, of the kinds ``i`` integer, ``d`` double, ``s`` string."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

Column = tuple[str, str]
"""A name as it is written, and its kind."""


@dataclass(frozen=True)
class DrawnValues:
    """Draws expressions over the columns of a scope."""

    random: Random

    def pick(self, *options: Any) -> Any:
        return self.random.choice(options)

    def simple(self, scope: list[Column]) -> str:
        a, b = self.column("i", scope), self.value("i", scope, [])
        return str(
            self.pick(
                f"{a} {self.pick('=', '<', '>=', '<>', '<=>')} {b}",
                f"{a} > {self.pick(0, 1, 2)}",
                f"{a} IS {self.pick('', 'NOT ')}NULL",
                f"{a} BETWEEN 1 AND {b}",
                f"{a} IN (1, 2, 20)",
                f"({a} > 1 OR {self.column('i', scope)} IS NULL)",
                f"NOT ({a} = {b})",
                f"coalesce({a}, 1) = 1",
            )
        )

    def value(self, kind: str, scope: list[Column], outer: list[Column]) -> str:
        if kind == "s":
            return str(self.pick(self.column("s", scope), "'x'"))
        name = self.column(kind, scope)
        if outer and kind == "i" and self.pick(True, False, False):
            return f"{name} + {self.column('i', outer)}"
        other = self.column("i", scope)
        return str(self.pick(name, name, f"{name} + 1", f"{name} * {other}", f"coalesce({name}, {other})", f"-{name}"))

    def aggregate(self, kind: str, scope: list[Column]) -> str:
        if kind == "s":
            return f"{self.pick('min', 'max')}({self.column('s', scope)})"
        name = self.column(kind, scope)
        functions = ["sum({})", "min({})", "max({})", "sum(DISTINCT {})"]
        functions += ["count({})", "count(*)", "count(DISTINCT {})"] if kind == "i" else ["avg({})"]
        call = str(self.pick(*functions)).format(name)
        return f"{call} FILTER (WHERE {self.simple(scope)})" if self.pick(True, False, False) else call

    def column(self, kind: str, scope: list[Column]) -> str:
        found = [name for name, k in scope if k == kind]
        return str(self.pick(*found)) if found else {"i": "1", "d": "0.5D", "s": "'y'"}[kind]

    def named(self, values: Any) -> str:
        return ", ".join(f"{value} AS c{i}" for i, value in enumerate(values))

    def having(self, keys: list[str], scope: list[Column]) -> str:
        on_key = f"{keys[0]} {self.pick('>', '<', '=')} {self.pick(1, 2)}"
        on_value = f"{self.aggregate('i', scope)} {self.pick('>', '<')} {self.pick(0, 2)}"
        return str(self.pick(on_key, on_value, f"{on_key} AND {on_value}"))
