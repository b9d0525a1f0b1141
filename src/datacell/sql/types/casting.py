"""Which casts Spark allows when it is asked for one, with ANSI mode off."""

from __future__ import annotations

from collections.abc import Callable

from datacell.algebra import types
from datacell.algebra.types import Type


def castable(given: Type, to: Type) -> bool:
    """Whether CAST makes sense; a value that does not fit becomes NULL, which is another matter."""
    if given in (to, types.NULL) or to == types.STRING:
        return True
    if given.name == to.name and given.arguments:
        inner = zip(given.arguments, to.arguments, strict=False)
        return len(given.arguments) == len(to.arguments) and all(castable(a, b) for a, b in inner)
    if _is_ansi_interval(given) and _is_ansi_interval(to):
        return types.common(given, to) is not None
    if given == types.VARIANT:
        return not _is_interval_or_null(to)
    if to == types.VARIANT:
        return _fits_variant(given)
    return any(takes(to) and gives(given) for takes, gives in _ALLOWED)


def _fits_variant(t: Type) -> bool:
    return t.name not in ("map", "struct") and not types.is_interval(t) and all(map(_fits_variant, t.arguments))


def _is_interval_or_null(t: Type) -> bool:
    return types.is_interval(t) or t == types.NULL


def _is_ansi_interval(t: Type) -> bool:
    return types.is_interval(t) and t != types.CALENDAR_INTERVAL


def _is_exact_number(t: Type) -> bool:
    return t in types.INTEGERS or t.name == "decimal"


def _is_plain(t: Type) -> bool:
    return not t.arguments and t.name not in ("array", "map", "struct")


def _one_of(*members: Type) -> Callable[[Type], bool]:
    return lambda t: t in members


_ALLOWED: tuple[tuple[Callable[[Type], bool], Callable[[Type], bool]], ...] = (
    (lambda to: _is_plain(to) and to not in (types.NULL, types.VARIANT), _one_of(types.STRING)),
    (types.is_number, types.is_number),
    (types.is_number, _one_of(types.BOOLEAN, types.DATE, types.TIMESTAMP)),
    (_one_of(types.BOOLEAN), types.is_number),
    (_one_of(types.BOOLEAN), _one_of(types.DATE, types.TIMESTAMP)),
    (_one_of(types.TIMESTAMP), types.is_number),
    (_one_of(types.TIMESTAMP), _one_of(types.BOOLEAN)),
    (types.is_time, types.is_time),
    (_one_of(types.BINARY), _one_of(*types.INTEGERS)),
    (_is_ansi_interval, _is_exact_number),
    (_is_exact_number, _is_ansi_interval),
)
