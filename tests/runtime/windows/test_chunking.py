"""In how many chunks a slice is ingested."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

from datacell.runtime.windows.chunking import SETTLED_SLIDES, SLIDES_PER_TRY, AdaptiveChunking
from runtime.windows.seconds import AVERAGE, increments, net_of, second


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
