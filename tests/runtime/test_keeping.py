"""What increments store, how often they call the engine, and how they go on after a restart."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pytest

from datacell.algebra.plan import Plan
from datacell.engines.duckdb import DuckDBEngine, PreparedStatement
from datacell.engines.protocol import Inputs
from datacell.errors import CheckpointError
from datacell.placement.operators import Site
from datacell.runtime.storage import files
from datacell.runtime.windows.at_boundaries import AnswersAtBoundaries
from datacell.runtime.windows.chunking import SETTLED_SLIDES, SLIDES_PER_TRY, AdaptiveChunking
from datacell.runtime.windows.compaction import COMPACTED_FROM
from datacell.runtime.windows.increments import Increments
from datacell.runtime.windows.sliding.back import Back
from reference import Answer
from runtime.netrun import NetRun
from sample import at, bind, catalog, reference

AVERAGE = "SELECT k, avg(v) AS a FROM s [RANGE 10 SECONDS SLIDE 1 SECOND] GROUP BY k"
KEYS = 3


class CountingEngine(DuckDBEngine):
    """Counts its calls."""

    calls = 0

    def prepare(self, plan: Plan) -> PreparedStatement:
        prepared = super().prepare(plan)
        run = prepared.run

        def counted(inputs: Inputs) -> pa.Table:
            self.calls += 1
            return run(inputs)

        prepared.run = counted  # type: ignore[method-assign]
        return prepared


def net_of(directory: Path, text: str, engine: DuckDBEngine | None = None) -> NetRun:
    return NetRun(directory, catalog(), reference(), engine or DuckDBEngine(threads=1), bind(text), incremental=True)


def second(net: NetRun, number: int, stream: str = "s") -> None:
    """A row of each key."""
    rest = {"v": 1.5, "n": number} if stream == "s" else {"x": number, "c": "x"}
    net.deposit(stream, number, [{"ts": at(number), "k": k, **rest} for k in range(KEYS)])


def stored(directory: Path) -> dict[str, int]:
    """Rows in files, by the folder they are in."""
    found: dict[str, int] = {}
    for path in directory.rglob("*.arrow"):
        with pa.memory_map(str(path)) as source:
            count = pa.ipc.open_file(source).read_all().num_rows
        name = "slices" if "slices" in path.parts else path.parent.name
        found[name] = found.get(name, 0) + count
    return found


def kept_rows(net: NetRun) -> int:
    return increments(net).held().rows


def increments(net: NetRun) -> Increments:
    assert isinstance(net.factory.evaluation, AnswersAtBoundaries)
    assert isinstance(net.factory.evaluation.windowing, Increments)
    return net.factory.evaluation.windowing


def test_a_batch_is_looked_for_and_sliced_while_the_net_is_busy(tmp_path: Path) -> None:
    engine = CountingEngine(threads=1)
    net = net_of(tmp_path, AVERAGE, engine)
    second(net, 0)
    second(net, 1)
    before, answers = engine.calls, net.answers()
    beside = Thread(target=second, args=(net, 2))
    with net.scheduler.exclusively():
        assert net.scheduler.holds("s", 1)
        beside.start()
        while engine.calls == before:
            beside.join(0.01)
        assert net.answers() == answers
        assert kept_rows(net) == 2 * KEYS
    beside.join()
    assert kept_rows(net) == 3 * KEYS


def test_rows_that_come_late_meanwhile_are_not_in_the_slices(tmp_path: Path) -> None:
    """What is made ahead of a batch cannot know how far the net will have come when the batch is taken."""
    net = net_of(tmp_path, AVERAGE)
    for number in (0, 500):
        net.deposit("s", number, [{"ts": at(number), "k": 0, "v": 9.0, "n": 0}])
    net.deposit("s", 501, [{"ts": at(t), "k": 0, "v": 9.0, "n": 0} for t in (0, 501)])
    assert net.streams["s"].basket.progress.late == 1
    assert kept_rows(net) == 3


def test_raw_rows_are_not_stored_where_partial_results_suffice(tmp_path: Path) -> None:
    net = net_of(tmp_path, "SELECT k, avg(v) AS a FROM s [RANGE 10 SECONDS SLIDE 5 SECONDS] GROUP BY k")
    for number in range(11):
        second(net, number)
    assert net.streams["s"].basket.batches == []
    assert "basket" not in stored(tmp_path)


def test_a_join_keeps_its_sides_and_no_more(tmp_path: Path) -> None:
    net = net_of(
        tmp_path, "SELECT a.n, b.x FROM s [RANGE 3 SECONDS SLIDE 1 SECOND] a, r [RANGE 3 SECONDS SLIDE 1 SECOND] b"
    )
    for number in range(30):
        second(net, number)
        second(net, number, "r")
    assert stored(tmp_path)["slices"] <= 2 * KEYS * 8


def test_expired_slices_are_deleted_on_disk_too(tmp_path: Path) -> None:
    net = net_of(tmp_path, AVERAGE)
    most = 0
    for number in range(200):
        second(net, number)
        most = max(most, stored(tmp_path).get("slices", 0))
    assert most <= KEYS * 15


@pytest.mark.parametrize(
    "text",
    [
        "SELECT k, max(n) AS m FROM s [LANDMARK SLIDE 1 SECOND] GROUP BY k",
        "SELECT k, n FROM s [PARTITION BY k ROWS 2 SLIDE 1]",
    ],
)
def test_what_never_expires_is_combined(tmp_path: Path, text: str) -> None:
    net = net_of(tmp_path, text)
    for number in range(300):
        second(net, number)
    assert kept_rows(net) <= KEYS * 70
    assert stored(tmp_path)["slices"] <= KEYS * 70


def test_last_rows_that_another_window_needs_stay(tmp_path: Path) -> None:
    pairs = (
        "SELECT a.k, b.n FROM s [PARTITION BY k ROWS 1 SLIDE 1] a, s [PARTITION BY k ROWS 4 SLIDE 1] b WHERE a.k = b.k"
    )
    net = net_of(tmp_path, pairs)
    for number in range(60):
        second(net, number)
    assert sum(net.answers()[-1].rows.values()) == KEYS * 4


def test_a_slide_costs_two_calls_and_now_and_then_one_more(tmp_path: Path) -> None:
    engine = CountingEngine(threads=1)
    net = net_of(tmp_path, AVERAGE, engine)
    for number in range(25):
        second(net, number)
    engine.calls = 0
    for number in range(25, 65):
        second(net, number)
    assert 2 * 40 <= engine.calls <= 2 * 40 + 4 + 4, (
        "one for the slice, one for the answer, one per block of ten slides"
    )


def test_many_slides_at_once_cost_no_more_calls(tmp_path: Path) -> None:
    engine = CountingEngine(threads=1)
    net = net_of(tmp_path, AVERAGE, engine)
    net.deposit("s", 0, [{"ts": at(n / 2), "k": n % KEYS, "v": 1.0, "n": n} for n in range(400)])
    assert net.factory.answered > 190
    assert engine.calls == 2, "slices, and one answer over more than two blocks"


@pytest.mark.parametrize("stop_after", [1, 9, 17, 26])
def test_a_restart_goes_on_from_the_live_slices(tmp_path: Path, stop_after: int) -> None:
    whole = net_of(tmp_path / "whole", AVERAGE)
    for number in range(40):
        second(whole, number)
    whole.scheduler.drain()
    stopped = net_of(tmp_path / "stopped", AVERAGE)
    for number in range(stop_after):
        second(stopped, number)
    again = net_of(tmp_path / "stopped", AVERAGE)
    assert kept_rows(again) == kept_rows(stopped)
    for number in range(stop_after, 40):
        second(again, number)
    again.scheduler.drain()
    assert again.answers() == whole.answers()


def test_a_batch_that_was_ingested_but_not_taken_is_ingested_again(tmp_path: Path) -> None:
    net = net_of(tmp_path, AVERAGE)
    for number in range(20):
        second(net, number)
    progress = tmp_path / "streams" / "s" / "basket" / "progress.json"
    saved = progress.read_bytes()
    second(net, 20)
    progress.write_bytes(saved)  # as if the crash had come between the slices and the basket
    (net.output.directory / f"{net.output.next_number - 1:010d}.arrow").unlink()
    again = net_of(tmp_path, AVERAGE)
    second(again, 20)
    again.scheduler.drain()
    whole = net_of(tmp_path / "whole", AVERAGE)
    for number in range(21):
        second(whole, number)
    whole.scheduler.drain()
    assert again.answers() == whole.answers()


def responses(chunking: AdaptiveChunking, *seconds: float) -> None:
    for response in seconds:
        for _ in range(SLIDES_PER_TRY):
            chunking.answered(response, 1)


def test_chunks_are_doubled_while_the_response_time_falls_and_then_settle_at_the_best() -> None:
    chunking = AdaptiveChunking()
    responses(chunking, 8.0, 4.0, 2.0)
    assert (chunking.chunks, chunking.settled) == (8, False)
    responses(chunking, 2.5)
    assert (chunking.chunks, chunking.settled) == (4, True)


def test_a_settled_number_of_chunks_is_tried_again_now_and_then() -> None:
    chunking = AdaptiveChunking()
    responses(chunking, 8.0, 4.0, 5.0)
    assert (chunking.chunks, chunking.settled) == (2, True)
    for _ in range(SETTLED_SLIDES):
        chunking.answered(9.0, 1)
    assert not chunking.settled
    tried = []
    for response in (9.0, 9.5, 3.0):
        tried.append(chunking.chunks)
        responses(chunking, response)
    assert (tried, chunking.chunks, chunking.settled) == ([2, 1, 4], 4, True)


def test_chunking_hears_of_every_slide(tmp_path: Path) -> None:
    net = net_of(tmp_path, AVERAGE)
    evaluation = increments(net)
    for number in takewhile(lambda _: net.factory.answered < SLIDES_PER_TRY, range(20)):
        assert evaluation.ingestions["s"].chunking.chunks == 1
        second(net, number)
    assert evaluation.ingestions["s"].chunking.chunks == 2


def test_an_open_slice_is_ingested_in_so_many_chunks() -> None:
    chunking = AdaptiveChunking(chunks=4)
    ingested = []
    for batch in range(40):
        ingested.append(chunking.is_due(10, batch // 20))
        if ingested[-1]:
            chunking.ingested()
    assert ingested[20]
    assert sum(ingested[21:]) == 4 - 1


def test_one_chunk_waits_until_the_slice_is_full() -> None:
    chunking = AdaptiveChunking()
    assert [chunking.is_due(10, batch // 3) for batch in range(7)] == [False] * 3 + [True] + [False] * 2 + [True]


def counts(answers: list[Answer]) -> dict[int, int]:
    """How many rows each boundary counted, in seconds."""
    return {a.boundary // 1_000_000: row[-1] for a in answers for row in a.rows}


@pytest.mark.parametrize(
    "window",
    [
        "LANDMARK FROM TIMESTAMP '1970-01-01 00:00:23Z' SLIDE 1 SECOND RESET EVERY 100 SECONDS",
        "LANDMARK FROM TIMESTAMP '1970-01-01 00:00:23Z' SLIDE 1 SECOND",
        "FIXED 100 SECONDS SLIDE 1 SECOND",
    ],
)
def test_chunks_that_are_combined_stay_within_what_the_window_shows(tmp_path: Path, window: str) -> None:
    net = net_of(tmp_path, f"SELECT count(*) AS c FROM s [{window}]")
    for number in range(23, 90):
        second(net, number)
    evaluation = increments(net)
    (kept,) = evaluation.relations.slices.values()
    assert len(kept.chunks) < COMPACTED_FROM
    assert all(c.oldest <= c.slices.min() and c.slices.max() <= c.latest for c in kept.chunks)
    assert counts(net.answers()) == {end: KEYS * (end - 23) for end in range(24, 88)}


@pytest.fixture
def suffixed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many starts suffixes were made for, each time."""
    made: list[int] = []
    make = Back._suffixed

    def noting(self: Back, pieces: Any, starts: Any, *rest: Any) -> Any:
        made.append(len(starts))
        return make(self, pieces, starts, *rest)

    monkeypatch.setattr(Back, "_suffixed", noting)
    return made


def test_suffixes_outlive_that_chunks_are_combined(tmp_path: Path, suffixed: list[int]) -> None:
    """A row in each of four batches per second, ingested as they come: there are soon more chunks than slices."""
    net = net_of(tmp_path, AVERAGE.replace("10 SECONDS", "20 SECONDS"))
    evaluation = increments(net)
    (kept,) = evaluation.relations.slices.values()
    evaluation.ingestions["s"].chunking.chunks, evaluation.ingestions["s"].chunking.settled = 16, True
    combined = 0
    for number in range(400):
        before = len(kept.chunks)
        net.deposit("s", number, [{"ts": at(number / 4), "k": 1, "v": 1.5, "n": number}])
        combined += len(kept.chunks) < before - 4
    assert combined > 1
    assert len(suffixed) == 5, "one time for each block"
    assert all(row[-1] == 1.5 for a in net.answers() for row in a.rows)


def test_a_segment_takes_the_few_starts_that_would_be_left_for_another(tmp_path: Path, suffixed: list[int]) -> None:
    net = net_of(tmp_path, AVERAGE)
    net.factory.plans.call_overhead_rows = {Site.DUCKDB: 8 * KEYS}
    for number in range(52):
        second(net, number)
    assert suffixed == [9, 10, 10, 10, 10], "one time for each block"


def test_a_batch_that_could_not_be_taken_is_ingested_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its slices were made, with those of batches that waited; then the disk was full."""
    net = net_of(tmp_path, "SELECT count(*) AS c FROM s [RANGE 5 SECONDS SLIDE 1 SECOND]")
    evaluation = increments(net)
    evaluation.ingestions["s"].chunking.chunks = 16
    for number in range(6):
        second(net, number)

    def full(path: Path, saved: object) -> None:
        raise CheckpointError(f"no room for {path.name}")

    with monkeypatch.context() as disk:
        disk.setattr(files, "save_json", full)
        with pytest.raises(CheckpointError, match="progress"):
            second(net, 6)
    for number in range(6, 9):
        second(net, number)
    net.scheduler.drain()
    assert counts(net.answers()) == {end: KEYS * (min(end, 9) - max(end - 5, 0)) for end in range(1, 14)}
