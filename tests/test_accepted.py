"""What only Spark finds wrong with a query is told when it is created, with its place; what runs as written, runs."""

from __future__ import annotations

import pytest

import datacell
from datacell.errors import SqlError

pytestmark = pytest.mark.spark

STREAM = "CREATE STREAM s (ts TIMESTAMP, a INT, c STRING, d DOUBLE, WATERMARK FOR ts AS ts)"
WRONG = {
    "ntile(0) OVER (ORDER BY a)": "ntile",
    "nth_value(a, 0) OVER (ORDER BY a)": "nth_value",
    "lead(a, a) OVER (ORDER BY a)": "lead",
    "percentile_approx(d, 2.0)": "percentile_approx",
    "percentile(d, 1.5)": "percentile",
    "histogram_numeric(d, -1)": "histogram_numeric",
    "schema_of_json(c)": "schema_of_json",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_mistake_is_told_when_the_query_is_created(cell: datacell.Cell, wrong: str) -> None:
    cell.sql(STREAM)
    text = f"CREATE CONTINUOUS QUERY q AS SELECT {wrong} AS x FROM s [RANGE 1 MINUTE SLIDE 1 MINUTE]"
    with pytest.raises(SqlError) as refused:
        cell.sql(text)
    place = refused.value.place
    assert place is not None
    assert text[place.start : place.end] == WRONG[wrong]
    assert refused.value.message.startswith("Spark: ")
    queries = cell.sql("SHOW QUERIES")
    assert queries is not None
    assert not queries.to_pylist()


def test_explain_tells_it_too(cell: datacell.Cell) -> None:
    cell.sql(STREAM)
    with pytest.raises(SqlError, match="buckets must be between"):
        cell.sql("EXPLAIN PHYSICAL SELECT ntile(0) OVER (ORDER BY a) AS x FROM s [RANGE 1 MINUTE SLIDE 1 MINUTE]")


def test_what_slides_is_accepted(cell: datacell.Cell) -> None:
    cell.sql(STREAM)
    for number, sliding in enumerate(("avg(d)", "max(a)", "count(DISTINCT c)", "median(d)", "listagg(c)")):
        cell.sql(f"CREATE CONTINUOUS QUERY q{number} AS SELECT {sliding} AS x FROM s [RANGE 5 MINUTES SLIDE 1 SECOND]")
    queries = cell.sql("SHOW QUERIES")
    assert queries is not None
    assert len(queries) == 5


UNDERSTOOD = {
    "what is grouped and not sorted": "SELECT m, count(*) AS n FROM rows {w} GROUP BY m",
    "decimals of several relations": "SELECT sum(v) FROM (SELECT v FROM rows {w} UNION ALL SELECT v + 1 FROM rows {w})",
    "an argument by its name": "SELECT explode(collection => map_keys(m)) AS k FROM rows {w}",
    "times of a day": "SELECT a FROM rows {w} WHERE make_timestamp(DATE'2026-01-01', TIME'01:00:00') > ts",
}


@pytest.mark.parametrize("query", UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_spark_accepts_what_is_understood(cell: datacell.Cell, query: str) -> None:
    cell.sql(
        "CREATE STREAM rows (ts TIMESTAMP, a INT, m MAP<INT, INT>, v DECIMAL(10, 2), WATERMARK FOR ts AS ts);"
        f"CREATE CONTINUOUS QUERY q AS {query.format(w='[LANDMARK SLIDE 1 HOUR]')}"
    )
    queries = cell.sql("SHOW QUERIES")
    assert queries is not None
    assert queries.to_pylist()[0]["strategy"] != "opaque"
