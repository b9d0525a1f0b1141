"""What a column is called if nobody names it: as Spark spells its expression, as far as that is known here.

Where Spark is there, it is asked; so this is for those that try queries without it.
"""

from __future__ import annotations

from sqlglot import exp

from datacell.algebra import scalar

LONGEST = 60
"""Characters of what cannot be spelled as Spark does it."""

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
    exp.EQ: "=",
    exp.NullSafeEQ: "<=>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.And: "AND",
    exp.Or: "OR",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseXor: "^",
}


def name_of(node: exp.Expr) -> str:
    """What a column is called if nobody names it."""
    match node:
        case exp.Alias():
            return node.alias
        case exp.Paren(this=inner):
            return name_of(inner)
        case exp.Column():
            return node.name
        case exp.Dot():
            return str(node.expression.name)
    return _spelled(node)


def _spelled(node: exp.Expr) -> str:
    match node:
        case exp.Column() | exp.Dot() | exp.Alias() | exp.Paren():
            return name_of(node)
        case exp.Literal():
            return str(node.name)
        case exp.Null():
            return "NULL"
        case exp.Boolean():
            return str(node.this).lower()
        case exp.Star():
            return "1"
        case exp.Anonymous():
            return f"{node.name.lower()}({_list(node)})"
        case exp.Distinct():
            return f"DISTINCT {_list(node)}"
        case exp.Filter():
            return f"{_spelled(node.this)} FILTER (WHERE {_spelled(node.expression.this)})"
        case exp.Neg(this=exp.Literal() as number):
            return f"-{number.name}"
        case exp.Neg():
            return f"(- {_spelled(node.this)})"
        case exp.Not(this=exp.Is(expression=exp.Null()) as inner):
            return f"({_spelled(inner.this)} IS NOT NULL)"
        case exp.NEQ():
            return f"(NOT ({_spelled(node.this)} = {_spelled(node.expression)}))"
        case exp.Not():
            return f"(NOT {_spelled(node.this)})"
        case exp.Is(expression=exp.Null()):
            return f"({_spelled(node.this)} IS NULL)"
        case exp.Cast() | exp.TryCast():
            return f"CAST({_spelled(node.this)} AS {node.args['to'].sql(dialect='spark').upper()})"
        case exp.Case(this=None):
            branches = " ".join(f"WHEN {_spelled(i.this)} THEN {_spelled(i.args['true'])}" for i in node.args["ifs"])
            otherwise = node.args.get("default")
            return f"CASE {branches}{'' if otherwise is None else f' ELSE {_spelled(otherwise)}'} END"
        case _ if type(node) in _OPERATORS:
            return f"({_spelled(node.this)} {_OPERATORS[type(node)]} {_spelled(node.expression)})"
    text = scalar.show(node).lower()
    return text if len(text) <= LONGEST else "value"


def _list(node: exp.Expr) -> str:
    return ", ".join(map(_spelled, node.expressions))
