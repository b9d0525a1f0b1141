"""Clauses that sqlglot reads and no operator answers: refused by name, never lost in silence."""

from __future__ import annotations

from sqlglot import exp

from datacell.sql.bind.context import Context

_CLAUSES: dict[str, tuple[str, str | None]] = {
    "connect": ("CONNECT BY is not supported", None),
    "into": ("SELECT INTO is not supported", "write INSERT INTO name SELECT …"),
    "kind": ("SELECT AS is not supported", "write struct(…)"),
    "locks": ("a query locks nothing", "remove FOR UPDATE"),
    "match": ("MATCH_RECOGNIZE is not supported", None),
    "partition": ("PARTITION is not supported here", "filter by the partition's column in WHERE"),
    "sample": ("TABLESAMPLE gives a different answer each time", "filter by a column instead"),
    "version": ("the versions of a table are not supported", "read the table as it is"),
    "when": ("the versions of a table are not supported", "read the table as it is"),
}
_ALWAYS = ("locks", "sample", "version", "when")
"""What a continuous query cannot have, whoever answers it."""

PLACEMENTS = ("cluster", "distribute", "sort")
"""They say where rows are kept, and in which order there: not what the answer is."""

_ANSWERED: dict[type[exp.Expr], set[str]] = {
    exp.Select: {
        *("with_", "expressions", "hint", "distinct", "from_", "joins", "where", "group", "having", "qualify"),
        *("windows", "order", "limit", "offset", "laterals", *PLACEMENTS),
    },
    exp.SetOperation: {"with_", "this", "expression", "distinct", "order", "limit", "offset"},
    exp.Table: {"this", "alias", "db", "catalog", "joins", "hints"},
    exp.Subquery: {"this", "alias", "with_", "joins", "order", "limit", "offset"},
}


def refuse_clauses(context: Context, node: exp.Expr) -> None:
    """Refuse the first clause of a query or of an item of FROM that would have no effect."""
    answered = next((keys for kind, keys in _ANSWERED.items() if isinstance(node, kind)), set(node.args))
    for key, value in node.args.items():
        if value and key not in answered:
            where = value[0] if isinstance(value, list) else value
            unknown = (f"{key.strip('_').replace('_', ' ').upper()} is not supported", None)
            message, hint = _pivot(where) if key == "pivots" else _CLAUSES.get(key, unknown)
            make = context.rule if key in _ALWAYS and not _is_fixed(value) else context.unsupported
            raise make(message, where if isinstance(where, exp.Expr) else node, hint)
    placed = next((key for key in PLACEMENTS if node.args.get(key)), None)
    if placed is not None and (node.args.get("limit") or node.args.get("offset")):
        raise context.unsupported(f"which rows are the first after {placed.upper()} BY depends on partitions", node)
    distinct = node.args.get("distinct")
    if isinstance(distinct, exp.Distinct) and distinct.args.get("on") is not None:
        raise context.unsupported("DISTINCT ON is not supported", distinct, "use row_number() OVER … and QUALIFY")


def _is_fixed(node: object) -> bool:
    """A sample of all rows, of none or of so many rows is the same every time."""
    if not isinstance(node, exp.TableSample):
        return False
    share, numerator, denominator = map(node.text, ("percent", "bucket_numerator", "bucket_denominator"))
    return share in ("0", "100") or node.args.get("size") is not None or numerator == denominator == "1"


def _pivot(node: object) -> tuple[str, str]:
    if isinstance(node, exp.Pivot) and node.args.get("unpivot"):
        return "UNPIVOT is not supported", "use UNION ALL of one SELECT per column"
    return "PIVOT is not supported", "use aggregates with FILTER (WHERE …)"
