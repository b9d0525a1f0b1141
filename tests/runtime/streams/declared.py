"""Streams as they are declared, and rows for them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from datacell.algebra.definitions import StreamDefinition
from datacell.algebra.plan import Plan
from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Inputs, run_once
from sample import defined, engine

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)
GUARDED = """CREATE STREAM s (ts TIMESTAMP, k INT NOT NULL, v DOUBLE CHECK (v >= 0), d DATE,
                              WATERMARK FOR ts AS ts - INTERVAL 1 SECOND)"""
UNCHECKED = "CREATE STREAM s (ts TIMESTAMP, k INT NOT NULL, d DATE, WATERMARK FOR ts AS ts)"


def stream_of(text: str, name: str = "s") -> StreamDefinition:
    found = defined(text).stream(name)
    assert found is not None
    return found


def rows_of(stream: StreamDefinition, *rows: tuple[Any, ...]) -> pa.Table:
    schema = arrow_schema(Schema(stream.fields))
    return pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema)


class Counted:
    """DuckDB, and how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, plan: Plan, inputs: Inputs) -> pa.Table:
        self.calls += 1
        return run_once(engine(), plan, inputs)
