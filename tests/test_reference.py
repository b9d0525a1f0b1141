"""The judge judged: examples of each law, computed by hand. Rows are called by letters, times are seconds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from datacell.algebra.query import Query, Timing
from datacell.sql import script
from datacell.sql.statements.statement import Select
from reference import Answer, Reference
from sample import at, defined, engine
from window_laws import EPOCH, Feed

CATALOG = defined(
    """CREATE STREAM s (ts TIMESTAMP, k INT, v STRING, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS);
       CREATE STREAM r (ts TIMESTAMP, k INT, v STRING, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS);
       CREATE STREAM highway (ts TIMESTAMP, speed DOUBLE, WATERMARK FOR ts AS ts)"""
)

Rows = list[tuple[Any, ...]]
Answers = dict[float, str]
"""For each boundary, the letters of its rows in order: a row of one column that is a letter."""


def bind(text: str) -> Query:
    statement = next(iter(script.read(text, CATALOG))).statement
    assert isinstance(statement, Select)
    return statement.query


def judge(s: Rows, r: Rows | None = None, arrivals: str | None = None) -> Reference:
    feeds = {}
    for name, rows in {"s": s, "r": r or []}.items():
        stream = CATALOG.streams[name]
        values = [{"ts": at(time), "k": key, "v": letter} for time, key, letter in rows]
        feeds[name] = Feed(stream.fields, values, "ts", stream.lateness)
    return Reference(feeds, {}, engine(), arrivals)


def ask(text: str, s: Rows, r: Rows | None = None, arrivals: str | None = None) -> Answers:
    query = bind(text)
    unit = 1 if query.timing is Timing.ARRIVALS else 1_000_000
    return {a.boundary / unit: letters(a) for a in judge(s, r, arrivals).answers(query)}


def letters(answer: Answer) -> str:
    return "".join(sorted(str(row[0]) for row in answer.rows.elements()))


def timeline(text: str) -> Rows:
    """``timeline("0.5a 1.5b")``: rows with their times."""
    return [(float(word[:-1]), None, word[-1]) for word in text.split()]


def keyed(text: str) -> Rows:
    """``keyed("1a 2b")``: rows with their keys, one per second."""
    return [(float(i), int(word[:-1]), word[-1]) for i, word in enumerate(text.split())]


# Laws 1, 2, 4 and 8: validity, snapshots, boundaries

#          0    1    2    3    4    5    6
#  rows      a    b       c
#  [0,1)   |-a-|
#  [0,2)   |-a----b-|
#  [1,3)        |-b----|
#  [2,4)             |----c--|
#  [3,5)                  |c------|           c stands on the boundary: not yet at 3, still at 5
#  [4,6)                       |-------|      empty: no boundary
RANGE = {1: "a", 2: "ab", 3: "b", 4: "c", 5: "c"}

#          0    2    4    6    8    10
#  rows     a     b    c
#  FIXED 4 |---------|---------|--------
#  2       |-a--|
#  4       |-a----b--|
#  6                 |--c-|
#  8                 |--c------|
FIXED = {2: "a", 4: "ab", 6: "c", 8: "c"}

#          0    2    4    6    8    10
#  rows    a     b       c
#  2    |--a---|
#  4         |---b--|
#  6              |-----c-|
#  8                     |c------|
UNEVEN = {2: "a", 4: "b", 6: "c", 8: "c"}


@pytest.mark.parametrize(
    ("window", "rows", "expected"),
    [
        ("RANGE 2 SECONDS SLIDE 1 SECOND", "0.5a 1.5b 3c", RANGE),
        ("FIXED 4 SECONDS SLIDE 2 SECONDS", "0.5a 3b 5c", FIXED),
        ("FIXED 4 SECONDS SLIDE 4 SECONDS", "0.5a 3b 5c", {4: "ab", 8: "c"}),
        ("RANGE 3 SECONDS SLIDE 2 SECONDS", "0a 2.5b 5c", UNEVEN),
        ("RANGE 1 SECOND SLIDE 3 SECONDS", "1a 2b 5.5c 6d", {3: "b", 6: "c"}),  # a and d fall between the windows
        ("RANGE 2 SECONDS SLIDE 1 SECOND", "0.5a 9.5b", {1: "a", 2: "a", 10: "b", 11: "b"}),  # nothing in the gap
        ("RANGE 1 SECOND SLIDE 1 SECOND", "", {}),
        ("RANGE 1 SECOND SLIDE 1 SECOND", "0.5a 0.5a 0.5b", {1: "aab"}),  # a multiset
        ("LANDMARK SLIDE 2 SECONDS", "0.5a 3b 4c", {2: "a", 4: "ab", 6: "abc"}),  # up to the first boundary past c
        ("LANDMARK SLIDE 2 SECONDS", "0.5a 7b", {2: "a", 4: "a", 6: "a", 8: "ab"}),  # never empty, so no gap
        ("LANDMARK SLIDE 2 SECONDS RESET EVERY 4 SECONDS", "0.5a 3b 4c", {2: "a", 4: "ab", 6: "c", 8: "c"}),
        ("LANDMARK FROM TIMESTAMP '1970-01-01 00:00:03Z' SLIDE 2 SECONDS", "0.5a 3b 4c", {4: "b", 6: "bc"}),
    ],
)
def test_time_windows(window: str, rows: str, expected: Answers) -> None:
    assert ask(f"SELECT v FROM s [{window}]", timeline(rows)) == expected


def test_a_window_shows_its_latest_own_boundary() -> None:
    #          0    1    2    3    4    5    6    7    8
    #  rows      a    b       c
    #  x 1/1   |-a-||-b-|          |-c-|
    #  y 3/2 at 2: [-1,2) ab       at 4: [1,4) bc        at 6: [3,6) c       at 8: empty
    text = """SELECT v FROM s [RANGE 1 SECOND SLIDE 1 SECOND]
              UNION ALL SELECT upper(v) FROM s [RANGE 3 SECONDS SLIDE 2 SECONDS]"""
    expected = {1: "a", 2: "ABb", 3: "AB", 4: "BCc", 5: "BC", 6: "C", 7: "C"}
    assert ask(text, timeline("0.5a 1.5b 3c")) == expected


def test_an_unsampled_window_beside_a_sampled_one_is_taken_at_its_boundaries() -> None:
    text = "SELECT v FROM s [RANGE 1 SECOND SLIDE 2 SECONDS] UNION ALL SELECT upper(v) FROM s [UNBOUNDED]"
    assert ask(text, timeline("0.5a 1.5b 3c")) == {2: "ABb", 4: "ABCc"}


def test_where_every_window_is_empty_there_is_no_answer_not_even_a_count() -> None:
    assert ask("SELECT count(*) FROM s [RANGE 1 SECOND SLIDE 1 SECOND]", timeline("0.5a 2.5b")) == {1: "1", 3: "1"}


def test_beside_a_window_that_is_not_empty_an_empty_one_counts_zero() -> None:
    text = """SELECT x.n || y.n FROM (SELECT count(*) AS n FROM s [RANGE 1 SECOND SLIDE 1 SECOND]) x,
                                     (SELECT count(*) AS n FROM r [RANGE 1 SECOND SLIDE 1 SECOND]) y"""
    assert ask(text, timeline("0.5a"), timeline("1.5b 1.5c")) == {1: "10", 2: "02"}


def test_the_boundary_is_a_column() -> None:
    text = "SELECT second(window_end) FROM s [RANGE 2 SECONDS SLIDE 1 SECOND]"
    assert ask(text, timeline("0.5a")) == {1: "1", 2: "2"}


# Laws 6 and 7: rows


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ("ROWS 3 SLIDE 2", {3: "abc", 5: "cde"}),  # 1 and 2 are incomplete; 6 is no boundary, 7 never comes
        ("ROWS 2", {2: "ab", 3: "bc", 4: "cd", 5: "de", 6: "ef"}),
        ("ROWS 1 SLIDE 3", {1: "a", 4: "d"}),
        ("ROWS 7 SLIDE 1", {}),
        ("LANDMARK SLIDE 2 ROWS", {2: "ab", 4: "abcd", 6: "abcdef"}),
        ("LANDMARK FROM TIMESTAMP '1970-01-01 00:00:03Z' SLIDE 2 ROWS", {4: "d", 6: "def"}),
        ("PARTITION BY k ROWS 1 SLIDE 2", {2: "ab", 4: "bd", 6: "ef"}),
        ("PARTITION BY k ROWS 2 SLIDE 3", {3: "abc", 6: "bdef"}),
    ],
)
def test_row_windows(window: str, expected: Answers) -> None:
    assert ask(f"SELECT v FROM s [{window}]", keyed("1a 2b 1c 1d 2e 1f")) == expected


def test_windows_come_before_filters() -> None:
    assert ask("SELECT v FROM s [ROWS 2 SLIDE 2] WHERE k = 1", keyed("1a 2b 2c 2d 1e 1f")) == {2: "a", 4: "", 6: "ef"}


def test_rows_are_numbered_by_arrival_not_by_time() -> None:
    assert ask("SELECT v FROM s [ROWS 2 SLIDE 2]", timeline("9a 1b 5c 0d")) == {2: "ab", 4: "cd"}


def test_rows_without_a_key_are_a_partition() -> None:
    rows = [(0.0, None, "a"), (1.0, 1, "b"), (2.0, None, "c")]
    assert ask("SELECT v FROM s [PARTITION BY k ROWS 1]", rows) == {1: "a", 2: "ab", 3: "bc"}


def test_a_boundary_is_due_when_every_stream_has_its_rows() -> None:
    text = "SELECT v FROM s [ROWS 2 SLIDE 2] UNION ALL SELECT upper(v) FROM r [ROWS 3 SLIDE 1]"
    # s has 5 rows, r has 4: up to 4. At 3 the window of s shows its boundary 2.
    assert ask(text, keyed("1a 1b 1c 1d 1e"), keyed("1a 1b 1c 1d")) == {2: "ab", 3: "ABCab", 4: "BCDcd"}


def test_the_boundary_of_a_row_window_is_a_number() -> None:
    assert ask("SELECT window_end FROM s [ROWS 2 SLIDE 3]", keyed("1a 1b 1c 1d 1e")) == {2: "22", 5: "55"}


# Law 10: relation to stream


def test_what_enters_and_what_leaves_up_to_the_first_empty_boundary() -> None:
    #  relation  1: a   2: ab   3: b   4: c   5: c   6: empty   … 10: d   11: d   12: empty
    rows = timeline("0.5a 1.5b 3c 9.5d")
    window = "FROM s [RANGE 2 SECONDS SLIDE 1 SECOND]"
    entered = {1: "a", 2: "b", 3: "", 4: "c", 5: "", 6: "", 10: "d", 11: "", 12: ""}
    left = {1: "", 2: "", 3: "a", 4: "b", 5: "", 6: "c", 10: "", 11: "", 12: "d"}
    assert ask(f"SELECT ISTREAM v {window}", rows) == entered
    assert ask(f"SELECT DSTREAM v {window}", rows) == left
    assert ask(f"SELECT RSTREAM v {window}", rows) == {1: "a", 2: "ab", 3: "b", 4: "c", 5: "c", 10: "d", 11: "d"}


def test_an_aggregate_that_changes_leaves_and_enters() -> None:
    rows = timeline("0.5a 1.5b 3c")
    text = "SELECT DSTREAM count(*) FROM s [RANGE 2 SECONDS SLIDE 1 SECOND]"  # 1, 2, 1, 1, 1, empty
    assert ask(text, rows) == {1: "", 2: "1", 3: "2", 4: "", 5: "", 6: "1"}


def test_multiplicities_count() -> None:
    rows = timeline("0.5a 0.5a 1.5a")  # 1: aa   2: aaa   3: a   4: empty
    assert ask("SELECT ISTREAM v FROM s [RANGE 2 SECONDS SLIDE 1 SECOND]", rows) == {1: "aa", 2: "a", 3: "", 4: ""}
    assert ask("SELECT DSTREAM v FROM s [RANGE 2 SECONDS SLIDE 1 SECOND]", rows) == {1: "", 2: "", 3: "aa", 4: "a"}


def test_what_never_empties_never_leaves() -> None:
    assert ask("SELECT DSTREAM v FROM s [LANDMARK SLIDE 2 SECONDS]", timeline("0.5a 3b")) == {2: "", 4: ""}


def test_row_windows_have_no_last_boundary() -> None:
    rows = keyed("1a 1b 1c 1d")
    assert ask("SELECT ISTREAM v FROM s [ROWS 2 SLIDE 2]", rows) == {2: "ab", 4: "cd"}
    assert ask("SELECT DSTREAM v FROM s [ROWS 2 SLIDE 2]", rows) == {2: "", 4: "ab"}


# Law 9: progress. Lateness is 2 seconds.


def late(window: str, rows: Rows) -> str:
    return "".join(row["v"] for _, row in judge(rows).late(bind(f"SELECT v FROM s [{window}]")))


def lost(window: str, rows: Rows) -> str:
    return "".join(row["v"] for _, row in judge(rows).lost(bind(f"SELECT v FROM s [{window}]")))


def test_a_row_within_the_lateness_is_never_late() -> None:
    #  arrival    a@1   b@4   c@2     watermark after b: 2, so boundary 2 has fired, 3 has not
    rows = timeline("1a 4b 2c")
    assert ask("SELECT v FROM s [RANGE 1 SECOND SLIDE 1 SECOND]", rows) == {2: "a", 3: "c", 5: "b"}
    assert late("RANGE 1 SECOND SLIDE 1 SECOND", rows) == ""


def test_a_row_that_every_boundary_has_missed_is_late_and_lost() -> None:
    rows = timeline("1a 4b 1.5c")
    assert ask("SELECT v FROM s [RANGE 1 SECOND SLIDE 1 SECOND]", rows) == {2: "a", 5: "b"}
    assert late("RANGE 1 SECOND SLIDE 1 SECOND", rows) == lost("RANGE 1 SECOND SLIDE 1 SECOND", rows) == "c"


def test_a_row_is_seen_by_the_boundaries_that_have_not_fired() -> None:
    #  c belongs to boundaries 2 and 3; 2 has fired without it
    rows = timeline("1a 4b 1.5c")
    assert ask("SELECT v FROM s [RANGE 2 SECONDS SLIDE 1 SECOND]", rows) == {2: "a", 3: "ac", 5: "b", 6: "b"}
    assert late("RANGE 2 SECONDS SLIDE 1 SECOND", rows) == "c", "for it was missed there"
    assert lost("RANGE 2 SECONDS SLIDE 1 SECOND", rows) == ""


def test_a_row_that_no_boundary_would_see_is_not_late() -> None:
    assert late("RANGE 1 SECOND SLIDE 3 SECONDS", timeline("9a 0.5b")) == ""


def test_the_slowest_input_holds_the_others_back() -> None:
    #  arrival   s: a@1   s: b@9   s: c@1.5   r: x@9     c comes before r has passed boundary 2
    text = """SELECT v FROM s [RANGE 1 SECOND SLIDE 1 SECOND]
              UNION ALL SELECT upper(v) FROM r [RANGE 1 SECOND SLIDE 1 SECOND]"""
    s, r = timeline("1a 9b 1.5c"), timeline("9x")
    assert ask(text, s, r, arrivals="sssr") == {2: "ac", 10: "Xb"}
    assert ask(text, s, r, arrivals="rsss") == {2: "a", 10: "Xb"}  # here it has


def test_the_order_of_arrival_matters_only_beyond_the_lateness() -> None:
    text = "SELECT v FROM s [RANGE 2 SECONDS SLIDE 1 SECOND]"
    assert ask(text, timeline("0.5a 1.5b 2.4c")) == ask(text, timeline("2.4c 0.5a 1.5b"))


# Law 5: at every instant


def test_the_highway_of_the_paper() -> None:
    #  18.28  05:00:08 |-------------------| 05:15:08
    #  21.33     05:01:32 |-------------------| 05:16:32
    #  19.69        05:02:16 |-------------------| 05:17:16
    def clock(text: str) -> datetime:
        hour, minute, second = map(int, text.split(":"))
        return datetime(1970, 1, 1, hour, minute, second, tzinfo=UTC)

    measured = [("05:00:08", 18.28), ("05:01:32", 21.33), ("05:02:16", 19.69)]
    feed = Feed(CATALOG.streams["highway"].fields, [{"ts": clock(t), "speed": v} for t, v in measured], "ts")
    query = bind("SELECT avg(speed) FROM highway [RANGE 15 MINUTES]")
    answers = Reference({"highway": feed}, {}, engine()).answers(query)
    expected = {
        "05:00:08": 18.280,
        "05:01:32": 19.805,
        "05:02:16": 19.767,
        "05:15:08": 20.510,
        "05:16:32": 19.690,
        "05:17:16": None,
    }
    assert [a.boundary for a in answers] == [(clock(t) - EPOCH).seconds * 1_000_000 for t in expected]
    assert [next((round(row[0], 3) for row in a.rows), None) for a in answers] == list(expected.values())


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ("RANGE 2 SECONDS", {0.5: "a", 1.5: "ab", 2.5: "b", 3.5: ""}),
        ("FIXED 2 SECONDS", {0.5: "a", 1.5: "ab", 2: ""}),
        ("UNBOUNDED", {0.5: "a", 1.5: "ab"}),
        ("NOW", {0.5: "a", 0.500001: "", 1.5: "b", 1.500001: ""}),
    ],
)
def test_every_change(window: str, expected: Answers) -> None:
    assert ask(f"SELECT v FROM s [{window}]", timeline("0.5a 1.5b")) == expected
