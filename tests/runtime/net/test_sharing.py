"""Equal queries are answered by one factory, and nobody can tell from an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from datacell.algebra.query import Timing
from datacell.algebra.template import ALONE_BEFORE
from datacell.compile.explain import Format, explain_script
from datacell.runtime.net.sharing import Sharing
from datacell.sql import script
from datacell.testing import Trial, carry_out
from sample import at

STREAM = "CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, n INT, WATERMARK FOR ts AS ts);"
SUM = "SELECT k, sum(v) AS t FROM s [RANGE 4 SECONDS SLIDE 2 SECONDS] WHERE v > 1 AND n < 9 GROUP BY k"
SAME = "SELECT x.k, sum(x.v) AS t FROM s [RANGE 4 SECONDS SLIDE 2 SECONDS] x WHERE x.n < 9 AND x.v > 1 GROUP BY x.k"
OTHER = SUM.replace("v > 1", "v > 2")


def created(name: str, text: str) -> str:
    return f"CREATE CONTINUOUS QUERY {name} AS {text};"


def say(trial: Trial, text: str) -> None:
    for source, tokens in script.statements(text):
        carry_out(trial, script.bind(source, tokens, trial.catalog).statement)


def push(trial: Trial, *seconds: int) -> None:
    trial.push("s", [(at(second), second % 2, float(second), 1) for second in seconds])


def ends(trial: Trial, query: str) -> list[float]:
    return sorted({row["window_end"].timestamp() % 60 for row in trial.answers(query)})


@pytest.mark.parametrize(
    ("second", "factories"),
    [
        (SUM, 1),
        (SAME, 1),
        (OTHER, 2),
        (SUM.replace("AS t", "AS u"), 2),
        (f"ISTREAM {SUM}", 2),
        (SUM.replace("4 SECONDS", "6 SECONDS"), 2),
    ],
)
def test_what_is_equal(second: str, factories: int) -> None:
    with Trial(STREAM + created("a", SUM) + created("b", second)) as trial:
        assert len(trial.scheduler.members.factories) == factories
        push(trial, 1, 2, 3, 4, 5, 6, 7)
        trial.end()
        with Trial(STREAM + created("b", second)) as alone:
            push(alone, 1, 2, 3, 4, 5, 6, 7)
            alone.end()
            answers, others = (sorted(map(repr, one.answers("b"))) for one in (trial, alone))
            assert answers == others != []


def test_separate_queries_share_nothing() -> None:
    with Trial(STREAM + created("a", SUM) + created("b", SUM), sharing=Sharing.SEPARATE) as trial:
        assert len(trial.scheduler.members.factories) == 2


def test_a_query_that_comes_later_goes_on_from_what_is_held() -> None:
    with Trial(STREAM + created("a", SUM)) as trial:
        push(trial, 2, 3, 5)
        say(trial, created("b", SUM))
        push(trial, 7, 9)
        trial.end()
        assert len(trial.scheduler.members.factories) == 1
        since = [row for row in trial.answers("a") if row["window_end"] > at(4)]
        assert trial.answers("b") == since
        assert {row["t"] for row in trial.answers("b") if row["window_end"] == at(6)} == {2.0, 8.0}, "a whole window"
        assert trial.scheduler.members.queries["b"].answered.after == f"after {at(4):%Y-%m-%d %H:%M:%S}+00:00"


def test_dropping_one_disturbs_no_other() -> None:
    with Trial(STREAM + created("a", SUM) + created("b", SUM) + created("c", SAME)) as trial:
        push(trial, 2, 3, 5)
        say(trial, "DROP CONTINUOUS QUERY a;" + created("a", OTHER))
        push(trial, 7, 9)
        say(trial, "DROP CONTINUOUS QUERY c;")
        trial.end()
        assert ends(trial, "b") == [4, 6, 8, 10, 12]
        assert [list(f.queries) for f in trial.scheduler.members.factories.values()] == [["b"], ["a"]]
        directory = trial.factory("b").output.directory
        say(trial, "DROP CONTINUOUS QUERY b;")
        assert not directory.exists(), "the last one takes it along"
        assert list(trial.scheduler.members.queries) == ["a"]


@pytest.mark.parametrize("again", ["abc", "cba", "bc", "c"])
def test_who_shares_with_whom_stays_so_after_a_restart(tmp_path: Path, again: str) -> None:
    texts = {"a": created("a", SUM), "b": created("b", SAME), "c": created("c", SAME)}
    with Trial(STREAM + texts["a"] + texts["b"], directory=tmp_path) as trial:
        push(trial, 2, 3, 5)
        say(trial, texts["c"])
        push(trial, 7)
        before = {name: trial.answers(name) for name in texts}
    with Trial(STREAM + "".join(texts[name] for name in again), directory=tmp_path) as trial:
        push(trial, 9)
        trial.end()
        assert len(trial.scheduler.members.factories) == 1
        for name in again:
            answers = trial.answers(name)
            assert answers[: len(before[name])] == before[name]
            assert ends(trial, name) == ([6, 8, 10, 12] if name == "c" else [4, 6, 8, 10, 12])


def test_what_shared_before_goes_on_so_also_where_nothing_is_shared(tmp_path: Path) -> None:
    both = STREAM + created("a", SUM) + created("b", SUM)
    Trial(both, directory=tmp_path).close()
    with Trial(both, directory=tmp_path, sharing=Sharing.SEPARATE) as trial:
        assert len(trial.scheduler.members.factories) == 1


def test_late_rows_are_late_for_each_by_its_name() -> None:
    with Trial(STREAM + created("a", SUM)) as trial:
        push(trial, 2, 9)
        push(trial, 1)
        say(trial, created("b", SUM))
        push(trial, 3)
        assert [row["missed_by"] for row in trial.late("s")] == [["a"], ["a", "b"]]
        assert [trial.scheduler.members.late_for(name) for name in "ab"] == [2, 1]


def test_it_is_told_who_shares_with_whom() -> None:
    names = [f"q{number}" for number in range(7)]
    text = STREAM + "".join(created(name, SUM) for name in names) + created("other", OTHER)
    lines = explain_script(text, "s.sql", None, Format.TEXT).splitlines()
    assert [line for line in lines if line.startswith("shared")] == [
        "shared: 7 equal queries: one plan, with q1, q2, q3, 3 others",
        *["shared: 7 equal queries: one plan, with q0, q2, q3, 3 others"],
        *["shared: 7 equal queries: one plan, with q0, q1, q3, 3 others"],
        *["shared: 7 equal queries: one plan, with q0, q1, q2, 3 others"] * 4,
    ]


def test_queries_that_differ_in_constants_are_a_family() -> None:
    texts = {f"q{n}": SUM.replace("v > 1", f"v > {n}") for n in range(4)}
    with Trial(STREAM + "".join(created(*one) for one in texts.items()) + created("same", texts["q3"])) as trial:
        assert [list(f.queries) for f in trial.scheduler.members.factories.values()] == [
            ["q0"],
            ["q1", "q2", "q3", "same"],
        ]
        push(trial, 1, 2, 3)
        say(trial, "DROP CONTINUOUS QUERY q1;" + created("late", SUM.replace("v > 1", "v > 1.5")))
        push(trial, 4, 5, 6, 7, 8, 9)
        trial.end()
        assert trial.factory("late") is trial.factory("q2")
        assert trial.answers("same") == trial.answers("q3") != []
        assert {row["t"] for row in trial.answers("q2") if row["window_end"] == at(4)} == {3.0}
        assert {row["t"] for row in trial.answers("late") if row["window_end"] == at(8)} == {4.0 + 6.0, 5.0 + 7.0}
        assert trial.scheduler.members.queries["late"].answered.after == f"after {at(2):%Y-%m-%d %H:%M:%S}+00:00"


def test_a_number_of_a_member_is_never_given_again(tmp_path: Path) -> None:
    """What is kept of one that is gone would be taken for the new one's."""
    texts = {f"q{n}": SUM.replace("v > 1", f"v > {n}") for n in range(3)}
    script = STREAM + "".join(created(*one) for one in texts.items())
    with Trial(script, directory=tmp_path) as trial:
        push(trial, 2, 3, 5)
        say(trial, "DROP CONTINUOUS QUERY q2;")
    with Trial(STREAM + created("q1", texts["q1"]), directory=tmp_path) as trial:
        say(trial, created("new", SUM.replace("v > 1", "v > 7")))
        assert trial.factory("new") is trial.factory("q1")
        push(trial, 8, 9)
        trial.end()
        assert {row["t"] for row in trial.answers("new")} == {8.0, 9.0}


def test_it_is_told_who_is_a_family() -> None:
    texts = (created(f"q{n}", SUM.replace("v > 1", f"v > {n}")) for n in range(3))
    lines = explain_script(STREAM + "".join(texts), "s.sql", None, Format.TEXT).splitlines()
    told = ["shared: family of 2: one plan, with q2", "shared: family of 2: one plan, with q1"]
    assert [line for line in lines if line.startswith("shared")] == told


def test_many_selections_are_a_family() -> None:
    texts = {f"q{n}": f"SELECT k, v FROM s WHERE v > {n} AND v <= {n + 3}" for n in range(20)}
    alone = ALONE_BEFORE[Timing.ROW_BY_ROW]
    with Trial(STREAM + "".join(created(*one) for one in texts.items())) as trial:
        assert len(trial.scheduler.members.factories) == alone + 1
        assert len(trial.factory("q19").queries) == 20 - alone
        push(trial, 2, 17, 18)
        say(trial, "DROP CONTINUOUS QUERY q16;" + created("late", "SELECT k, v FROM s WHERE v > 17 AND v <= 30"))
        push(trial, 19, 21)
        assert {
            name: sorted(row["v"] for row in trial.answers(name)) for name in ("q0", "q15", "q17", "q19", "late")
        } == {
            "q0": [2.0],
            "q15": [17.0, 18.0],
            "q17": [18.0, 19.0],
            "q19": [21.0],
            "late": [19.0, 21.0],
        }
