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
    "atomic": types.STRING,
    "array": types.array(types.NULL),
    "map": types.map_of(types.NULL, types.NULL),
    "struct": types.struct(),
    "unit": types.NULL,
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
    "orderable": lambda t: is_orderable(t),
    "hashable": lambda t: not _contains(t, "map", "variant"),
    "atomic": lambda t: is_atomic(t),
    "array": lambda t: t.name == "array",
    "map": lambda t: t.name == "map",
    "struct": lambda t: t.name == "struct",
    "unit": lambda t: t == types.NULL,
}

_DESCRIPTIONS: Mapping[str, str] = {
    "any": "any value",
    "number": "a number",
    "integer": "an integer",
    "fraction": "a float or a double",
    "decimal": "a decimal",
    "instant": "a timestamp",
    "daytime": "a day-time interval",
    "yearmonth": "a year-month interval",
    "ansi_interval": "an interval",
    "interval": "an interval",
    "orderable": "a value that can be ordered",
    "hashable": "a value other than a map",
    "atomic": "a plain value",
    "unit": "a unit such as DAY",
}


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


def describe(name: str) -> str:
    """What a parameter wants, in words."""
    return _DESCRIPTIONS.get(name) or f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _contains(t: Type, *names: str) -> bool:
    return t.name in names or any(_contains(inner, *names) for inner in t.arguments)
