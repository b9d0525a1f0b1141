"""Which types a parameter takes as they are, and which Spark casts for it when ANSI mode is off.

`exact` is the first choice, `implicit` the second: an overload that takes the arguments as they are is always
preferred to one that needs a cast. Both answer with the type that the function then sees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from datacell.algebra import types
from datacell.algebra.types import Type

Accept = Callable[[str, Type], Type | None]

_DEFAULTS: Mapping[str, Type] = {
    "any": types.NULL,
    "number": types.DOUBLE,
    "integer": types.INT,
    "fraction": types.DOUBLE,
    "decimal": types.decimal(38, 18),
    "instant": types.TIMESTAMP,
    "time": types.TIME,
    "daytime": types.DAY_TIME_INTERVAL,
    "yearmonth": types.YEAR_MONTH_INTERVAL,
    "ansi_interval": types.DAY_TIME_INTERVAL,
    "orderable": types.NULL,
    "hashable": types.NULL,
    "array": types.array(types.NULL),
    "map": types.map_of(types.NULL, types.NULL),
    "struct": types.struct(),
    "unit": types.NULL,
    "days": types.INT,
    "countable": types.NULL,
    "variable": types.NULL,
}

_MEMBERS: Mapping[str, Callable[[Type], bool]] = {
    "any": lambda _: True,
    "number": types.is_number,
    "integer": lambda t: t in types.INTEGERS,
    "fraction": lambda t: t in (types.FLOAT, types.DOUBLE),
    "decimal": lambda t: t.name == "decimal",
    "instant": lambda t: t in (types.TIMESTAMP, types.TIMESTAMP_NTZ),
    "time": lambda t: t.name.startswith("time("),
    "daytime": lambda t: types.is_interval(t) and any(unit in t.name for unit in ("day", "hour", "minute", "second")),
    "yearmonth": lambda t: types.is_interval(t) and ("year" in t.name or "month" in t.name),
    "ansi_interval": lambda t: types.is_interval(t) and t != types.CALENDAR_INTERVAL,
    "orderable": lambda t: not _contains(t, "map", "variant", "interval"),
    "hashable": lambda t: not _contains(t, "map", "variant"),
    "array": lambda t: t.name == "array",
    "map": lambda t: t.name == "map",
    "struct": lambda t: t.name == "struct",
    "unit": lambda t: t == types.NULL,
    "days": lambda t: t in (types.TINYINT, types.SMALLINT, types.INT, types.STRING),
    "countable": lambda t: t == types.BOOLEAN or types.is_number(t) or types.is_time(t) or t == types.STRING,
    "variable": lambda t: not _contains(t, "map", "struct") and not types.is_interval(t),
}

_DESCRIPTIONS: Mapping[str, str] = {
    "number": "a number",
    "interval": "an interval",
    "orderable": "a value that can be ordered",
    "any": "any value",
    "fraction": "a number",
    "double": "a number",
    "float": "a number",
    "decimal": "a number",
    "integer": "an integer",
    "bigint": "an integer",
    "int": "an integer",
    "smallint": "an integer",
    "tinyint": "an integer",
    "instant": "a timestamp",
    "daytime": "a day-time interval",
    "yearmonth": "a year-month interval",
    "ansi_interval": "an interval",
    "hashable": "a value other than a map",
    "unit": "a unit such as DAY",
    "days": "a number of days",
    "countable": "a plain value",
    "variable": "a value that a variant can hold",
}
COVERED = (("a number", "an integer"),)
"""What need not be said once something wider is said."""


def exact(name: str, given: Type) -> Type | None:
    """The type given, if a parameter of this name takes it without a cast."""
    member = _MEMBERS.get(name)
    if member is None:
        return given if given == types.of(name) else None
    return given if member(given) else None


def implicit(name: str, given: Type) -> Type | None:
    """The type that the function sees after Spark's implicit cast, or None if there is none."""
    found = exact(name, given)
    if found is not None:
        return found
    wanted = _DEFAULTS.get(name) or types.of(name)
    if given == types.NULL or (name in ("number", "fraction", "decimal", "instant") and given == types.STRING):
        return wanted
    if name == "decimal" and given in types.INTEGERS:
        return types.as_decimal(given)
    if name == "decimal" and given in (types.FLOAT, types.DOUBLE):
        return types.decimal(14, 7) if given == types.FLOAT else types.decimal(30, 15)
    if name == "instant":
        return wanted if given == types.DATE else None
    return wanted if name not in _MEMBERS and can_cast(given, wanted) else None


def can_cast(given: Type, wanted: Type) -> bool:
    """Whether Spark casts an argument to a type without being asked."""
    if given in (wanted, types.NULL):
        return True
    if given.name == wanted.name and given.name in ("array", "map"):
        return all(can_cast(a, b) for a, b in zip(given.arguments, wanted.arguments, strict=True))
    if wanted == types.STRING:
        return is_atomic(given)
    if types.is_number(wanted):
        return types.is_number(given) or given == types.STRING
    if types.is_time(wanted):
        return types.is_time(given) or given == types.STRING
    return wanted == types.BINARY and given == types.STRING


def is_atomic(t: Type) -> bool:
    return not t.arguments and t.name not in ("array", "map", "struct", "interval", "void")


def is_orderable(t: Type) -> bool:
    return not _contains(t, "map", "variant", "interval")


def comparable(a: Type, b: Type) -> bool:
    """Whether Spark finds one type to compare both in."""
    if any(_contains(t, "map", "variant", "interval") for t in (a, b)):
        return False
    if types.STRING in (a, b):
        return all((is_atomic(t) and not types.is_interval(t)) or t == types.NULL for t in (a, b))
    if types.BOOLEAN in (a, b) and (types.is_number(a) or types.is_number(b)):
        return True
    if a.arguments and b.arguments:
        inner = zip(a.arguments, b.arguments, strict=False)
        return a.name == b.name and len(a.arguments) == len(b.arguments) and all(holds(x, y) for x, y in inner)
    return types.common(a, b) is not None


def by_way_of_text(a: Type, b: Type) -> bool:
    """Whether the common type of two types is one that only text makes possible."""
    if a.name == b.name and a.arguments:
        return any(by_way_of_text(x, y) for x, y in zip(a.arguments, b.arguments, strict=False))
    return (a == types.STRING) != (b == types.STRING) and types.NULL not in (a, b)


def holds(a: Type, b: Type) -> bool:
    """Whether one of two types holds the values of the other as they are."""
    if types.common(a, b) is None or by_way_of_text(a, b):
        return False
    decimals = [t for t in (a, b) if t.name == "decimal"]
    return not decimals or a == b or (len(decimals) == 1 and types.common(a, b) in decimals)


def describe(name: str) -> str:
    """What a parameter wants, in words."""
    return _DESCRIPTIONS.get(name) or describe_exactly(name)


def describe_exactly(name: str) -> str:
    """What a parameter wants that takes no cast: the type itself, unless its name is a class of types."""
    if name in _MEMBERS and name in _DESCRIPTIONS:
        return _DESCRIPTIONS[name]
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _contains(t: Type, *names: str) -> bool:
    return t.name in names or any(_contains(inner, *names) for inner in t.arguments)
