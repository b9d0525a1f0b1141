"""One query's failure is its own: it is stopped, keeps its place and can go on; others do not notice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from datacell import testing
from datacell.errors import EngineError
from datacell.incremental.strategy import Strategy
from datacell.runtime.net import expiry
from datacell.runtime.plans.pinned import PinnedTables
from datacell.runtime.plans.plans import Plans
from datacell.runtime.plans.table_versions import Rows
from datacell.testing import Trial

STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, n BIGINT, WATERMARK FOR ts AS ts)"
OTHER = "CREATE CONTINUOUS QUERY other AS SELECT k, sum(n) AS m FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] GROUP BY k"
CHAIN = (
    "CREATE STREAM fed (at TIMESTAMP, m BIGINT, WATERMARK FOR at AS at);"
    "CREATE CONTINUOUS QUERY below AS SELECT sum(m) AS m FROM fed [RANGE 2 SECONDS SLIDE 1 SECOND]"
)
QUERIES = {
    "row by row": "SELECT s.k, s.n * t.f AS m FROM s JOIN t ON t.k = s.k",
    "boundaries": "SELECT s.k, sum(s.n * t.f) AS m FROM s [RANGE 3 SECONDS SLIDE 1 SECOND] s JOIN t ON t.k = s.k "
    "GROUP BY s.k",
    "changes": "SELECT ISTREAM s.k, s.n * t.f AS m FROM s [RANGE 3 SECONDS SLIDE 1 SECOND] s JOIN t ON t.k = s.k",
    "arrivals": "SELECT sum(s.n * t.f) AS m FROM s [ROWS 3 SLIDE 2] s JOIN t ON t.k = s.k",
    "pairs": "SELECT a.k, sum(a.m * b.n) AS m FROM "
    "(SELECT s.k, s.n * t.f AS m FROM s [RANGE 3 SECONDS SLIDE 1 SECOND] s JOIN t ON t.k = s.k) a "
    "JOIN s [RANGE 2 SECONDS SLIDE 1 SECOND] b ON a.k = b.k GROUP BY a.k",
    "every instant": "SELECT s.k, sum(s.n * t.f) AS m FROM s [RANGE 3 SECONDS] s JOIN t ON t.k = s.k GROUP BY s.k",
}
FINE, HUGE = (pa.table({"k": pa.array([1, 2], pa.int32()), "f": pa.array([f, f])}) for f in (2, 2**62))
"""What the queries multiply with: DuckDB refuses the huge one, because the product is no BIGINT."""


def batch(number: int) -> list[tuple[str, int, int]]:
    return [(f"2026-01-01T00:00:{number:02d}.{part}Z", 1 + part % 2, 10 + number) for part in (1, 5)]


def trial(text: str, directory: Path | None = None, strategy: Strategy = Strategy.AUTO) -> Trial:
    return with_live_tables(
        f"{STREAM}; {OTHER}; CREATE CONTINUOUS QUERY q AS {text}", directory=directory, strategy=strategy
    )


class LiveTables(PinnedTables):
    """Queries see at once what is put into a table: so they can be made to fail."""

    def reader(self, query: str) -> Callable[[str], Rows]:  # noqa: ARG002
        return lambda name: self._fetch(name, "")


def with_live_tables(script: str, **options: Any) -> Trial:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(testing, "PinnedTables", LiveTables)
        return Trial(script, tables={"t": FINE}, **options)


def undisturbed(text: str) -> Trial:
    found = trial(text)
    for number in range(9):
        found.push("s", batch(number))
    found.end()
    return found


def restart(of: Trial, query: str = "q") -> None:
    with of.scheduler.exclusively() as net:
        net.restart(query, Plans.on(of.engine, query, of.tables.__getitem__))
    of.scheduler.fire()


def counted(rows: list[dict[str, Any]]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row.values()) for row in rows)


@pytest.mark.parametrize("strategy", [Strategy.INCREMENTAL, Strategy.REEVALUATE])
@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_a_query_that_was_stopped_answers_as_if_it_had_not_been(text: str, strategy: Strategy) -> None:
    expected, found = undisturbed(text), trial(text, strategy=strategy)
    for number in range(9):
        if number == 3:
            found.tables["t"] = HUGE
        if number == 7:
            assert found.factory("q").stopped is not None
            found.tables["t"] = FINE
            restart(found)
        found.push("s", batch(number))
    found.end()
    assert counted(found.answers("q")) == counted(expected.answers("q"))
    assert found.answers("other") == expected.answers("other")


@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES)
def test_after_a_restart_of_the_run_it_is_tried_again(text: str, tmp_path: Path) -> None:
    expected, found = undisturbed(text), trial(text, tmp_path)
    for number in range(7):
        found.tables["t"] = HUGE if number >= 3 else FINE
        found.push("s", batch(number))
    assert found.factory("q").stopped is not None
    again = trial(text, tmp_path)
    for number in (7, 8):
        again.push("s", batch(number))
    again.end()
    assert counted(again.answers("q")) == counted(expected.answers("q"))
    assert counted(again.answers("other")) == counted(expected.answers("other"))


def test_it_says_why_and_rows_do_not_pile_up_afterwards() -> None:
    found = trial(QUERIES["boundaries"])
    found.tables["t"] = HUGE
    for number in range(5):
        found.push("s", batch(number))
    with pytest.raises(EngineError, match=r"continuous query q has stopped: .*Overflow in multiplication") as raised:
        found.answers("q")
    assert "CONTINUOUS QUERY q AS SELECT s.k" in str(raised.value), "with the place in the text"
    assert sum(len(b.rows) for b in found.stream("s").basket.batches) == 10
    restart(found)
    assert found.factory("q").stopped is not None
    found.tables["t"] = FINE
    restart(found)
    found.push("s", batch(5))
    assert len(found.stream("s").basket.batches) <= 4, "those of a window, which are joined at each boundary"


def test_a_stream_that_it_feeds_waits_for_it() -> None:
    feed = "INSERT INTO fed SELECT s.ts AS at, s.n * t.f AS m FROM s JOIN t ON t.k = s.k"
    script = f"{STREAM}; {OTHER}; {CHAIN}; {feed}"
    found, expected = (with_live_tables(script) for _ in range(2))
    (fed,) = (name for name in found.scheduler.members.factories if name.startswith("into "))
    for number in range(9):
        expected.push("s", batch(number))
        found.tables["t"] = HUGE if number == 3 else FINE
        found.push("s", batch(number))
    expected.end()
    found.end()
    assert counted(found.answers("other")) == counted(expected.answers("other"))
    assert len(found.answers("below")) < len(expected.answers("below"))
    restart(found, fed)
    assert counted(found.answers("below")) == counted(expected.answers("below"))


def test_what_is_kept_for_it_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expiry, "MOST_KEPT", 200)
    found = trial(QUERIES["boundaries"], tmp_path)
    found.tables["t"] = HUGE
    for number in range(9):
        found.push("s", batch(number))
    assert len(found.stream("s").basket.batches) <= 2
    for one in (found, trial(QUERIES["boundaries"], tmp_path)):
        with pytest.raises(EngineError, match=r"(?s)more came than is kept for it.*hint: DROP CONTINUOUS QUERY q"):
            one.answers("q")
