"""What is known of the data: declared with a stream, observed in runs, or a default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from datacell.algebra.tree import Key
from datacell.errors import SqlError

RATE = 1000.0
"""Rows per second of a stream that nothing is known of."""

TABLE = 1000.0
"""Rows of a table that nothing is known of."""

BATCH = 1.0
"""Seconds between micro-batches: what a stream brings in between is ingested at once."""

PRIME = "′"
"""What columns that the system adds to plans have in their names."""

_RATE, _DISTINCT = "datacell.rate", "datacell.distinct."


@dataclass(frozen=True)
class Statistics:
    """Rows per second by stream, rows by table, distinct values by column, rows by operator where they were seen."""

    rates: Mapping[str, float] = field(default_factory=dict)
    tables: Mapping[Key, float] = field(default_factory=dict)
    distinct: Mapping[str, float] = field(default_factory=dict)
    seen: Mapping[int, float] = field(default_factory=dict)
    """By the operator's identity: what it put out, on average, when it ran."""

    def adding(self, tables: Mapping[Key, float], distinct: Mapping[str, float] | None = None) -> Statistics:
        """What is known, and that of the tables and columns of one plan."""
        return replace(self, tables={**self.tables, **tables}, distinct={**self.distinct, **(distinct or {})})

    def rate(self, stream: str) -> float:
        return self.rates.get(stream.lower(), RATE)

    def table(self, key: Key) -> float:
        return self.tables.get(key, TABLE)

    def values(self, column: str) -> float | None:
        """Distinct values of a column, whatever it is qualified with. Ours end with a prime, or with several."""
        name = column.rsplit(".", 1)[-1].lower()
        return self.distinct.get(f"{name.rstrip(PRIME)}{PRIME}" if name.endswith(PRIME) else name)


def declared(stream: str, options: Iterable[tuple[str, str]]) -> Statistics:
    """``WITH ('datacell.rate' = '2000', 'datacell.distinct.plug' = '40')``: what the user says of a stream."""
    rates, distinct = {}, {}
    for name, value in options:
        if name.lower() == _RATE:
            rates[stream.lower()] = _number(name, value)
        elif name.lower().startswith(_DISTINCT):
            distinct[name.lower().removeprefix(_DISTINCT)] = _number(name, value)
    return Statistics(rates, {}, distinct)


def is_declaration(option: str) -> bool:
    """Is an option of a stream for us, and not for its source?"""
    return option.lower() == _RATE or option.lower().startswith(_DISTINCT)


def together(several: Iterable[Statistics]) -> Statistics:
    """What is known of several streams."""
    rates: dict[str, float] = {}
    distinct: dict[str, float] = {}
    for one in several:
        rates |= one.rates
        distinct |= one.distinct
    return Statistics(rates, {}, distinct)


def _number(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise SqlError(f"{name} is {value!r}", hint="give a positive number")
    return number
