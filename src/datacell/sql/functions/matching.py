"""The type of a call: the first signature that its arguments fit, tried without casts and then with them.

A type variable takes the narrowest type that holds all the arguments it stands for. Lambdas come last, when the
types of their parameters are known from the other arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from datacell.algebra import types
from datacell.algebra.types import Type
from datacell.sql.functions.rules import RULES
from datacell.sql.functions.signature import (
    Digits,
    Exactly,
    Lambda,
    Named,
    Nested,
    OneOf,
    Pattern,
    Rule,
    SameAs,
    Signature,
)
from datacell.sql.functions.signature import Variable as Var
from datacell.sql.types import coercion
from datacell.sql.types.coercion import Accept
from datacell.sql.types.errors import SignatureError

LambdaBody = Callable[[tuple[Type, ...]], Type]


@dataclass(frozen=True)
class LambdaArgument:
    """A lambda of the query: how many parameters it has, and what types its body once they have types."""

    parameters: int
    body: LambdaBody


Argument = Type | LambdaArgument


def call_type(
    name: str, signatures: Sequence[Signature], arguments: Sequence[Argument], expressions: Sequence[exp.Expr]
) -> Type:
    """The type that a call returns; SignatureError if no signature fits it."""
    shaped = [(s, p) for s in signatures if (p := s.parameters(len(arguments))) is not None]
    if not shaped:
        raise SignatureError(_wrong_count(name, signatures, len(arguments)))
    misfits: list[_MisfitError] = []
    for accept in (coercion.exact, coercion.implicit):
        misfits = []
        for signature, parameters in shaped:
            try:
                fit = _fit(parameters, arguments, accept)
            except _MisfitError as misfit:
                misfits.append(misfit)
                continue
            return _result(signature, fit, name, expressions)
    raise _explain(name, misfits, arguments)


@dataclass
class _Fit:
    """What the arguments of a call mean for one signature."""

    accept: Accept
    seen: list[Type] = field(default_factory=list)
    variables: dict[str, Type] = field(default_factory=dict)
    digits: dict[str, int] = field(default_factory=dict)


class _MisfitError(Exception):
    """An argument that a signature does not take, and what it would take."""

    def __init__(self, *wanted: str, found: str | None = None) -> None:
        super().__init__(*wanted)
        self.wanted, self.found, self.argument = wanted, found, 0


def _fit(parameters: Sequence[Pattern], arguments: Sequence[Argument], accept: Accept) -> _Fit:
    fit = _Fit(accept, [types.NULL] * len(arguments))
    lambdas_last = sorted(range(len(arguments)), key=lambda i: isinstance(arguments[i], LambdaArgument))
    for i in lambdas_last:
        try:
            fit.seen[i] = _fit_argument(parameters[i], arguments[i], fit)
        except _MisfitError as misfit:
            misfit.argument = i
            raise
    return fit


def _fit_argument(pattern: Pattern, given: Argument, fit: _Fit) -> Type:
    match pattern, given:
        case Lambda(), LambdaArgument():
            return _fit_lambda(pattern, given, fit)
        case (Lambda(), _) | (_, LambdaArgument()):
            raise _MisfitError(*_words(pattern, fit))
        case _, Type():
            return _fit_type(pattern, given, fit)
    raise AssertionError(pattern)


def _fit_lambda(pattern: Lambda, given: LambdaArgument, fit: _Fit) -> Type:
    if given.parameters != len(pattern.parameters):
        raise _MisfitError(*_words(pattern, fit))
    result = given.body(tuple(_substitute(p, fit) for p in pattern.parameters))
    if isinstance(pattern.result, Var) and fit.variables.get(pattern.result.name, result) != result:
        wanted = str(fit.variables[pattern.result.name])
        raise _MisfitError(f"a lambda that returns {wanted}", found=f"one that returns {result}")
    try:
        return _fit_type(pattern.result, result, fit)
    except _MisfitError as misfit:
        wanted = _either(misfit.wanted)
        raise _MisfitError(f"a lambda that returns {wanted}", found=f"one that returns {result}") from None


def _fit_type(pattern: Pattern, given: Type, fit: _Fit) -> Type:
    match pattern:
        case Named(name):
            found = fit.accept(name, given)
        case Var(name):
            found = types.common(fit.variables.get(name, types.NULL), given)
            fit.variables.update({name: found} if found else {})
        case Nested(name, inner):
            found = _fit_nested(pattern, given, fit)
        case Digits():
            found = fit.accept("decimal", given)
            fit.digits.update({pattern.precision: found.precision, pattern.scale: found.scale} if found else {})
        case OneOf(options):
            found = _fit_one_of(options, given, fit)
        case Exactly(inner):
            found = _fit_exactly(inner, given, fit)
        case Lambda():
            found = None
    if found is None:
        raise _MisfitError(*_words(pattern, fit))
    return found


def _fit_exactly(pattern: Pattern, given: Type, fit: _Fit) -> Type | None:
    if isinstance(pattern, Var) and not coercion.holds(fit.variables.get(pattern.name, types.NULL), given):
        return None
    accept = fit.accept if given == types.NULL else coercion.exact
    try:
        return _fit_type(pattern, given, _Fit(accept, fit.seen, fit.variables, fit.digits))
    except _MisfitError:
        return None


def _fit_nested(pattern: Nested, given: Type, fit: _Fit) -> Type | None:
    if given == types.NULL and fit.accept is coercion.implicit:
        given = Type(pattern.name, tuple(types.NULL for _ in pattern.inner), names=pattern.names)
    if given.name != pattern.name or len(given.arguments) != len(pattern.inner):
        return None
    inner = (_fit_type(p, t, fit) for p, t in zip(pattern.inner, given.arguments, strict=True))
    return Type(given.name, tuple(inner), names=given.names)


def _fit_one_of(options: Sequence[Pattern], given: Type, fit: _Fit) -> Type | None:
    for accept in (coercion.exact, fit.accept):
        for option in options:
            try:
                return _fit_type(option, given, _Fit(accept, fit.seen, fit.variables, fit.digits))
            except _MisfitError:
                continue
    return None


def _result(signature: Signature, fit: _Fit, name: str, expressions: Sequence[exp.Expr]) -> Type:
    match signature.result:
        case SameAs(argument):
            return fit.seen[argument]
        case Rule(rule):
            return RULES[rule](name, fit.seen, expressions)
        case pattern:
            return _substitute(pattern, fit)


def _substitute(pattern: Pattern, fit: _Fit) -> Type:
    match pattern:
        case Var(name):
            return fit.variables.get(name, types.NULL)
        case Nested(name, inner, names):
            return Type(name, tuple(_substitute(p, fit) for p in inner), names=names)
        case Digits(precision, scale):
            return types.decimal(*(min(types.MAX_PRECISION, _sum(text, fit)) for text in (precision, scale)))
        case Named(name):
            return types.of(name)
    raise AssertionError(pattern)


def _sum(text: str, fit: _Fit) -> int:
    return sum(int(part) if part.isdigit() else fit.digits[part] for part in text.split("+"))


def _explain(name: str, misfits: Sequence[_MisfitError], arguments: Sequence[Argument]) -> SignatureError:
    """The argument that the signatures got furthest with is the wrong one."""
    worst = max(misfit.argument for misfit in misfits)
    decisive = [misfit for misfit in misfits if misfit.argument == worst]
    decisive = [misfit for misfit in decisive if misfit.found] or decisive
    wanted = _wanted(word for misfit in decisive for word in misfit.wanted)
    found = decisive[0].found or _shown(arguments[worst])
    place = f" as argument {worst + 1}" if len(arguments) > 1 else ""
    return SignatureError(f"{name} needs {wanted}{place}, not {found}", worst)


def _shown(argument: Argument) -> str:
    return _lambda_of(argument.parameters) if isinstance(argument, LambdaArgument) else str(argument)


def _lambda_of(parameters: int) -> str:
    return f"a lambda of {parameters} parameter{'s' * (parameters != 1)}"


def _wrong_count(name: str, signatures: Sequence[Signature], count: int) -> str:
    limit = 12
    possible = sorted({n for signature in signatures for n in signature.counts(limit)})
    if not possible or possible == [0]:
        return f"{name} takes no arguments, not {count}"
    if any(signature.repeated for signature in signatures):
        odd = "" if possible[-1] - possible[-2] == 1 else " in groups"
        return f"{name} takes at least {possible[0]} argument{'s' * (possible[0] != 1)}{odd}, not {count}"
    return f"{name} takes {_either(map(str, possible))} argument{'s' * (possible != [1])}, not {count}"


def _either(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def _wanted(words: Iterable[str]) -> str:
    """A wide word covers the narrow ones: a number is also an integer."""
    found = dict.fromkeys(words)
    covered = {narrow for wide, narrow in coercion.COVERED if wide in found}
    return _either(word for word in found if word not in covered)


def _words(pattern: Pattern, fit: _Fit) -> tuple[str, ...]:
    match pattern:
        case Named(name) | Nested(name):
            return (coercion.describe(name),)
        case Exactly(Named(name)):
            return (coercion.describe_exactly(name),)
        case Exactly(inner):
            return _words(inner, fit)
        case Var(name):
            known = fit.variables.get(name, types.NULL)
            return ("a value",) if known == types.NULL else (f"something like {known}",)
        case Digits():
            return (coercion.describe("decimal"),)
        case OneOf(options):
            return tuple(word for option in options for word in _words(option, fit))
        case Lambda(parameters):
            return (_lambda_of(len(parameters)),)
