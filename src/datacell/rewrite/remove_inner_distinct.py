"""A ⋉ δ(B) = A ⋉ B,  A ▷ δ(B) = A ▷ B,  A −s δ(B) = δ(A) −s B = A −s B,  δ(A ∪ δ(B)) = δ(A ∪max B) = δ(A ∪ B).

Derived operators that do not count rows need not be given every row once. Not always better: fewer rows may meet.
"""

from __future__ import annotations

from dataclasses import replace

from datacell.algebra.plan import Distinct, Join, JoinKind, MaxUnion, Plan, StrictDifference, Union


def rewrite(node: Plan) -> Plan:
    match node:
        case Join(right=Distinct(child), kind=JoinKind.SEMI | JoinKind.ANTI):
            return replace(node, right=child)
        case StrictDifference(left, right) if isinstance(left, Distinct) or isinstance(right, Distinct):
            return StrictDifference(_bare(left), _bare(right))
        case Distinct(Union(inputs)) if any(isinstance(i, Distinct) for i in inputs):
            return Distinct(Union(tuple(map(_bare, inputs))))
        case Distinct(MaxUnion(left, right)):
            return Distinct(Union((left, right)))
    return node


def _bare(plan: Plan) -> Plan:
    return plan.child if isinstance(plan, Distinct) else plan
