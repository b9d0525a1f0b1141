"""The coverage suite: queries as text, each asked over a growing window of streams and, by Spark, over their tables.

A line of `sql/coverage/*.sql` is a query; ``s[W]`` reads stream `s` under a window. The examples of Spark's functions
in `function_types.txt` are queries, too. `python tests/covered.py` runs all of them and prints the shares of those
that are incremental, evaluated again, and opaque.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.functions import expr
from pyspark.sql.types import StructType

from covered_rows import STREAMS
from datacell.algebra.query import Query
from datacell.algebra.schema import Schema
from datacell.cell.accepted import accepted
from datacell.compile import compile
from datacell.compile.compiled import NO_PLAN
from datacell.engines.arrow import arrow_schema
from datacell.engines.duckdb import DuckDBEngine
from datacell.engines.protocol import Engine
from datacell.engines.session import session
from datacell.engines.spark import SparkEngine
from datacell.engines.transfers import Account, to_driver
from datacell.placement.operators import Site
from datacell.placement.statistics import Statistics
from datacell.placement.unit_costs import SHIPPED
from datacell.runtime.net.factory import Factory
from datacell.runtime.plans.plans import Plans
from datacell.sql import script
from datacell.sql.bind.query_text import DEFECT
from datacell.sql.functions.refused import UNREPEATABLE
from datacell.testing import Trial, carry_out

HERE = Path(__file__).parent / "sql"
WINDOW = "[LANDMARK SLIDE 1 HOUR]"
DEFECTS = (DEFECT, NO_PLAN, "Spark: Syntax error")
"""Why a query is opaque though it is understood here; the last is said of a plan that is not spelled as SQL."""
T = pa.table({"a": pa.array([1, 2, None], pa.int32()), "n": ["one", "two", "none"]})


@dataclass(frozen=True)
class Outcome:
    """How a query was answered, or why not. That a defect of ours made it opaque is a problem, however right it is."""

    text: str
    strategy: str
    problem: str = ""
    why: str = ""


class Both(Trial):
    """On both engines, by cost; what is not understood is asked of Spark."""

    def __init__(self, text: str, spark: SparkEngine, duckdb: DuckDBEngine) -> None:
        self._both: dict[Site, Engine] = {Site.SPARK: spark, Site.DUCKDB: duckdb}
        super().__init__("", tables={"t": T}, engine=duckdb)
        self.wanted = None
        self.compile = lambda query, setting: accepted(compile(query, setting), spark.refusal)
        self.catalog = replace(self.catalog, analyze=spark.analyze, find_function=spark.find_function)
        for source, tokens in script.statements(text):
            carry_out(self, script.bind(source, tokens, self.catalog).statement)

    def add_query(self, name: str, query: Query, plans: Plans | None = None) -> Factory:
        chosen = plans or Plans.placed(name, self._both, None, self.tables.__getitem__, Statistics(), SHIPPED)
        return super().add_query(name, query, chosen)


class Coverage:
    """Asks queries in both ways."""

    def __init__(self, spark: SparkEngine) -> None:
        self.spark, self.duckdb = spark, DuckDBEngine(threads=1)
        with Trial("".join(map(definition, STREAMS))) as trial:
            for name, (columns, rows) in STREAMS.items():
                trial.push(name, rows)
                table = trial.stream(name).basket.rows().cast(arrow_schema_of(trial, name))
                spark.session.createDataFrame(table).to(spark_schema(spark, columns)).createOrReplaceTempView(name)
        spark.session.createDataFrame(T).createOrReplaceTempView("t")

    def planned(self, text: str) -> Outcome:
        """Only understood and planned."""
        return self._outcome(text, lambda _: None)

    def asked(self, text: str) -> Outcome:
        """Answered, and compared with the batch answer: rows, and the names of columns."""

        def compare(trial: Both) -> str | None:
            for name in read_in(text):
                rows = STREAMS[name][1]
                trial.push(name, rows[:3])
                trial.push(name, rows[3:])
            trial.end()
            factory = trial.factory("q")
            found = pa.concat_tables([factory.output.schema.empty_table(), *trial.firings("q")])
            added = len(found.schema) - len(factory.compiled.logical.plan.schema)
            given = found.select(range(added, len(found.schema)))
            names = factory.compiled.logical.names
            expected = self.batch(text)
            difference = compared(given, names, expected)
            is_random = difference is not None and compared(self.batch(text), tuple(expected.schema.names), expected)
            return None if is_random else difference

        return self._outcome(text, compare)

    def batch(self, text: str) -> pa.Table:
        """Spark's answer over tables."""
        return to_driver(leaving(self.spark.session.sql(text.replace("[W]", ""))), Account())

    def _outcome(self, text: str, then: Any) -> Outcome:
        continuous = "CREATE CONTINUOUS QUERY q AS " + text.replace("[W]", f" {WINDOW}")
        try:
            streams = "".join(map(definition, read_in(text)))
            with Both(streams + continuous, self.spark, self.duckdb) as trial:
                found = trial.factory("q").compiled.evaluation
                problem = found.why if any(defect in found.why for defect in DEFECTS) else then(trial)
                return Outcome(text, found.strategy, problem or "", found.why)
        except Exception as error:
            try:
                self.batch(text)
            except Exception:
                return Outcome(text, "wrong in Spark, too")
            return Outcome(text, "failed", f"{type(error).__name__}: {error}")


def definition(stream: str) -> str:
    return f"CREATE STREAM {stream} (ts TIMESTAMP, {STREAMS[stream][0]}, WATERMARK FOR ts AS ts);\n"


def spark_schema(spark: SparkEngine, columns: str) -> StructType:
    """As declared, with collations, which rows of the driver do not have."""
    return spark.session.createDataFrame([], f"ts TIMESTAMP, {columns}").schema


def read_in(text: str) -> list[str]:
    """The streams that a query reads."""
    return [name for name in STREAMS if re.search(rf"\b{name}\[W\]", text, re.IGNORECASE)]


def leaving(frame: DataFrame) -> DataFrame:
    """Spark's answer with variants as JSON, and with what else cannot leave Spark as it is cast to text."""
    columns = [f"`{n}`" for n in range(len(frame.columns))]
    made = []
    for column, (name, kind) in zip(columns, frame.dtypes, strict=True):
        as_text = f"to_json({column})" if kind == "variant" else f"CAST({column} AS STRING)"
        keeps = not re.search(r"variant|interval(?! (day|hour|minute|second))", kind)
        made.append(expr(column if keeps else as_text).alias(name))
    return frame.toDF(*(c.strip("`") for c in columns)).select(*made)


def arrow_schema_of(trial: Trial, name: str) -> pa.Schema:
    return arrow_schema(Schema(trial.stream(name).definition.fields))


def compared(found: pa.Table, names: tuple[str, ...], expected: pa.Table) -> str | None:
    """What is different, if something is."""
    if list(names) != expected.schema.names:
        return f"columns are {list(names)}, not {expected.schema.names}"
    ours, theirs = _rows(found), _rows(expected)
    if ours != theirs:
        more, less = (sorted(rows.elements(), key=str) for rows in (ours - theirs, theirs - ours))
        return f"rows are {more}, not {less}"
    return None


def _rows(table: pa.Table) -> Counter[tuple[Any, ...]]:
    columns = [[_plain(v) for v in column.to_pylist()] for column in table.columns]
    return Counter(zip(*columns, strict=True)) if columns else Counter()


def _plain(value: Any) -> Any:
    match value:
        case float():
            return "NaN" if math.isnan(value) else float(f"{value:.9g}")
        case dict():
            return tuple((k, _plain(v)) for k, v in value.items())
        case list() | tuple():
            return tuple(map(_plain, value))
    return value


def queries() -> list[str]:
    """All of them, clauses first."""
    return [*_clauses(), *_functions()]


def _clauses() -> Iterator[str]:
    for path in sorted((HERE / "coverage").glob("*.sql")):
        lines = path.read_text(encoding="utf-8").splitlines()
        yield from (line for line in lines if line and not line.startswith("--"))


def _functions() -> Iterator[str]:
    """For each function the examples of it that call no other that was met, over a row of the window."""
    met: set[str] = set()
    for line in (HERE / "function_types.txt").read_text(encoding="utf-8").splitlines():
        expression, _, types = line.rpartition(" | ")
        called = {name.lower() for name in re.findall(r"\b([a-zA-Z_]\w*)\s*\(", expression)}
        if not line or line.startswith("#") or types == "refused" or called & UNREPEATABLE or called <= met:
            continue
        met |= called
        rows = (
            "s[W] WHERE a = 3" if "FROM" not in expression else "(SELECT 1 AS one_row FROM s[W] WHERE a = 3) AS one_row"
        )
        yield f"SELECT {expression}{', ' if 'FROM' in expression else ' FROM '}{rows}"


def shares(outcomes: list[Outcome]) -> str:
    """How many are answered in which way."""
    asked = [o for o in outcomes if o.strategy != "wrong in Spark, too"]
    counts = Counter(o.strategy for o in asked)
    return ", ".join(f"{name} {count} ({count / len(asked):.1%})" for name, count in counts.most_common())


def main(words: list[str]) -> int:
    coverage = Coverage(SparkEngine(session()))
    wanted = [q for q in queries() if all(word in q for word in words)]
    outcomes = []
    for text in wanted:
        outcomes.append(coverage.asked(text))
        if outcomes[-1].problem:
            sys.stdout.write(f"{outcomes[-1].strategy}: {text}\n    {outcomes[-1].problem}\n")
    sys.stdout.write(f"{len(outcomes)} queries: {shares(outcomes)}\n")
    return 1 if any(o.problem for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
