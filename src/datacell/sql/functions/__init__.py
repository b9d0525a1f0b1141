"""The functions of Spark SQL and the types of their calls.

``lookup`` finds a function, ``result_type`` types a call of it. What a function takes and returns stands in text
tables, one module per family, in the language that `signature` states.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from datacell.algebra.types import Type
from datacell.sql.functions.catalogue import Function, FunctionKind, lookup, names
from datacell.sql.functions.matching import LambdaArgument, LambdaBody, call_type
from datacell.sql.functions.signature import Signature
from datacell.sql.types.errors import SignatureError

__all__ = [
    "Function",
    "FunctionKind",
    "LambdaArgument",
    "LambdaBody",
    "Signature",
    "SignatureError",
    "lookup",
    "names",
    "result_type",
]


def result_type(
    function: Function, arguments: Sequence[Type | LambdaArgument], expressions: Sequence[exp.Expr]
) -> Type:
    """The type that a call returns; SignatureError if the function does not take these arguments.

    Whether a refused function may be called at all is the caller's to say.

    The expressions are the trees of the arguments: some results depend on the value of a literal or on a name.
    """
    if not function.signatures:
        raise SignatureError(f"{function.name} cannot be used: {function.refused}")
    return call_type(function.name, function.signatures, arguments, expressions)
