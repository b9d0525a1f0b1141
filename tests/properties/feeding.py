"""The streams of the sample, fed to queries in cuts that are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Engine
from datacell.runtime.net.sharing import Sharing
from datacell.testing import Trial
from sample import Values, catalog, reference

Rows = list[dict[str, Any]]


def trial_of(engine: Engine, data: Mapping[str, Values], directory: Path | None, sharing: Sharing) -> Trial:
    """A net with the streams of the sample and nobody who reads them yet."""
    trial = Trial(directory=directory, tables=reference(data).tables, engine=engine, sharing=sharing)
    trial.catalog = catalog()
    for stream in catalog().streams.values():
        trial.add_stream(stream)
    return trial


def push(trial: Trial, stream: str, batch: Rows) -> None:
    fields = Schema(catalog().streams[stream].fields)
    trial.push(stream, pa.Table.from_pylist(batch, schema=arrow_schema(fields)))


def batches_of(random: Random, data: Mapping[str, Values]) -> Iterator[tuple[str, Rows]]:
    """The rows of the sample, cut at random: a stream and what comes of it next."""
    left = {name: list(feed.rows) for name, feed in reference(data).feeds.items()}
    while names := [name for name, rows in left.items() if rows]:
        name, size = random.choice(names), random.randint(1, 3)
        yield name, list(map(dict, left[name][:size]))
        left[name] = left[name][size:]
