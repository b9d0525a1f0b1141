"""The user's functions: what Spark knows of them, and how a session comes to know those of another.

A function that was registered in a session (in Python, for pandas or Arrow, or in Java) belongs to that session alone,
and queries run in others. Spark has no public way to hand it on, so it is done as Spark itself does it when it clones a
session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pyspark.sql import SparkSession

from datacell.algebra.analysis import Analysis, AnalysisError, CalledFunction
from datacell.errors import in_backticks

_RANDOM = "deterministic"
_TWO_ROWS = "SELECT 1 FROM VALUES (1), (2) AS two_rows(x)"

Asked = Callable[[str], Analysis]


def called_function(asked: Asked, name: str, count: int) -> CalledFunction | None:
    """What a function of so many arguments is, by what Spark says of queries that call it; None if there is none.

    Spark joins laterally with nothing that may give other rows each time, and has no aggregate in WHERE.
    """
    call = f"{in_backticks(name)}({', '.join(['NULL'] * count)})"
    try:
        found = asked(f"SELECT {call} AS y")
    except AnalysisError:
        return None
    random = _refusal(asked, f"{_TWO_ROWS}, LATERAL (SELECT {call} AS y)")
    in_where = _refusal(asked, f"{_TWO_ROWS} WHERE {call} IS NULL")
    return CalledFunction(found.columns[0][1], bool(in_where), _RANDOM not in random.lower(), found.calls)


def _refusal(asked: Asked, text: str) -> str:
    try:
        asked(text)
    except AnalysisError as refused:
        return refused.message
    return ""


def hand_on(owner: SparkSession, *others: SparkSession) -> bool:
    """Make the functions that were registered in one session known in others, as they are now; were there any?"""
    found = False
    for kind in ("functionRegistry", "tableFunctionRegistry"):
        given = _registry(owner, kind)
        for name in list(_registered(given)):
            found = True
            for other in others:
                known = _registry(other, kind)
                known.registerFunction(name, given.lookupFunction(name).get(), given.lookupFunctionBuilder(name).get())
    return found


def _registry(session: SparkSession, kind: str) -> Any:
    return getattr(session._jsparkSession.sessionState(), kind)()


def _registered(registry: Any) -> Iterator[Any]:
    """The functions that are not Spark's own."""
    names = registry.listFunction().iterator()
    while names.hasNext():
        name = names.next()
        if not name.database().isEmpty() and name.database().get() == "session":
            yield name
