"""A bound, rewritten and printed query means what its text means to Spark: both are run over the same tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from datacell.algebra.schema import Schema
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import run_once
from datacell.engines.spark import SparkEngine
from datacell.rewrite.rules import optimized
from sample import DATA, at, bind, catalog

QUERIES = [
    "SELECT * FROM t",
    "SELECT t.*, u.b FROM t JOIN u USING (k)",
    "SELECT k, a + 1 AS x, x * 2 AS y FROM t",
    "SELECT t.k, u.b FROM t LEFT JOIN u ON t.k = u.k AND u.b > 5",
    "SELECT k, t.a, u.b FROM t FULL JOIN u USING (k)",
    "SELECT * FROM t NATURAL JOIN u",
    "SELECT * FROM t LEFT SEMI JOIN u ON t.k = u.k",
    "SELECT * FROM t LEFT ANTI JOIN u ON t.k <=> u.k",
    "SELECT t.k FROM t, u WHERE t.k < u.b",
    "SELECT c, count(*) AS n, sum(a) AS s, avg(a) AS m, max(k) AS x FROM t GROUP BY c HAVING count(*) > 0",
    "SELECT c, count(DISTINCT a) AS d, sum(a) FILTER (WHERE k = 1) AS f FROM t GROUP BY 1",
    "SELECT upper(c) AS big, count(*) AS n FROM t GROUP BY big",
    "SELECT c, k, count(*) AS n, grouping_id() AS g FROM t GROUP BY ROLLUP (c, k)",
    "SELECT c, k, sum(a) AS s, grouping(k) AS g FROM t GROUP BY GROUPING SETS ((c, k), (c), ())",
    "SELECT c, k, count(*) AS n FROM t GROUP BY c, k WITH CUBE",
    "SELECT c, count(*) AS n FROM t GROUP BY ALL",
    "SELECT count(*) AS n, max(a) AS m FROM t WHERE false",
    "SELECT k FROM t UNION SELECT k FROM u",
    "SELECT k FROM t UNION ALL SELECT b FROM u",
    "SELECT k FROM t INTERSECT SELECT k FROM u",
    "SELECT k FROM t INTERSECT ALL SELECT k FROM u",
    "SELECT k FROM t EXCEPT SELECT k FROM u",
    "SELECT k FROM u EXCEPT ALL SELECT k FROM t",
    "(SELECT k FROM t UNION SELECT k FROM u) EXCEPT SELECT 1",
    "SELECT k, a FROM t WHERE k IN (SELECT k FROM u)",
    "SELECT k, a FROM t WHERE k NOT IN (SELECT k FROM u WHERE k IS NOT NULL)",
    "SELECT k, a FROM t WHERE k NOT IN (SELECT k FROM u)",
    "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k AND u.b > t.a)",
    "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.k)",
    "SELECT k, (SELECT max(b) FROM u WHERE u.k = t.k) AS m FROM t",
    "SELECT k, (SELECT count(*) FROM u WHERE u.k = t.k) AS n FROM t",
    "SELECT k, (SELECT sum(b) FROM u) AS s FROM t",
    "SELECT k FROM t WHERE a > (SELECT avg(b) FROM u WHERE u.k = t.k) / 10",
    "SELECT k, EXISTS (SELECT 1 FROM u WHERE u.k = t.k) AS e FROM t",
    "SELECT t.k, l.b FROM t, LATERAL (SELECT b FROM u WHERE u.k = t.k) AS l",
    "WITH x AS (SELECT k, sum(b) AS s FROM u GROUP BY k), y AS (SELECT k FROM x WHERE s > 5) SELECT * FROM y",
    "SELECT k, a, row_number() OVER (PARTITION BY c ORDER BY a, k) AS r, rank() OVER (ORDER BY a) AS q FROM t",
    "SELECT k, sum(a) OVER (PARTITION BY c ORDER BY k, a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s FROM t",
    "SELECT k, lag(a) OVER w AS l, lead(a, 1, 0) OVER w AS n FROM t WINDOW w AS (ORDER BY k, a, c)",
    "SELECT c, max(n) AS m FROM (SELECT c, k, count(*) AS n FROM t GROUP BY c, k) AS q GROUP BY c",
    "SELECT DISTINCT c, a IS NULL AS missing FROM t",
    "SELECT k, a FROM t ORDER BY k DESC NULLS LAST, a, c LIMIT 3 OFFSET 1",
    "SELECT CASE WHEN k > 1 THEN 'big' WHEN k = 1 THEN 'one' END AS w, count(*) AS n FROM t GROUP BY 1",
    "SELECT k BETWEEN 1 AND 2 AS b, c LIKE 'x%' AS l, coalesce(a, -1) AS a, k / 2 AS h, k DIV 2 AS d FROM t",
    "SELECT cast('12' AS INT) AS i, cast('x' AS INT) AS n, 1 / 0 AS z, 7 DIV 2 AS q, date '2024-02-28' + 2 AS d",
    "SELECT k, transform(array(k, a), x -> x + 1) AS t, size(array(1, 2)) AS s FROM t",
    "SELECT k FROM t WHERE k = '1' OR c = 'y'",
    "SELECT s.k, r.c FROM s JOIN r ON s.ts = r.ts WHERE s.v > 0.5",
    "SELECT date_trunc('MINUTE', ts) AS m, count(*) AS n FROM s GROUP BY 1",
    "SELECT * FROM VALUES (1, 'a'), (2, NULL) AS v(x, y)",
]


@pytest.fixture(scope="module")
def inputs(spark_engine: SparkEngine) -> dict[str, pa.Table]:
    known = catalog()
    fields = {n: s.fields for n, s in known.streams.items()} | dict(known.tables)
    tables = {}
    for name, columns in fields.items():
        values = [(at(row[0]), *row[1:]) if name in known.streams else row for row in DATA[name]]
        rows = [dict(zip((f.name for f in columns), row, strict=True)) for row in values]
        tables[name] = pa.Table.from_pylist(rows, schema=arrow_schema(Schema(columns)))
        spark_engine.session.createDataFrame(tables[name]).createOrReplaceTempView(name)
    return tables


@pytest.mark.parametrize("text", QUERIES)
def test_a_query_means_what_it_means_to_spark(
    text: str, inputs: dict[str, pa.Table], spark_engine: SparkEngine, spark: SparkSession
) -> None:
    expected = spark_engine.session.sql(text).toArrow()
    plan = optimized(bind(text)).plan
    given = run_once(spark_engine, plan, inputs)
    assert given.schema.names == expected.schema.names or "SELECT 1" in text
    assert _rows(given) == _rows(expected)


def _rows(table: pa.Table) -> Counter[Any]:
    return Counter(zip(*(map(str, column.to_pylist()) for column in table.columns), strict=True))
