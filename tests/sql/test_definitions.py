"""What CREATE STREAM says is what the catalog knows, and what later statements make of it."""

from __future__ import annotations

import pytest

from datacell.algebra import duration, scalar
from datacell.sql import script
from datacell.sql.catalog import Catalog
from datacell.sql.statements.statement import CreateStream, InsertInto, SparkStatement
from sample import defined

STREAM = """
CREATE STREAM s (id BIGINT NOT NULL CHECK (id > 0) CHECK (id < v), v DECIMAL(10, 2), at TIMESTAMP,
                 WATERMARK FOR at AS at - INTERVAL 1 MINUTE 30 SECONDS, IDLE TIMEOUT 10 SECONDS)
  WITH (format = 'kafka', kafka.bootstrap.servers = 'a:1' ',b:2', maxOffsetsPerTrigger = 10, failOnDataLoss = TRUE);
"""


def test_every_clause_of_a_stream() -> None:
    stream = defined(STREAM).stream("S")
    assert stream is not None
    assert [str(f) for f in stream.fields] == ["id bigint", "v decimal(10,2)", "at timestamp"]
    assert [c.nullable for c in stream.columns] == [False, True, True]
    assert [c.check and scalar.show(c.check) for c in stream.columns] == ["id > 0 AND id < v", None, None]
    assert (stream.event_time, stream.lateness) == ("at", 90 * duration.SECOND)
    assert stream.idle_timeout == 10 * duration.SECOND
    assert dict(stream.options) == {
        "format": "kafka",
        "kafka.bootstrap.servers": "a:1,b:2",
        "maxOffsetsPerTrigger": "10",
        "failOnDataLoss": "true",
    }


@pytest.mark.parametrize(
    ("clause", "lateness", "ahead"),
    [
        ("at - INTERVAL 2 SECONDS AHEAD AT MOST INTERVAL 1 DAY", 2 * duration.SECOND, duration.DAY),
        ("at AHEAD AT MOST 90 MINUTES", 0, 90 * duration.MINUTE),
        ("at - INTERVAL 2 SECONDS", 2 * duration.SECOND, None),
    ],
)
def test_a_watermark_may_bound_how_far_ahead_a_row_is(clause: str, lateness: int, ahead: int | None) -> None:
    stream = defined(f"CREATE STREAM s (at TIMESTAMP, WATERMARK FOR at AS {clause});").stream("s")
    assert stream is not None
    assert (stream.lateness, stream.ahead) == (lateness, ahead)


def test_a_stream_without_a_watermark_has_no_event_time() -> None:
    stream = defined("CREATE STREAM s (at TIMESTAMP);").stream("s")
    assert stream is not None
    assert (stream.event_time, stream.lateness, stream.idle_timeout, stream.options) == (None, 0, None, ())


def test_what_a_stream_says_to_us_needs_no_source() -> None:
    said = "'datacell.rate' = '2000', 'datacell.distinct.a' = '40', 'datacell.keep' = '1 hour'"
    stream = defined(f"CREATE STREAM s (a INT) WITH ({said});").stream("s")
    assert stream is not None
    assert stream.options == (("datacell.rate", "2000"), ("datacell.distinct.a", "40"))
    assert stream.keep == duration.HOUR


def test_a_stream_that_is_there_stays_as_it_is() -> None:
    text = "CREATE STREAM s (a INT); CREATE STREAM IF NOT EXISTS s (b INT);"
    stream = defined(text).stream("s")
    assert stream is not None
    assert [f.name for f in stream.fields] == ["a"]
    last = list(script.read(text))[-1].statement
    assert isinstance(last, CreateStream)
    assert last.if_not_exists


def test_a_name_is_free_again_after_its_drop_and_only_then() -> None:
    text = "CREATE STREAM s (a INT); CREATE CONTINUOUS QUERY q AS SELECT a FROM s;"
    emitted = f"{text} CREATE EMITTER q FROM q WITH (format = 'console'); DROP EMITTER q;"
    assert defined(emitted).emitter("q") is None
    assert defined(emitted).query("q") is not None
    dropped = defined(f"{emitted} DROP CONTINUOUS QUERY q; DROP STREAM s;")
    assert dropped == Catalog()


def test_inserts_are_remembered_until_a_stream_of_theirs_is_dropped() -> None:
    text = "CREATE STREAM a (x INT); CREATE STREAM b (x INT); CREATE STREAM c (x INT);"
    fed = f"{text} INSERT INTO b SELECT x FROM a; INSERT INTO c SELECT x FROM b;"
    assert defined(fed).fed_by("c") == {"a", "b", "c"}
    assert defined(f"{fed} DROP STREAM b;").fed_by("c") == {"c"}


def test_what_spark_makes_is_known_as_far_as_the_text_tells() -> None:
    catalog = defined(
        "CREATE TABLE t (a INT, b STRING); CREATE VIEW v AS SELECT a + 1 AS c FROM t; CREATE VIEW w AS SELECT * FROM x;"
    )
    assert [str(f) for f in catalog.table("v") or ()] == ["c int"]
    assert catalog.is_table("w")
    assert not catalog.table("w")


def test_spark_gets_its_statements_as_written() -> None:
    text = "insert /* so */ into t\n select  'a;b' ; -- end"
    (placed,) = script.read(text)
    assert placed.statement == SparkStatement("insert /* so */ into t\n select  'a;b'")


def test_rows_for_a_stream_get_its_names_and_types() -> None:
    *_, placed = script.read("CREATE STREAM s (a DOUBLE, b STRING); INSERT INTO s (b) VALUES ('x');")
    assert isinstance(placed.statement, InsertInto)
    assert [str(f) for f in placed.statement.query.plan.schema] == ["a double", "b string"]


def test_text_has_the_collation_that_is_declared_where_it_is_compared() -> None:
    columns = (
        "c STRING COLLATE utf8_lcase NOT NULL, b STRING COLLATE UTF8_BINARY, l ARRAY<STRUCT<x: STRING COLLATE de>>"
    )
    stream = defined(f"CREATE STREAM s ({columns});").stream("s")
    assert stream is not None
    assert [str(f.type) for f in stream.fields] == ["string", "string", "array<struct<x:string>>"]
    compared = ["string collate UTF8_LCASE", "string", "array<struct<x:string collate DE>>"]
    assert [str(f.type) for f in stream.compared] == compared
    assert not stream.columns[0].nullable
