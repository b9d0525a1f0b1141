"""σp(over A)  =  over(σp A)  where p reads only columns by which every function partitions: a partition passes or fails
as a whole."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.plan import Filter, Over, Plan


def rewrite(node: Plan) -> Plan:
    match node:
        case Filter(Over(child, functions) as over, predicate):
            common = frozenset(child.schema.names).intersection(*(_partition(f.value) for f in functions))
            if scalar.columns(predicate) and scalar.columns(predicate) <= common:
                return replace(over, child=Filter(child, predicate))
    return node


def _partition(window: exp.Expr) -> frozenset[str]:
    keys = window.args.get("partition_by") or ()
    return frozenset(k.name for k in keys if isinstance(k, exp.Column) and not scalar.is_outer(k))
