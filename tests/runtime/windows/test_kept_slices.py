"""What increments store, how often they call the engine, and how they go on after a restart."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from datacell.errors import CheckpointError
from datacell.runtime.storage import files
from runtime.windows.seconds import AVERAGE, KEYS, CountingEngine, counts, increments, kept_rows, net_of, second, stored
from sample import at


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


def test_a_batch_that_could_not_be_taken_is_ingested_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its slices were made, with those of batches that waited; then the disk was full, and the run ended."""
    text = "SELECT count(*) AS c FROM s [RANGE 5 SECONDS SLIDE 1 SECOND]"
    net = net_of(tmp_path, text)
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
    with pytest.raises(CheckpointError, match="progress"):
        second(net, 7)
    again = net_of(tmp_path, text)
    for number in range(6, 9):
        second(again, number)
    again.scheduler.drain()
    assert counts(again.answers()) == {end: KEYS * (min(end, 9) - max(end - 5, 0)) for end in range(1, 14)}
