"""σp(α(γk A))  =  α(γk(σp A))  where p reads only keys: a group passes or fails as a whole."""

from __future__ import annotations

from dataclasses import replace

from datacell.algebra import scalar
from datacell.algebra.plan import Aggregate, Filter, Group, Plan


def rewrite(node: Plan) -> Plan:
    match node:
        case Filter(Aggregate(Group(child, keys)) as aggregate, predicate):
            values = {k.name: k.value for k in keys}
            if scalar.columns(predicate) and scalar.columns(predicate) <= values.keys():
                filtered = Filter(child, scalar.substitute(predicate, values))
                return replace(aggregate, child=Group(filtered, keys))
    return node
