"""A script of queries over the sample's streams, for `datacell run`, and what it must have written in the end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from datacell.algebra.query import Timing
from datacell.rewrite.driver import fixed_point
from datacell.rewrite.rules import DECIDE
from reference import Answer
from sample import DATA, answers, at, bind
from window_laws import micros

QUERIES = [
    "SELECT k, count(*) AS n, sum(v) AS total FROM s [RANGE 3 SECONDS SLIDE 1 SECOND] GROUP BY k",
    "SELECT avg(v) AS mean, max(n) AS top FROM s [FIXED 4 SECONDS SLIDE 2 SECONDS]",
    "SELECT k, v FROM s [ROWS 3 SLIDE 2]",
    "SELECT k, max(v) AS top FROM s [PARTITION BY k ROWS 2 SLIDE 1] GROUP BY k",
    "SELECT count(*) AS n FROM s [LANDMARK SLIDE 2 SECONDS]",
    "SELECT count(*) AS n FROM s [LANDMARK SLIDE 1 SECOND RESET EVERY 4 SECONDS]",
    "SELECT count(k) AS n FROM s [LANDMARK SLIDE 3 ROWS]",
    "SELECT a.k, b.x FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] a JOIN r [RANGE 3 SECONDS SLIDE 2 SECONDS] b ON a.k = b.k",
    "SELECT a.k, b.x FROM s [RANGE 1 SECOND SLIDE 1 SECOND] a "
    "FULL JOIN r [RANGE 1 SECOND SLIDE 1 SECOND] b ON a.k = b.k",
    "SELECT a.k, t.a FROM s [RANGE 2 SECONDS SLIDE 2 SECONDS] a LEFT JOIN t ON t.k = a.k",
    "SELECT k FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] WHERE k NOT IN (SELECT k FROM u WHERE k IS NOT NULL)",
    "SELECT k, v FROM s [RANGE 4 SECONDS SLIDE 2 SECONDS] a "
    "WHERE v >= (SELECT avg(v) FROM s [RANGE 4 SECONDS SLIDE 2 SECONDS] b WHERE b.k = a.k)",
    "SELECT DISTINCT k FROM s [RANGE 3 SECONDS SLIDE 3 SECONDS] UNION ALL SELECT k FROM t",
    "SELECT k FROM s [RANGE 3 SECONDS SLIDE 1 SECOND] EXCEPT ALL SELECT k FROM r [RANGE 2 SECONDS SLIDE 1 SECOND]",
    "SELECT k, row_number() OVER (PARTITION BY k ORDER BY v, n) AS i FROM s [RANGE 5 SECONDS SLIDE 5 SECONDS]",
    "SELECT k, v, n FROM s [RANGE 5 SECONDS SLIDE 1 SECOND] ORDER BY v DESC NULLS LAST, k, n LIMIT 2",
    "SELECT k, count(DISTINCT n) AS d, sum(n) FILTER (WHERE v > 1) AS f "
    "FROM s [RANGE 5 SECONDS SLIDE 2 SECONDS] GROUP BY ROLLUP (k)",
    "SELECT ISTREAM k, count(*) AS n FROM s [RANGE 2 SECONDS SLIDE 1 SECOND] GROUP BY k",
    "SELECT DSTREAM k FROM r [RANGE 2 SECONDS SLIDE 1 SECOND]",
    "SELECT k, window_start, window_end FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '2' SECONDS)) "
    "GROUP BY k, window_start, window_end",
    "SELECT k, sum(n) AS m "
    "FROM (SELECT k, n, count(*) AS c FROM s [RANGE 4 SECONDS SLIDE 1 SECOND] GROUP BY k, n) q GROUP BY k",
]
HEAD = """
CREATE STREAM s (ts TIMESTAMP, k INT, v DOUBLE, n INT, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
  WITH (format = 'json', path = '{root}/s');
CREATE STREAM r (ts TIMESTAMP, k INT, x INT, c STRING, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS)
  WITH (format = 'json', path = '{root}/r');
CREATE TEMPORARY VIEW t AS SELECT * FROM VALUES {t} AS t(k, a, c);
CREATE TEMPORARY VIEW u AS SELECT * FROM VALUES {u} AS u(k, b);
"""


def write(root: Path, queries: Sequence[str]) -> Path:
    """The script, beside what its streams read."""
    script = root / "script.sql"
    script.write_text("".join(_script(root, queries)))
    return script


def check(root: Path, queries: Sequence[str]) -> None:
    """What was written is what the reference evaluator answers."""
    for number, text in enumerate(queries):
        query = bind(text)
        expected = [a for a in answers(query, fixed_point(query.plan, DECIDE)) if a.rows]
        assert _written(root / f"out{number}", query.timing, query.plan.schema.names) == expected, text


def rows(directory: Path) -> list[dict[str, Any]]:
    """The rows of all parts that an emitter has written, in order."""
    parts = sorted(directory.glob("part-*.json"))
    return [json.loads(line) for part in parts for line in part.read_text().splitlines()]


def _script(root: Path, queries: Sequence[str]) -> Iterator[str]:
    values = {name: ", ".join(f"({', '.join(map(_literal, row))})" for row in DATA[name]) for name in ("t", "u")}
    yield HEAD.format(root=root, **values)
    for name, columns in (("s", ("ts", "k", "v", "n")), ("r", ("ts", "k", "x", "c"))):
        (root / name).mkdir()
        given = [dict(zip(columns, (at(row[0]).isoformat(), *row[1:]), strict=True)) for row in DATA[name]]
        (root / name / "rows.json").write_text("\n".join(map(json.dumps, given)))
    for number, text in enumerate(queries):
        yield f"CREATE CONTINUOUS QUERY q{number} AS {text};\n"
        yield f"CREATE EMITTER e{number} FROM q{number} WITH (format = 'json', path = '{root}/out{number}');\n"


def _literal(value: Any) -> str:
    return "NULL" if value is None else repr(value)


def _written(directory: Path, timing: Timing, names: tuple[str, ...]) -> list[Answer]:
    found: dict[int, Counter[tuple[Any, ...]]] = {}
    for row in rows(directory):
        end = row["window_end"]
        boundary = end if timing is Timing.ARRIVALS else micros(datetime.fromisoformat(end))
        found.setdefault(boundary, Counter())[tuple(_value(n, row[n]) for n in names)] += 1
    return [Answer(boundary, together) for boundary, together in sorted(found.items())]


def _value(name: str, value: Any) -> Any:
    if name.startswith("window_"):
        return datetime.fromisoformat(value)
    return round(value, 9) if isinstance(value, float) else value
