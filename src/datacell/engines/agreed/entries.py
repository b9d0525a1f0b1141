"""The language of the agreed tables: one line is one form of a call, and its spelling in DuckDB.

    length|len(string) -> int = length({0})          names, parameters, the type of the result, the spelling
    coalesce(T*) -> T = coalesce({*})                T is the common type of its arguments, * any number of them
    mod(N, N) -> N = ({0} % nullif({1}, 0))          the same, for numbers other than decimals
    upper(string) -> string = ascii upper({0})       only for text in ASCII: other text raises, and runs on Spark
    abs(number) -> 1 = abs({0})                      the type of argument 1
    sum(decimal) -> longer = sum({0})                a decimal of ten more digits
    ceil(decimal) -> whole = ceil({0})               a decimal without a fraction

A parameter is a type, a class of types (`integer`, `number`, `fraction`, `orderable`, `any`), `T` or `N`. An argument
of another type is cast only where Spark casts it too, and where the engines agree on the cast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import NULL, STRING, Type
from datacell.engines.agreed import casts
from datacell.engines.agreed.spelled import RefusedError, Spelled, as_type

_LINE = re.compile(r"(?P<names>[\w|]+)\((?P<parameters>.*?)\) -> (?P<result>\S+) = (?P<spelling>.+)")
_HOLE = re.compile(r"\{(\d|\*|\|\|)\}")
_ASCII = "ascii "

_CLASSES: Mapping[str, Callable[[Type], bool]] = {
    "any": lambda _: True,
    "integer": lambda t: t in types.INTEGERS,
    "fraction": lambda t: t in (types.FLOAT, types.DOUBLE),
    "decimal": lambda t: t.name == "decimal",
    "number": types.is_number,
    "orderable": lambda t: t != NULL,
}


@dataclass(frozen=True)
class Entry:
    """A form of a call on which the engines agree."""

    name: str
    parameters: tuple[str, ...]
    repeated: str | None
    result: str
    spelling: str

    @property
    def ascii_only(self) -> bool:
        return self.spelling.startswith(_ASCII)

    @property
    def template(self) -> str:
        return self.spelling.removeprefix(_ASCII)

    def accepts(self, count: int) -> bool:
        return count >= len(self.parameters) if self.repeated else count == len(self.parameters)

    def parameter(self, i: int) -> str:
        return self.parameters[i] if i < len(self.parameters) else self.repeated or ""

    def __str__(self) -> str:
        repeated = (f"{self.repeated}*",) if self.repeated else ()
        return f"{self.name}({', '.join((*self.parameters, *repeated))})"


Table = Mapping[str, tuple[Entry, ...]]


def read(table: str) -> Table:
    """The entries of a table by name, each name's forms in the order of the lines."""
    found: dict[str, tuple[Entry, ...]] = {}
    for line in filter(None, map(str.strip, table.splitlines())):
        matched = _LINE.fullmatch(line)
        assert matched is not None, line
        listed = [p.strip() for p in matched["parameters"].split(",") if p.strip()]
        repeated = listed.pop().removesuffix("*") if listed and listed[-1].endswith("*") else None
        for name in matched["names"].split("|"):
            entry = Entry(name, tuple(listed), repeated, matched["result"], matched["spelling"])
            found[name] = (*found.get(name, ()), entry)
    return found


def call(entries: Sequence[Entry], arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    """The spelling of a call, with exactly Spark's type."""
    found = bare(entries, arguments, node)
    exact = found.type in (STRING, types.BOOLEAN)
    return found if exact else Spelled(as_type(found.text, found.type), found.type, node)


def bare(entries: Sequence[Entry], arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    """By the first form that takes the arguments, without a cast around it: its DuckDB type may be a wider one."""
    reasons: list[str] = []
    for entry in entries:
        if not entry.accepts(len(arguments)):
            continue
        try:
            return _by(entry, arguments, node)
        except RefusedError as refused:
            reasons.extend(refused.reasons)
    if reasons:
        raise RefusedError(reasons[-1])
    raise RefusedError(f"{entries[0].name} with {len(arguments)} arguments")


def _by(entry: Entry, arguments: Sequence[Spelled], node: exp.Expr) -> Spelled:
    common = _common(entry, arguments)
    given = [_argument(entry, i, argument, common) for i, argument in enumerate(arguments)]
    text = filled(entry.template, [g.text for g in given])
    if entry.ascii_only:
        text = _ascii_only(text, [g.text for g in given if g.type == STRING])
    return Spelled(text, _result(entry, given, common), node)


def filled(template: str, texts: Sequence[str]) -> str:
    """In one pass: an argument may contain what looks like a hole."""
    joined = {"*": ", ".join(texts), "||": " || ".join(texts)}
    return _HOLE.sub(lambda hole: joined.get(hole[1]) or texts[int(hole[1])], template)


def _common(entry: Entry, arguments: Sequence[Spelled]) -> Type:
    free = [a.type for i, a in enumerate(arguments) if entry.parameter(i) in ("T", "N")]
    found = types.common_of(free)
    wrong = "N" in entry.parameters and (found is None or found.name == "decimal" or not types.is_number(found))
    if wrong or found is None or (free and found == NULL) or not all(casts.widens(t, found) for t in free):
        raise RefusedError(f"{entry.name} of {' and '.join(dict.fromkeys(map(str, free)))}")
    return found


def _argument(entry: Entry, i: int, argument: Spelled, common: Type) -> Spelled:
    wanted = entry.parameter(i)
    if wanted in ("T", "N"):
        return casts.cast(argument, common)
    if wanted in _CLASSES:
        if not _CLASSES[wanted](argument.type):
            raise RefusedError(f"{entry.name} of {argument.type}")
        return argument
    target = types.of(wanted)
    if not _implicit(argument.type, target):
        raise RefusedError(f"{entry.name} of {argument.type}")
    return casts.cast(argument, target)


def _implicit(given: Type, wanted: Type) -> bool:
    """Spark turns anything into text, any time into a date or a timestamp, and a number into a wider one."""
    if wanted == STRING:
        return casts.agreed(given, STRING)
    times = types.is_time(given) and types.is_time(wanted)
    return times or casts.widens(given, wanted) or (wanted == types.BINARY and given == STRING)


def _result(entry: Entry, given: Sequence[Spelled], common: Type) -> Type:
    if entry.result in ("T", "N"):
        return common
    digits = given[0].type if given else NULL
    if entry.result == "longer":
        return types.decimal(min(types.MAX_PRECISION, digits.precision + 10), digits.scale)
    if entry.result == "whole":
        return digits if digits.scale == 0 else types.decimal(digits.precision - digits.scale + 1, 0)
    return given[int(entry.result) - 1].type if entry.result.isdigit() else types.of(entry.result)


def _ascii_only(text: str, strings: Sequence[str]) -> str:
    wide = " OR ".join(f"strlen({s}) <> length({s})" for s in strings)
    return f"CASE WHEN {wide} THEN error('text beyond ASCII') ELSE {text} END"
