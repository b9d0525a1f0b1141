"""At every instant it makes no difference whether batches come as raw rows or as what the first stage made of them."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import run_once
from datacell.incremental.inputs import TIME, BasketRows
from datacell.intervals.validity import FROM
from datacell.runtime.instants.every_instant import AnswersAtEveryInstant
from datacell.runtime.net.reception import OfferedStaged
from datacell.runtime.streams.first_stage import Made, MadeOf, Staged, Wanted
from datacell.runtime.streams.gate import NOTHING_REJECTED
from properties.judging import judged
from properties.queries import CUTS, EVERY_INSTANT, SEVERAL, data, queries
from runtime.netrun import Cuts, NetRun, Rows, snapshot
from sample import Values, catalog, engine


@settings(SEVERAL, max_examples=25)
@given(queries(forms=(EVERY_INSTANT,)), data(), CUTS, st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.4, 1.0]))
def test_made_rows_and_restarts_change_no_snapshot(
    text: str, rows: dict[str, Values], cuts: Cuts, seed: int, raw: float
) -> None:
    """Of some batches raw rows are transferred, and now and then a new net goes on from the checkpoint."""
    query, judge, expected = judged(text, rows)
    chance = Random(seed)
    with tempfile.TemporaryDirectory() as directory:
        net = NetRun(Path(directory), catalog(), judge, engine(), query)
        for batch in list(net.batches(cuts)):
            if chance.random() < 0.3:
                net = NetRun(Path(directory), catalog(), judge, engine(), query)
            stays = chance.random() >= raw and _is_made(net, batch[0])
            (_FirstStage(net).deposit if stays else net.deposit)(*batch)
        net.scheduler.drain()
        found = net.validities()
        baskets = [stream.basket for name, stream in net.streams.items() if _is_made(net, name)]
    assert raw or not any(basket.batches for basket in baskets)
    assert [v[:2] for v in found] == sorted(v[:2] for v in found), "they leave in order"
    for answer in expected:
        assert snapshot(found, answer.boundary) == answer.rows, answer.boundary
    with tempfile.TemporaryDirectory() as directory:
        net = NetRun(Path(directory), catalog(), judge, engine(), query)
        net.deposit_all(cuts)
        net.scheduler.drain()
        assert Counter(net.validities()) == Counter(found)


def _is_made(net: NetRun, stream: str) -> bool:
    """Is something made of the stream's rows? Not if they meet tables that may be refreshed."""
    evaluation = net.factory.evaluation
    assert isinstance(evaluation, AnswersAtEveryInstant)
    return bool(evaluation._of(stream)) or stream not in net.factory.streams


class _FirstStage:
    """Makes in the driver what the first stage makes on the executors."""

    def __init__(self, net: NetRun) -> None:
        self.net = net

    def deposit(self, stream: str, number: int, rows: Rows) -> None:
        fields = Schema(catalog().streams[stream].fields)
        table = pa.Table.from_pylist(list(map(dict, rows)), schema=arrow_schema(fields))
        times = table["ts"].cast(pa.int64()).to_numpy()
        timed = table.append_column(TIME, pa.array(times))
        evaluation = self.net.factory.evaluation
        assert isinstance(evaluation, AnswersAtEveryInstant)
        made = [self._made(one.wanted, stream, timed) for one in evaluation._of(stream)]
        extent = (int(times.min()), int(times.max())) if len(times) else (0, 0)
        unasked = (_nobody_is_late,) * 3
        staged = Staged(len(table), *extent, 0, NOTHING_REJECTED, made, *unasked)
        self.net.scheduler.offer(stream, OfferedStaged(number, staged))
        self.net.scheduler.check()

    def _made(self, wanted: Wanted, stream: str, rows: pa.Table) -> MadeOf:
        made = run_once(engine(), wanted.plan, {BasketRows(stream): rows, **wanted.tables()})
        return wanted, Made(made, np.unique(made[FROM].to_numpy()))


def _nobody_is_late(_: int) -> Any:
    raise AssertionError("disorder is within the lateness")
