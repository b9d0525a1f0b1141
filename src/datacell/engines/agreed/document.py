"""The agreed tables as a page for readers: ``docs/engines.md`` is this text."""

from __future__ import annotations

from collections.abc import Iterable

from datacell.engines.agreed import analytic, spelling
from datacell.engines.agreed.entries import Entry, Table
from datacell.engines.agreed.refused import REFUSED, UNKNOWN
from datacell.engines.agreed.special import REMARKS, SPECIAL, SPECIAL_AGGREGATES

_HEAD = """# What the engines agree on

Spark runs every query. DuckDB runs a fragment of one only if every type, operator and function in it stands below, so
that the answer is the same whichever engine runs it. This page is made from the tables in
`src/datacell/engines/agreed`; `pytest --regenerate` writes it.

Types: boolean, tinyint, smallint, int, bigint, float, double, decimal, string, binary, date, timestamp, timestamp_ntz.

Operators: `+ - *` (integers, doubles, decimals up to 38 digits), `/` (not of decimals), `%`, `div`, `& | ^`,
comparisons, `AND OR NOT`, `IS`, `IN`, `BETWEEN`, `LIKE`, `ILIKE`, `RLIKE` (plain patterns), `CASE`, `||`, `CAST`, a
time plus or minus a written interval.

Where DuckDB raises instead of answering as Spark does (an integer overflows and would wrap around, a double does not
fit into an integer, text beyond ASCII in a function marked so), the fragment runs on Spark.
"""


def text() -> str:
    parts = [
        _HEAD,
        "## Functions of one row\n",
        _table((*_entries(spelling.scalars()), *((name, REMARKS[name]) for name in SPECIAL))),
        "## Aggregates\n",
        _table(
            (
                ("count(*), count(any*), count(DISTINCT any*)", "`count`, of rows without a NULL"),
                *_entries(analytic.aggregate_functions()),
                *((name, REMARKS[name]) for name in SPECIAL_AGGREGATES),
            )
        ),
        "## Only with OVER and ORDER BY\n",
        _table(_entries(analytic.ranking_functions())),
        "## Functions that stay on Spark\n",
        _table(sorted(REFUSED.items()), "why"),
        f"Every other function stays on Spark too: {UNKNOWN}.\n",
    ]
    return "\n".join(parts)


def _entries(table: Table) -> list[tuple[str, str]]:
    return [(str(entry), _spelling(entry)) for forms in table.values() for entry in forms]


def _spelling(entry: Entry) -> str:
    shown = entry.template if len(entry.template) <= _LONGEST else "several calls"
    return f"`{shown}`{', text in ASCII only' * entry.ascii_only}"


def _table(rows: Iterable[tuple[str, str]], second: str = "in DuckDB") -> str:
    lines = [f"| {_cell(name)} | {_cell(what)} |" for name, what in sorted(rows)]
    return "\n".join((f"| function | {second} |", "|---|---|", *lines, ""))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


_LONGEST = 120
