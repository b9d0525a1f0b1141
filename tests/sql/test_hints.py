"""Hints lead somewhere: what a hint tells to write can be read, and means something."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from datacell.sql import script

SOURCES = Path(__file__).parent.parent.parent / "src" / "datacell"
STREAMS = (
    "CREATE STREAM s (a INT, k INT, ts TIMESTAMP, WATERMARK FOR ts AS ts); CREATE STREAM other (a INT);"
    "CREATE CONTINUOUS QUERY q AS SELECT a FROM s; CREATE EMITTER e FROM q WITH (format = 'console');"
)
GROUPED = "SELECT k, {} AS x FROM s [RANGE 5 MINUTES SLIDE 1 MINUTE] GROUP BY k"
NEW = "CREATE CONTINUOUS QUERY name AS SELECT a FROM s"
EMITTER = "CREATE EMITTER name FROM q WITH (format = 'csv', path = 'out')"
OVER = "SELECT rank() OVER (ORDER BY a) AS r FROM s [RANGE 5 MINUTES SLIDE 1 MINUTE]"
STREAM = "CREATE STREAM name ({})"
AS_OF = "SELECT o.a FROM s {} o JOIN s {} FOR SYSTEM_TIME AS OF o.ts r ON o.k = r.k"

PROPOSED = {
    "CREATE STREAM it first": STREAM.format("a INT"),
    "DROP EMITTER … first": "DROP EMITTER e; DROP CONTINUOUS QUERY q",
    "DROP CONTINUOUS QUERY … first": "DROP EMITTER e; DROP CONTINUOUS QUERY q; DROP STREAM s",
    "DROP … first": "DROP EMITTER e; DROP CONTINUOUS QUERY q; DROP STREAM s",
    "DROP it, then CREATE it": f"DROP STREAM other; {STREAM.format('a INT').replace('name', 'other')}",
    "choose another name, or DROP it first": "DROP EMITTER e",
    "give another path, or DROP EMITTER … first": "DROP EMITTER e",
    "give another path; INSERT INTO … SELECT … puts answers into a stream": "INSERT INTO other SELECT a FROM s",
    "add CREATE CONTINUOUS QUERY name AS SELECT …": NEW,
    "write CREATE CONTINUOUS QUERY name AS SELECT …": NEW,
    "write CREATE CONTINUOUS QUERY name AS …": NEW,
    "…, then CREATE EMITTER … FROM name": f"{NEW}; {EMITTER.replace('name', 'n2').replace('FROM q', 'FROM name')}",
    "write CREATE EMITTER name FROM query WITH (format = 'csv', path = '…')": EMITTER,
    "add WITH (format = 'console')": "CREATE EMITTER name FROM q WITH (format = 'console')",
    "add table = 'name'": "CREATE EMITTER n FROM q WITH (format = 'table', table = 'name')",
    "add path = 'out/…'": "CREATE EMITTER name FROM q WITH (format = 'json', path = 'out/name')",
    "add path = '…' to its WITH (…)": STREAM.format("a INT") + " WITH (format = 'json', path = 'in')",
    "add port = '9999'": STREAM.format("a INT") + " WITH (format = 'tcp', port = '9999')",
    "add format = 'csv'": STREAM.format("a INT") + " WITH (format = 'csv', path = 'in')",
    "write WITH (format = 'csv', …)": STREAM.format("a INT") + " WITH (format = 'csv', path = 'in')",
    "write name = 'value'": STREAM.format("a INT") + " WITH (format = 'csv', path = 'in', header = 'true')",
    "write CREATE STREAM name (column TYPE, …)": STREAM.format("a INT, b STRING"),
    "write (name TYPE, …)": STREAM.format("a INT, b STRING"),
    "write CHECK (condition)": STREAM.format("a INT CHECK (a > 1)"),
    "write CHECK (value >= 0)": STREAM.format("value INT CHECK (value >= 0)"),
    "write WATERMARK FOR … AS … - INTERVAL 2 SECONDS": STREAM.format(
        "ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS"
    ),
    "write AS … - INTERVAL 2 SECONDS": STREAM.format("ts TIMESTAMP, WATERMARK FOR ts AS ts - INTERVAL 2 SECONDS"),
    "write AHEAD AT MOST INTERVAL 1 HOUR": STREAM.format(
        "ts TIMESTAMP, WATERMARK FOR ts AS ts AHEAD AT MOST INTERVAL 1 HOUR"
    ),
    "write … CONTINUOUS QUERY name": NEW,
    "write DROP CONTINUOUS QUERY name": "DROP EMITTER e; DROP CONTINUOUS QUERY q",
    "write RESTART CONTINUOUS QUERY name": "RESTART CONTINUOUS QUERY q",
    "RESTART CONTINUOUS QUERY … tries again; the others go on": "RESTART CONTINUOUS QUERY q",
    "DROP CONTINUOUS QUERY …, then create it again: it begins with what comes then": (
        "DROP EMITTER e; DROP CONTINUOUS QUERY q; CREATE CONTINUOUS QUERY q AS SELECT a FROM s"
    ),
    "DROP CONTINUOUS QUERY …, and create it again": (
        "DROP EMITTER e; DROP CONTINUOUS QUERY q; CREATE CONTINUOUS QUERY q AS SELECT a FROM s"
    ),
    "write '10 minutes', or '…'; without it REFRESH TABLE replaces the table": (
        "CREATE TABLE t (a INT) USING csv OPTIONS ('datacell.refresh' = '10 minutes'); "
        "CREATE TABLE u (a INT) USING csv OPTIONS ('datacell.refresh' = 'never'); REFRESH TABLE t"
    ),
    "write DROP … …": "DROP STREAM other",
    "write … STREAM, CONTINUOUS QUERY, EMITTER or TABLE": "DROP STREAM other; CREATE TABLE t (a INT)",
    "write EXPLAIN SELECT …": "EXPLAIN SELECT a FROM s",
    "write SELECT …": "SELECT a FROM s",
    "write |> WHERE …": "FROM s |> WHERE a > 1",
    "write SELECT *, or name columns": "SELECT * FROM s",
    "name a stream or a table: SELECT * FROM …": "SELECT * FROM s",
    "a query over tables needs no name: SELECT …": "SELECT * FROM VALUES (1) AS t(a)",
    "write it at the start: … SELECT …": "SELECT ISTREAM a FROM s [RANGE 5 MINUTES SLIDE 1 MINUTE]",
    "write INSERT INTO": "INSERT INTO other SELECT a FROM s",
    "write INSERT INTO name SELECT …": "INSERT INTO other SELECT a FROM s",
    "INSERT INTO a stream what … selects": "INSERT INTO other SELECT a FROM s WHERE a > 1",
    "INSERT INTO a stream, and let … read it": "INSERT INTO other SELECT a FROM s; SELECT a FROM other",
    "INSERT INTO another stream": "INSERT INTO other SELECT a FROM s",
    "list its columns in CREATE TABLE": "CREATE TABLE t (a INT, b STRING)",
    "write FROM name [RANGE 5 MINUTES]": "SELECT a FROM s [RANGE 5 MINUTES]",
    "write FROM name [RANGE …]": "SELECT a FROM s [RANGE 5 MINUTES]",
    "write it before the alias: name [RANGE …] AS …": "SELECT x.a FROM s [RANGE 5 MINUTES] AS x",
    "write FROM name [RANGE 5 MINUTES SLIDE 1 MINUTE]": "SELECT count(*) FROM s [RANGE 5 MINUTES SLIDE 1 MINUTE]",
    "write … [RANGE 5 MINUTES SLIDE 1 MINUTE]": "SELECT count(*) FROM s [RANGE 5 MINUTES SLIDE 1 MINUTE]",
    "use valid_from, or add SLIDE 1 SECOND": (
        "SELECT valid_from, a FROM s [RANGE 5 MINUTES]; SELECT window_end, a FROM s [RANGE 5 MINUTES SLIDE 1 SECOND]"
    ),
    "write PRIMARY KEY (id) NOT ENFORCED": STREAM.format("id INT, PRIMARY KEY (id) NOT ENFORCED"),
    "write rates FOR SYSTEM_TIME AS OF o.ts, where ts is the event time of o": AS_OF.format("", "[LATEST BY k]"),
    "write … [NOW], or no window": AS_OF.format("[NOW]", "[LATEST BY k]"),
    "write … [LATEST BY key] FOR SYSTEM_TIME AS OF …": AS_OF.format("", "[LATEST BY k]"),
    "write … [LATEST BY key] FOR SYSTEM_TIME AS OF …, or declare PRIMARY KEY (key) NOT ENFORCED": (
        "CREATE STREAM rates (k INT, ts TIMESTAMP, PRIMARY KEY (k) NOT ENFORCED, WATERMARK FOR ts AS ts);"
        + AS_OF.format("", "").replace("JOIN s", "JOIN rates")
    ),
    "write [LATEST BY id DELETE WHEN (op = 'd')]": "SELECT a FROM s [LATEST BY k DELETE WHEN (a = 1)]",
    "write [PARTITION BY k ROWS n]": "SELECT a FROM s [PARTITION BY k ROWS 3]",
    "there is nothing to read it from: add FROM": "SELECT a FROM s",
    "write …() OVER (ORDER BY …)": OVER,
    "write ROWS BETWEEN 5 PRECEDING …": OVER.replace("rank()", "sum(a)").replace(
        "ORDER BY a", "ORDER BY a ROWS BETWEEN 5 PRECEDING AND CURRENT ROW"
    ),
    "add it to GROUP BY, or write any_value(…)": GROUPED.format("any_value(a)"),
    "add it to GROUP BY": GROUPED.format("count(*)"),
    "write CAST(… AS type)": "SELECT CAST(a AS STRING) AS x FROM s",
    "use UNION ALL of one SELECT per column": "SELECT a FROM s UNION ALL SELECT k FROM s",
    "write LATERAL (SELECT …) AS name": "SELECT s.a, n.b FROM s, LATERAL (SELECT s.a + 1 AS b) AS n",
    "add ON …": (
        "SELECT x.a FROM s [RANGE 1 MINUTE SLIDE 1 MINUTE] x JOIN s [RANGE 1 MINUTE SLIDE 1 MINUTE] y ON x.a = y.a"
    ),
    "write SPLIT EVERY 10 SECONDS (SELECT …)": "SPLIT EVERY 10 SECONDS (SELECT a FROM s [RANGE 5 MINUTES])",
    "COALESCE (SELECT …)": "COALESCE (SELECT a FROM s [RANGE 5 MINUTES])",
    "SPLIT EVERY 10 SECONDS (SELECT …)": "SPLIT EVERY 10 SECONDS (SELECT a FROM s [RANGE 5 MINUTES])",
    "write SECONDS, MINUTES, HOURS or DAYS after …": "SELECT a FROM s [RANGE 5 HOURS SLIDE 1 DAYS]",
    "write a number and a unit, such as 5 MINUTES": "SELECT a FROM s [RANGE 5 MINUTES]",
    "write the window in FROM: …, and name window_start and window_end": (
        "SELECT window_start, window_end, count(*) AS n FROM s [FIXED 5 MINUTES SLIDE 5 MINUTES];"
        "SELECT window_start, count(*) AS n FROM s [RANGE 5 MINUTES SLIDE 1 MINUTE];"
        "SELECT window_start, count(*) AS n FROM s [SESSION 5 MINUTES PARTITION BY k]"
    ),
    "write …(TABLE stream, DESCRIPTOR(ts), …)": (
        "SELECT count(*) FROM TABLE(HOP(TABLE s, DESCRIPTOR(ts), INTERVAL 1 MINUTE, INTERVAL 5 MINUTES))"
    ),
}
"""What hints propose, with … for what they fill in; and a script in which it is written so."""

_STATEMENT = re.compile(
    r"\b(write|add|or|first|then|:)\b.*[A-Z]{2,}|\b(CREATE|DROP|RESTART|INSERT INTO) |(SELECT|FROM) …"
)
_TELLING = re.compile(r"(write|add|use|choose|DROP|…, then|give another path) ")


def hints() -> Iterator[str]:
    """All that is handed over as a hint, or is written as one: text that tells to write SQL."""
    for path in sorted(SOURCES.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parts = {id(value) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for value in node.values}
        told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if id(node) in parts | told or path.parent.name in ("bench", "tools", "engines", "placement", "cli"):
                continue
            text = _template(node)
            if "\n" not in text and _STATEMENT.search(text) and _TELLING.match(text) and "--" not in text:
                yield text


def _template(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else "…" for v in node.values)  # type: ignore[misc]
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


@pytest.mark.parametrize("hint", PROPOSED)
def test_what_a_hint_proposes_can_be_written(hint: str) -> None:
    assert list(script.read(STREAMS + PROPOSED[hint]))


def test_every_hint_that_proposes_sql_is_tried() -> None:
    found = set(hints())
    assert len(found) > 30
    assert not found - set(PROPOSED)
