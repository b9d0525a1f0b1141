"""What leaves Spark as text: values for which there is no form outside of it.

A variant leaves as its JSON. An interval with months, and whatever has one or a variant inside, leaves as Spark casts
it to a string.
"""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra import scalar, types
from datacell.algebra.plan import Map, Plan
from datacell.algebra.schema import Field, Named


def leaving(plan: Plan) -> Plan:
    """The answer in types that it can leave Spark in."""
    if all(types.is_portable(column.type) for column in plan.schema):
        return plan
    return Map(plan, tuple(map(_leaving, plan.schema)))


def _leaving(column: Field) -> Named:
    value = scalar.column(column.name)
    if types.is_portable(column.type):
        return Named(column.name, value, column.type)
    if column.type == types.VARIANT:
        return Named(column.name, scalar.call("to_json", value), types.STRING)
    return Named(column.name, exp.TryCast(this=value, to=types.to_sqlglot(types.STRING)), types.STRING)
