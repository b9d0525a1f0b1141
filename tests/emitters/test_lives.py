"""What emitters have delivered belongs to a query's life; what they have not is kept until they are there again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.json as pj
import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.cell.cell import Cell
from datacell.errors import EmitterError
from emitters.outputs import eventually
from emitters.tcp_client import Client

pytestmark = pytest.mark.spark

STREAM, QUERY = "CREATE STREAM s (n INT)", "CREATE CONTINUOUS QUERY q AS SELECT n FROM s"
TCP = "CREATE EMITTER e FROM q WITH (format = 'tcp', port = '0')"


def _files(path: Path) -> str:
    return f"CREATE EMITTER e FROM q WITH (format = 'json', path = '{path}')"


def _rows(directory: Path) -> list[int]:
    tables = [pj.read_json(path) for path in sorted(directory.glob("part-*"))]
    return [] if not tables else sorted(pa.concat_tables(tables)["n"].to_pylist())


def _shown(cell: Cell, statement: str) -> dict[str, Any]:
    answer = cell.sql(statement)
    assert answer is not None
    (row,) = answer.to_pylist()
    return row


def test_drop_and_create_under_the_same_names_loses_and_repeats_nothing(cell: Cell, tmp_path: Path) -> None:
    cell.sql(f"{STREAM}; {QUERY}; {_files(tmp_path / 'first')}")
    for number in (1, 2):
        cell.push("s", [(number,)])
        cell.run(once=True)
    assert _rows(tmp_path / "first") == [1, 2]
    cell.sql(f"DROP EMITTER e; DROP CONTINUOUS QUERY q; {QUERY}; {_files(tmp_path / 'second')}")
    cell.push("s", [(3,)])
    cell.run(once=True)
    assert (_rows(tmp_path / "first"), _rows(tmp_path / "second")) == ([1, 2], [3])
    shown = _shown(cell, "SHOW EMITTERS")
    assert (shown["state"], shown["delivered"], shown["pending"], shown["failure"]) == ("up to date", 1, 0, None)


def test_a_query_of_an_earlier_run_goes_with_its_emitters(spark: SparkSession, tmp_path: Path) -> None:
    first = datacell.connect(tmp_path / "state", spark=spark)
    first.sql(f"{STREAM}; {QUERY}; {_files(tmp_path / 'first')}")
    first.push("s", [(1,)])
    first.run(once=True)
    first.stop()
    second = datacell.connect(tmp_path / "state", spark=spark)
    second.sql(f"{STREAM}; {QUERY}; DROP CONTINUOUS QUERY q; {QUERY}; {_files(tmp_path / 'second')}")
    second.push("s", [(2,)])
    second.run(once=True)
    second.stop()
    assert (_rows(tmp_path / "first"), _rows(tmp_path / "second")) == ([1], [2])


def test_an_emitter_without_a_client_says_so_and_finds_everything_after_a_restart(
    spark: SparkSession, tmp_path: Path
) -> None:
    first = datacell.connect(tmp_path / "state", spark=spark, kept_firings=1)
    first.sql(f"{STREAM}; {QUERY}; {TCP}")
    first.start()
    output = first.statements.factory("q").output
    for number in range(3):
        first.push("s", [(number,)])
        assert eventually(lambda: output.next_number == number + 1, 60)  # noqa: B023 - called at once
    shown = _shown(first, "SHOW EMITTERS")
    assert (shown["state"], shown["delivered"], shown["pending"]) == ("waiting", 0, 3)
    assert "no client is connected to 127.0.0.1:" in shown["failure"]
    assert list(first.progress().troubles) == ["e"]
    first.stop()
    second = datacell.connect(tmp_path / "state", spark=spark, kept_firings=1)
    second.sql(f"{STREAM}; {QUERY}")
    second.push("s", [(3,)])
    second.start()
    output = second.statements.factory("q").output
    assert eventually(lambda: output.next_number == 4, 60)
    assert (_shown(second, "SHOW QUERIES")["let go"], output.first_number) == (0, 0)
    second.sql(TCP)
    port = getattr(second.works.deliveries.running["e"].emitter, "port", 0)
    with Client(port) as client:
        assert [client.firing() for _ in range(4)] == [(n, [n]) for n in range(4)]
        client.acknowledge(3)
        assert eventually(lambda: output.first_number == 3)
    second.stop()


CHAIN = "CREATE STREAM a (n INT); CREATE STREAM s (n INT); INSERT INTO s SELECT n FROM a"


@pytest.mark.parametrize(("made", "fed"), [(STREAM, "s"), (CHAIN, "a")])
def test_what_waits_for_an_emitter_is_bounded_and_nothing_is_lost(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str, fed: str
) -> None:
    """Its streams wait, also those that lead to it by way of others; a run that is to end gives up and says why."""
    monkeypatch.setattr("datacell.cell.cell.LONGEST_SILENCE", 0.5)
    monkeypatch.setattr("datacell.emitters.delivery.LONGEST_SILENCE", 0.5)
    first = datacell.connect(tmp_path / "state", spark=spark, undelivered=1)
    first.sql(f"{made}; {QUERY}; {TCP}")
    first.push(fed, [(0,)])
    with pytest.raises(EmitterError, match="emitter e cannot deliver: the streams of its query wait"):
        first.run(once=True)
    first.push(fed, [(1,)])
    with pytest.raises(EmitterError, match="emitter e cannot deliver, and 0 MB of answers wait for it"):
        first.run(once=True)
    shown = _shown(first, "SHOW EMITTERS")
    assert (shown["delivered"], shown["pending"], shown["at most"], shown["pending bytes"] > 1) == (0, 1, 1, True)
    streams = first.sql("SHOW STREAMS")
    assert streams is not None
    (stream,) = (row for row in streams.to_pylist() if row["stream"] == fed)
    assert (stream["rows"], stream["remark"].partition(",")[0]) == (1, "waits: emitter e cannot deliver")
    first.stop()
    second = datacell.connect(tmp_path / "state", spark=spark, undelivered=1)
    second.sql(f"{made}; {QUERY}; {TCP}")
    second.start()
    port = getattr(second.works.deliveries.running["e"].emitter, "port", 0)
    with Client(port) as client:
        for number in range(2):
            assert client.firing()[1] == [number]
            client.acknowledge(number)
    second.stop()
