"""The thesis' strategies: who gets which rows of a stream, and that no answer depends on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from datacell.errors import SqlError
from datacell.incremental.strategy import Strategy
from datacell.runtime.net.sharing import Sharing
from datacell.runtime.streams.basket import Basket
from datacell.testing import Trial
from sample import at

STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, n INT, WATERMARK FOR ts AS ts);"
LOW = "CREATE CONTINUOUS QUERY low AS SELECT k FROM s WHERE v < 3;"
HIGH = "CREATE CONTINUOUS QUERY high AS SELECT k, n FROM s WHERE v >= 3;"
WINDOWS = (
    "CREATE CONTINUOUS QUERY windows AS SELECT count(*) AS c FROM s [RANGE 4 SECONDS SLIDE 2 SECONDS] WHERE v IS NULL;"
)
MEDIANS = (
    "CREATE CONTINUOUS QUERY medians AS SELECT median(n) AS m FROM s [RANGE 4 SECONDS SLIDE 2 SECONDS] WHERE v = -1;"
)
SCRIPT = STREAM + LOW.replace("v < 3", "v < 3 AND v >= 0") + HIGH + WINDOWS + MEDIANS
NAMES = ("low", "high", "windows", "medians")


def push(trial: Trial, *seconds: int) -> None:
    values = {5: None, 6: -1.0}
    trial.push("s", [(at(second), second % 2, values.get(second, float(second)), second) for second in seconds])


def basket(trial: Trial, query: str) -> Basket:
    return trial.factory(query).baskets["s"]


def test_a_shared_basket_is_one() -> None:
    with Trial(SCRIPT, sharing=Sharing.SHARED) as trial:
        assert {id(basket(trial, name)) for name in NAMES} == {id(trial.stream("s").basket)}


def test_separate_baskets_have_copies_of_the_columns_that_are_needed() -> None:
    with Trial(SCRIPT, sharing=Sharing.SEPARATE, strategy=Strategy.REEVALUATE) as trial:
        push(trial, 1, 2, 6)
        assert basket(trial, "medians").schema.names == ["v", "n"]
        mine, source = basket(trial, "medians").batches[0].rows, trial.stream("s").basket.batches[0].rows
        buffers = [rows["n"].chunk(0).buffers()[1].address for rows in (mine, source)]
        assert mine["n"] == source["n"]
        assert buffers[0] != buffers[1]


def test_a_chain_leaves_what_it_does_not_take() -> None:
    with Trial(SCRIPT, sharing=Sharing.CHAINED, strategy=Strategy.REEVALUATE) as trial:
        push(trial, 1, 2, 6, 3)
        assert basket(trial, "medians").rows()["n"].to_pylist() == [6]
        assert trial.stream("s").basket.rows()["n"].to_pylist() == [1, 2, 6, 3]


def test_rows_leave_every_basket_when_their_reader_is_done() -> None:
    for sharing in (Sharing.SEPARATE, Sharing.CHAINED):
        with Trial(SCRIPT, sharing=sharing, strategy=Strategy.REEVALUATE) as trial:
            push(trial, 1, 2, 6)
            push(trial, 20)
            push(trial, 40)
            found = [[batch.number for batch in basket(trial, name).batches] for name in NAMES]
            assert found == [[], [], [1, 2], [1, 2]]


@pytest.mark.parametrize("first", Sharing)
@pytest.mark.parametrize("second", Sharing)
def test_a_run_goes_on_with_another_strategy(tmp_path: Path, first: Sharing, second: Sharing) -> None:
    with Trial(SCRIPT, directory=tmp_path, sharing=first) as trial:
        push(trial, 1, 2, 5)
    with Trial(SCRIPT, directory=tmp_path, sharing=second) as trial, Trial(SCRIPT) as alone:
        push(trial, 6, 7)
        push(alone, 1, 2, 5)
        push(alone, 6, 7)
        for each in (trial, alone):
            each.end()
        for name in NAMES:
            assert trial.answers(name) == alone.answers(name) != []


REFUSED = [
    ("SELECT * FROM s WHERE v > 2", "v > 2"),
    ("SELECT * FROM s", "no condition on its rows"),
    ("SELECT count(*) AS c FROM s [ROWS 2] WHERE v >= 3", "no condition on its rows"),
    ("SELECT count(*) AS c FROM s [SESSION 2 SECONDS PARTITION BY k] WHERE v >= 3", "no condition on its rows"),
    ("SELECT count(*) AS c FROM s [RANGE 2 SECONDS] WHERE v >= 3", "no condition on its rows"),
    ("SELECT a.k FROM s [NOW] a JOIN s [NOW] b ON a.k = b.k WHERE a.v > 7 AND b.v < 2", "a.v > 7 or b.v < 2"),
]


@pytest.mark.parametrize(("query", "shown"), REFUSED)
def test_what_may_overlap_is_refused(query: str, shown: str) -> None:
    script = f"{STREAM}\n{LOW}\nCREATE CONTINUOUS QUERY other AS {query}"
    with pytest.raises(SqlError) as refused:
        Trial(script, sharing=Sharing.CHAINED)
    told = refused.value
    assert told.message.startswith("other cannot be chained with low (<sql>, line 2): both may want the same rows of s")
    assert shown in told.message
    assert "s.v < 3" in told.message
    assert told.place is not None
    assert told.place.line == 3
    Trial(script, sharing=Sharing.SHARED).close()
