"""Drawn cases before the judge: what the reference says of them, and whether the running net says the same."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
from hypothesis import assume

from datacell.algebra.query import Query
from datacell.engines.protocol import Engine
from datacell.runtime.plans.plans import Plans
from reference import Answer, Reference
from runtime.netrun import Cuts, NetRun, Validity, snapshot, without_empty
from sample import Values, answers, bind, catalog, decided, nearly_in_order, reference

PlansOver = Callable[[Mapping[str, pa.Table]], Plans]
"""Plans that may read these tables."""


def judged(text: str, rows: dict[str, Values]) -> tuple[Query, Reference, list[Answer]]:
    """A query, the judge, and what it says.

    Only cases with an answer count: of those that are drawn, most would compare nothing with nothing.
    """
    assume("[" in text)  # some stream stands under a window
    query = bind(text)
    rows = nearly_in_order(rows)
    expected = answers(query, decided(query.plan), rows)
    assume(any(answer.rows for answer in expected))
    return query, reference(rows), expected


def answers_at_every_instant(engine: Engine, text: str, rows: dict[str, Values], cuts: Cuts) -> list[Validity]:
    """A query without SLIDE: every snapshot is the reference's."""
    query, judge, expected = judged(text, rows)
    with tempfile.TemporaryDirectory() as directory:
        net = NetRun(Path(directory), catalog(), judge, engine, query)
        net.deposit_all(cuts)
        net.scheduler.drain()
        found = net.validities()
    for answer in expected:
        assert snapshot(found, answer.boundary) == answer.rows, answer.boundary
    return found


def answers_as_the_reference_does(
    engine: Engine,
    text: str,
    rows: dict[str, Values],
    cuts: Cuts,
    incremental: bool,
    plans: PlansOver | None = None,
) -> None:
    query, judge, expected = judged(text, rows)
    with tempfile.TemporaryDirectory() as directory:
        chosen = None if plans is None else plans(judge.tables)
        net = NetRun(Path(directory), catalog(), judge, engine, query, incremental, chosen)
        assert without_empty(net.run(cuts)) == without_empty(expected)
