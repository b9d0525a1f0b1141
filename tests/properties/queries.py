"""Random queries as text, and random data, over the sample catalog.

A query is drawn top-down: a block (plain, grouped, aggregated, distinct, analytic, set operation, top rows) gives
columns of wanted kinds (``i`` integer, ``d`` double, ``s`` string), its FROM the columns that expressions may read.
Doubles are multiples of 0.5, so that sums are exact; what is ordered is ordered by every column, so that it is total.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from properties.drawn_values import Column, DrawnValues
from sample import Values

SEVERAL = settings(
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
"""How properties are checked: the same cases every time, none made smaller."""

_SIZES = st.lists(st.integers(0, 4), max_size=6)
CUTS = st.fixed_dictionaries({"s": _SIZES, "r": _SIZES})
"""How the streams are cut into batches; the last one has what is left."""

TABLES: dict[str, str] = {"t": "k:i a:i c:s", "u": "k:i b:i", "f": "k:i a:i c:s"}
STREAMS: dict[str, str] = {"s": "k:i v:d n:i", "r": "k:i x:i c:s"}

JOINS = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"]

TIME_WINDOWS = [
    "RANGE 3 SECONDS SLIDE 2 SECONDS",
    "RANGE 2 SECONDS SLIDE 3 SECONDS",
    "RANGE 4 SECONDS SLIDE 4 SECONDS",
    "FIXED 4 SECONDS SLIDE 2 SECONDS",
    "FIXED 3 SECONDS SLIDE 3 SECONDS",
    "LANDMARK SLIDE 4 SECONDS",
    "LANDMARK SLIDE 2 SECONDS RESET EVERY 6 SECONDS",
    "LANDMARK FROM TIMESTAMP '1970-01-01 00:00:02Z' SLIDE 3 SECONDS",
    "LANDMARK FROM TIMESTAMP '1970-01-01 00:00:01Z' SLIDE 2 SECONDS RESET EVERY 4 SECONDS",
]
LATEST = ["LATEST BY k", "LATEST BY k DELETE WHEN (NUMBER = 2)", "LATEST BY k, NUMBER"]
"""NUMBER stands for a column that both streams have, under names of their own."""

EVERY_INSTANT = ["RANGE 2 SECONDS", "FIXED 3 SECONDS", "NOW", "UNBOUNDED"]
AT_INSTANTS_WITH_LATEST = [*LATEST, "NOW", "RANGE 2 SECONDS"]
AT_BOUNDARIES_WITH_LATEST = [
    *(f"{window} SLIDE {slide} SECONDS" for window, slide in zip(LATEST, (2, 1, 3), strict=True)),
    "LATEST BY k DELETE WHEN (NUMBER = 2) SLIDE 3 SECONDS",
    "RANGE 3 SECONDS SLIDE 2 SECONDS",
]
SESSIONS = ["SESSION 2 SECONDS PARTITION BY k", "SESSION 1 SECOND", "SESSION 1500 MILLISECONDS PARTITION BY NUMBER, k"]
ROW_WINDOWS = ["ROWS 3 SLIDE 2", "ROWS 2", "PARTITION BY k ROWS 2 SLIDE 3", "LANDMARK SLIDE 3 ROWS"]
NO_WINDOW = [""]
FORMS = (NO_WINDOW, TIME_WINDOWS, EVERY_INSTANT, ROW_WINDOWS)


def queries(forms: Sequence[Sequence[str]] = FORMS) -> st.SearchStrategy[str]:
    """Texts of queries, under windows of one of the forms. Drawn by seed: far more even than choice by choice."""
    return st.integers(0, 2**32 - 1).map(lambda seed: query(Random(seed), forms))


def query(random: Random, forms: Sequence[Sequence[str]] = FORMS) -> str:
    grammar = Grammar(DrawnValues(random), random.choice(forms))
    kinds = "".join(random.choices("iids", k=random.randint(1, 3)))
    text = grammar.block(kinds, depth=2, outer=[])
    emission = grammar.draw.pick("", "", "", "ISTREAM", "DSTREAM") if "SLIDE" in text else ""
    return f"{emission} ({text})" if emission else text


@dataclass
class Grammar:
    """Draws the clauses of a query; `windows` are what a stream may stand under."""

    draw: DrawnValues
    windows: Sequence[str]
    aliases: int = 0
    budget: int = 5

    def alias(self) -> str:
        self.aliases += 1
        return f"q{self.aliases}"

    # Blocks

    def block(self, kinds: str, depth: int, outer: list[Column]) -> str:
        forms = [self.plain, self.plain, self.grouped, self.aggregated]
        if depth > 0:
            forms += [self.distinct, self.analytic, self.set_operation, self.top]
        text: str = self.draw.pick(*forms)(kinds, depth, outer)
        return text

    def plain(self, kinds: str, depth: int, outer: list[Column]) -> str:
        tables, scope = self.sources(depth)
        names = self.draw.named(self.draw.value(kind, scope, outer) for kind in kinds)
        return f"SELECT {names} FROM {tables}{self.where(scope, depth, outer)}"

    def distinct(self, kinds: str, depth: int, outer: list[Column]) -> str:
        return self.plain(kinds, depth, outer).replace("SELECT", "SELECT DISTINCT", 1)

    def grouped(self, kinds: str, depth: int, outer: list[Column]) -> str:
        tables, scope = self.sources(depth)
        keys = [
            self.draw.column("i", scope),
            *([self.draw.value("i", scope, [])] if self.draw.pick(True, False, False) else []),
        ]
        keys = list(dict.fromkeys(keys))
        chosen = [
            keys[i] if i < len(keys) and kind == "i" else self.draw.aggregate(kind, scope)
            for i, kind in enumerate(kinds)
        ]
        having = f" HAVING {self.draw.having(keys, scope)}" if self.draw.pick(True, False) else ""
        where = self.where(scope, depth, outer)
        return f"SELECT {self.draw.named(chosen)} FROM {tables}{where} GROUP BY {', '.join(keys)}{having}"

    def aggregated(self, kinds: str, depth: int, outer: list[Column]) -> str:
        tables, scope = self.sources(depth)
        names = self.draw.named(self.draw.aggregate(kind, scope) for kind in kinds)
        return f"SELECT {names} FROM {tables}{self.where(scope, depth, outer)}"

    def analytic(self, kinds: str, depth: int, outer: list[Column]) -> str:
        tables, scope = self.sources(depth)
        everything = ", ".join(name for name, _ in scope)
        partition = self.draw.column("i", scope)
        number = self.draw.column("i", scope)
        function = self.draw.pick(
            f"row_number() OVER (PARTITION BY {partition} ORDER BY {everything})",
            f"rank() OVER (ORDER BY {number})",
            f"sum({number}) OVER (PARTITION BY {partition})",
            f"sum({number}) OVER (PARTITION BY {partition} ORDER BY {self.draw.column('i', scope)})",
            f"lag({number}) OVER (ORDER BY {everything})",
            f"max({number}) OVER (ORDER BY {everything} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
        )
        inner = self.alias()
        names = self.draw.named([*(self.draw.value(kind, scope, outer) for kind in kinds), function, partition])
        columns = ", ".join(
            [*(f"c{i}" for i in range(1, len(kinds))), *self.draw.pick(["c0"], [f"c{len(kinds)} AS c0"])]
        )
        bound = f"c{len(kinds) + 1} > 1" if self.draw.pick(True, False) else f"c{len(kinds)} < 3"
        wanted = columns if kinds[0] == "i" else ", ".join(f"c{i}" for i in range(len(kinds)))
        ordered = ", ".join(sorted(wanted.split(", "), key=lambda c: c.split(" AS ")[-1]))
        where = self.where(scope, depth, outer)
        return f"SELECT {ordered} FROM (SELECT {names} FROM {tables}{where}) {inner} WHERE {bound}"

    def set_operation(self, kinds: str, depth: int, outer: list[Column]) -> str:
        operator = self.draw.pick(
            "UNION ALL", "UNION ALL", "UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"
        )
        both = f"{self.block(kinds, depth - 2, outer)} {operator} {self.block(kinds, depth - 2, outer)}"
        if self.draw.pick(True, False):
            return both
        alias = self.alias()
        scope = [(f"{alias}.c{i}", kind) for i, kind in enumerate(kinds)]
        if self.draw.pick(True, False):
            names = self.draw.named(name for name, _ in scope)
        else:
            names = self.draw.named(self.draw.aggregate(kind, scope) for kind in kinds)
        return f"SELECT {names} FROM ({both}) {alias}{self.where(scope, 0, [])}"

    def top(self, kinds: str, depth: int, outer: list[Column]) -> str:
        order = ", ".join(f"{i + 1}{self.draw.pick('', ' DESC')}" for i in range(len(kinds)))
        offset = self.draw.pick("", " OFFSET 1")
        alias = self.alias()
        names = self.draw.named(f"{alias}.c{i}" for i in range(len(kinds)))
        inner = self.block(kinds, depth - 1, outer)
        return f"SELECT {names} FROM ({inner}) {alias} ORDER BY {order} LIMIT {self.draw.pick(1, 2, 3)}{offset}"

    # FROM and WHERE

    def sources(self, depth: int) -> tuple[str, list[Column]]:
        text, scope = self.source(depth)
        for _ in range(self.draw.pick(0, 0, 1, 1, 2) if depth > 0 else self.draw.pick(0, 0, 1)):
            kind = self.draw.pick(*JOINS, "LATERAL")
            if kind == "LATERAL" and depth > 0:
                alias = self.alias()
                inner = self.block("i", 0, scope)
                join, on = self.draw.pick(
                    (", ", ""), (" LEFT JOIN ", " ON true"), (" LEFT JOIN ", f" ON {alias}.c0 > 1")
                )
                text, scope = f"{text}{join}LATERAL ({inner}) {alias}{on}", [*scope, (f"{alias}.c0", "i")]
                continue
            kind = "JOIN" if kind == "LATERAL" else kind
            other, right = self.source(depth - 1)
            condition = self.condition([*scope, *right], right)
            text = f"{text} {kind} {other} ON {condition}"
            scope = scope if kind.endswith(("SEMI JOIN", "ANTI JOIN")) else [*scope, *right]
        return text, scope

    def condition(self, scope: list[Column], right: list[Column]) -> str:
        left = [c for c in scope if c not in right]
        equal = f"{self.draw.column('i', left)} {self.draw.pick('=', '=', '<=>', '<')} {self.draw.column('i', right)}"
        return f"{equal} AND {self.draw.simple(scope)}" if self.draw.pick(True, False) else equal

    def source(self, depth: int) -> tuple[str, list[Column]]:
        alias = self.alias()
        if depth > 0 and self.draw.pick(True, False, False):
            return f"({self.block('id', depth - 1, [])}) {alias}", [(f"{alias}.c0", "i"), (f"{alias}.c1", "d")]
        name = self.draw.pick("s", "s", "r", "t", "u", "f")
        columns = [(f"{alias}.{n}", k) for n, k in (c.split(":") for c in (TABLES | STREAMS)[name].split())]
        window = self.draw.pick(*self.windows) if name in STREAMS else ""
        window = window.replace("NUMBER", {"s": "n", "r": "x"}.get(name, ""))
        return f"{name} [{window}] {alias}" if window else f"{name} {alias}", columns

    def where(self, scope: list[Column], depth: int, outer: list[Column]) -> str:
        parts = [self.draw.simple(scope) for _ in range(self.draw.pick(0, 0, 1, 2))]
        if outer and (not parts or self.draw.pick(True, False, False)):
            parts.append(
                f"{self.draw.column('i', scope)} {self.draw.pick('=', '=', '<', '<=>')} {self.draw.column('i', outer)}"
            )
        if depth > 0 and self.budget > 0 and self.draw.pick(True, False):
            self.budget -= 1
            parts.append(self.subquery(scope))
        return f" WHERE {' AND '.join(parts)}" if parts else ""

    def subquery(self, scope: list[Column]) -> str:
        seen = scope if self.draw.pick(True, True, False) else []
        inner = self.block("i", self.draw.pick(0, 0, 1), seen)
        value = self.draw.column("i", scope)
        negated = self.draw.pick("", "NOT ")
        return str(
            self.draw.pick(
                f"{negated}EXISTS ({inner})",
                f"{value} {negated}IN ({inner})",
                f"{value} {self.draw.pick('<', '>=', '=')} ({self.aggregated('i', 0, seen)})",
                f"({value} IN ({inner}) OR {self.draw.simple(scope)})",
                f"(SELECT min(z.c0) FROM ({inner}) z) IS {negated}NULL",
            )
        )


_KEYS = (None, 1, 1, 2, 2, 3)
_NUMBERS = (None, 0, 1, 2, 20)
_HALVES = (None, -1.5, 0.0, 0.5, 2.5)
_TEXTS = (None, "x", "y")
SECONDS = (0.0, 0.5, 1.0, 1.0, 2.0, 3.5, 4.0, 9.0)


def data() -> st.SearchStrategy[dict[str, Values]]:
    """Rows of every stream and table; sometimes none."""
    return st.integers(0, 2**32 - 1).map(lambda seed: rows(Random(seed)))


def rows(random: Random) -> dict[str, Values]:
    def some(most: int, *columns: Sequence[Any]) -> Values:
        size = random.choice([0, *range(2, most + 1), most, most])
        return [tuple(map(random.choice, columns)) for _ in range(size)]

    return {
        "s": some(7, SECONDS, _KEYS, _HALVES, _NUMBERS),
        "r": some(5, SECONDS, _KEYS, _NUMBERS, _TEXTS),
        "t": some(5, _KEYS, _NUMBERS, _TEXTS),
        "u": some(5, _KEYS, _NUMBERS),
        "f": some(3, _KEYS, _NUMBERS, _TEXTS),
    }
