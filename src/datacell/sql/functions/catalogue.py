"""Every function of Spark SQL, by name: its kind, its signatures, or why it is refused.

The tables are text and are read once, when the first function is looked up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from datacell.sql.functions import (
    aggregates,
    collections,
    conditions,
    documents,
    numbers,
    ranking,
    rare,
    sketches,
    strings,
    times,
)
from datacell.sql.functions.refused import REFUSED
from datacell.sql.functions.signature import Signature, read


class Kind(Enum):
    SCALAR = "scalar"
    AGGREGATE = "aggregate"
    RANKING = "ranking"
    """Only with OVER."""
    GENERATOR = "generator"
    """Makes rows; its type is a struct of the columns it makes."""


@dataclass(frozen=True)
class Function:
    """A function by its Spark name; `refused` says why a continuous query cannot use it.

    A refused function has signatures if a query that runs once can use it.
    """

    name: str
    kind: Kind
    signatures: tuple[Signature, ...]
    refused: str | None = None


_TABLES = (
    (Kind.SCALAR, strings.SCALAR),
    (Kind.SCALAR, numbers.SCALAR),
    (Kind.SCALAR, times.SCALAR),
    (Kind.SCALAR, collections.SCALAR),
    (Kind.SCALAR, conditions.SCALAR),
    (Kind.SCALAR, documents.SCALAR),
    (Kind.SCALAR, sketches.SCALAR),
    (Kind.SCALAR, rare.SCALAR),
    (Kind.AGGREGATE, aggregates.AGGREGATE),
    (Kind.AGGREGATE, sketches.AGGREGATE),
    (Kind.RANKING, ranking.RANKING),
    (Kind.GENERATOR, ranking.GENERATOR),
)


def lookup(name: str) -> Function | None:
    """The function of this name, in any case of letters."""
    return _catalogue().get(name.lower())


def names() -> Iterable[str]:
    """The names of all functions that a query can use."""
    return (function.name for function in _catalogue().values() if function.refused is None)


@cache
def _catalogue() -> Mapping[str, Function]:
    signatures: defaultdict[str, list[Signature]] = defaultdict(list)
    kinds: dict[str, Kind] = {}
    for kind, table in _TABLES:
        for line in filter(None, map(str.strip, table.splitlines())):
            spelled, signature = read(line)
            for name in spelled:
                signatures[name].append(signature)
                kinds[name] = kind
    return {
        name: Function(name, kinds.get(name, Kind.SCALAR), tuple(signatures[name]), REFUSED.get(name))
        for name in (*kinds, *(name for name in REFUSED if name not in kinds))
    }
