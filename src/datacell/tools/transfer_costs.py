"""Measuring transfers: the same rows on the cluster and in the driver, in narrow tables and in wide ones.

Counting the values of files only reads them; selecting them brings them to the driver, too. Counting the values of a
table that is in the driver brings it to the cluster. Rows and bytes vary apart from each other, so each gets its cost.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from datacell.algebra.schema import Schema
from datacell.engines.protocol import Engine, Files, Source
from datacell.placement.costs import TransferCost
from datacell.placement.homes import row_bytes
from datacell.rewrite.rules import optimized
from datacell.sql import script
from datacell.tools.least_squares import fitted

SIZES = (1_000_000, 5_000, 100_000)
TIMES = 3
FILES = 2
"""So many files a table has: as many tasks read it."""
_COLUMNS = {"narrow": ("BIGINT", 1), "wide": ("DOUBLE", 12), "texts": ("STRING", 4)}
_LETTERS = 20
"""In a text, as many as the cost model takes it to have."""

FIXED, FIXED_IN, SCAN_ROW, SCAN_BYTE, OUT_ROW, OUT_BYTE, IN_ROW, IN_BYTE = range(8)


def measured(engine: Engine, folder: Path) -> tuple[TransferCost, TransferCost]:
    """To the cluster, and to the driver."""
    runs = list(_runs(engine, folder))
    costs = fitted(np.array([amounts for amounts, _ in runs]), np.array([seconds for _, seconds in runs]))
    return (
        TransferCost(float(costs[IN_ROW]), float(costs[IN_BYTE])),
        TransferCost(float(costs[OUT_ROW]), float(costs[OUT_BYTE])),
    )


def in_files(tables: Mapping[str, pa.Table], folder: Path) -> dict[str, Files]:
    """The same tables, as executors read them."""
    return {name: Files(tuple(_written(name, table, folder))) for name, table in tables.items()}


def _written(name: str, table: pa.Table, folder: Path) -> Iterator[str]:
    each = -(-len(table) // FILES)
    for number in range(FILES):
        path = folder / f"{name}-{len(table)}-{number}.parquet"
        pq.write_table(table.slice(number * each, each), path)
        yield str(path)


def _runs(engine: Engine, folder: Path) -> Iterator[tuple[np.ndarray, float]]:
    """How much of each cost a run takes, and its seconds."""
    for rows in SIZES:
        tables = {name: _table(name, rows) for name in _COLUMNS}
        files = in_files(tables, folder)
        for name in _COLUMNS:
            counted, selected, size = _texts(name, rows)
            read = {FIXED: 1.0, SCAN_ROW: rows, SCAN_BYTE: size}
            yield _amounts(read), _seconds(engine, counted, {name: files[name]})
            out = {**read, OUT_ROW: rows, OUT_BYTE: size}
            yield _amounts(out), _seconds(engine, selected, {name: files[name]})
            into = {FIXED_IN: 1.0, IN_ROW: rows, IN_BYTE: size}
            yield _amounts(into), _seconds(engine, counted, {name: tables[name]})


def _amounts(known: Mapping[int, float]) -> np.ndarray:
    return np.array([known.get(number, 0.0) for number in range(IN_BYTE + 1)])


def _seconds(engine: Engine, text: str, inputs: Mapping[str, Source]) -> float:
    prepared = engine.prepare(optimized(script.query(text, script.defined(_definitions()))).plan)
    found = []
    for _ in range(1 + TIMES):
        started = time.perf_counter()
        prepared.run(inputs)
        found.append(time.perf_counter() - started)
    prepared.close()
    return median(found[1:])


def _definitions() -> str:
    def columns(kind: str, count: int) -> str:
        return ", ".join(f"c{number} {kind}" for number in range(count))

    return "; ".join(f"CREATE TABLE {name} ({columns(*described)})" for name, described in _COLUMNS.items())


def _texts(name: str, rows: int) -> tuple[str, str, float]:
    """What counts all values, what selects them, and how many bytes these are."""
    names = [f"c{number}" for number in range(_COLUMNS[name][1])]
    counts = ", ".join(f"count({column}) AS n_{column}" for column in names)
    plan = script.query(f"SELECT {', '.join(names)} FROM {name}", script.defined(_definitions())).plan
    return (
        f"SELECT {counts} FROM {name}",
        f"SELECT {', '.join(names)} FROM {name}",
        rows * row_bytes(Schema(plan.schema.fields)),
    )


def _table(name: str, rows: int) -> pa.Table:
    chance = np.random.default_rng(1)
    kind, count = _COLUMNS[name]

    def column() -> pa.Array:
        match kind:
            case "BIGINT":
                return pa.array(chance.integers(0, 1 << 40, rows))
            case "DOUBLE":
                return pa.array(chance.random(rows))
        return pa.array([f"{number:0{_LETTERS}d}" for number in chance.integers(0, 1 << 40, rows)])

    return pa.table({f"c{number}": column() for number in range(count)})
