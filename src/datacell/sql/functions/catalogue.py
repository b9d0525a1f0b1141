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
from datacell.sql.functions.refused import REFUSED, UNREPEATABLE
from datacell.sql.functions.signature import Signature, read


class FunctionKind(Enum):
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
    kind: FunctionKind
    signatures: tuple[Signature, ...]
    refused: str | None = None

    @property
    def is_unrepeatable(self) -> bool:
        """Where it is refused: because its answer depends on more than the rows that it is given?"""
        return self.name in UNREPEATABLE or self.name.lower() not in _catalogue()


_TABLES = (
    (FunctionKind.SCALAR, strings.SCALAR),
    (FunctionKind.SCALAR, numbers.SCALAR),
    (FunctionKind.SCALAR, times.SCALAR),
    (FunctionKind.SCALAR, collections.SCALAR),
    (FunctionKind.SCALAR, conditions.SCALAR),
    (FunctionKind.SCALAR, documents.SCALAR),
    (FunctionKind.SCALAR, sketches.SCALAR),
    (FunctionKind.SCALAR, rare.SCALAR),
    (FunctionKind.AGGREGATE, aggregates.AGGREGATE),
    (FunctionKind.AGGREGATE, sketches.AGGREGATE),
    (FunctionKind.RANKING, ranking.RANKING),
    (FunctionKind.GENERATOR, ranking.GENERATOR),
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
    kinds: dict[str, FunctionKind] = {}
    for kind, table in _TABLES:
        for line in filter(None, map(str.strip, table.splitlines())):
            spelled, signature = read(line)
            for name in spelled:
                signatures[name].append(signature)
                kinds[name] = kind
    return {
        name: Function(name, kinds.get(name, FunctionKind.SCALAR), tuple(signatures[name]), REFUSED.get(name))
        for name in (*kinds, *(name for name in REFUSED if name not in kinds))
    }
