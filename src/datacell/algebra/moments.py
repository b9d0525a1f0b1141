"""Variance, covariance and what follows from them, decomposed: sums of powers around a centre.

A partial keeps the number n of values, a centre c and sums of products of deviations from it, Σ(x - c), Σ(x - c)² and
others, named after their factors: x, xx, xy. Its centre is the mean, so the deviations are small. Sums around one
centre add up, so partials are first moved to a common one, the reference r. With d = c - r, for any powers i and j:

    Σ (x - rx)ⁱ (y - ry)ʲ  =  Σₐ Σ_b  C(i,a) C(j,b) dxⁱ⁻ᵃ dyʲ⁻ᵇ  Σ (x - cx)ᵃ (y - cy)ᵇ

Rounding errors grow with the distance of r from the mean, compared with the deviation, and not with the values. A sum
that is not finite (its values are not) stays so; its centre then does not matter. Extremes are kept beside squares,
because rounding must not make what does not vary vary a little: a correlation would be a number instead of NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import comb

from sqlglot import exp

from datacell.algebra import scalar
from datacell.algebra.partial import Call, Decomposition, cast, combined, formula, paired
from datacell.algebra.schema import Named
from datacell.algebra.types import BIGINT, DOUBLE

_LABELS = ("n", *(f"{kind}{x}" for x in "xy" for kind in ("", "c", "r", "min", "max")))
_LABELS += ("xx", "xy", "yy", "xxx", "xxxx")
_ZERO = exp.Literal.number(0)


@dataclass(frozen=True)
class _Sums:
    """The sums of an aggregate, and what they say about the values when all are combined."""

    call: Call

    def of(self, text: str, **values: exp.Expr) -> exp.Expr:
        """A formula over the columns, by their labels."""
        columns: dict[str, exp.Expr] = {label: scalar.column(self.call.label(label)) for label in _LABELS}
        return formula(text, **(columns | values))

    def mean(self, x: str) -> exp.Expr:
        """A centre is missing only if no value is finite."""
        centre = scalar.call("coalesce", self.of(f"c{x}"), _ZERO)
        return self.of(f"centre + {x} / n", centre=centre)

    def squares(self, x: str = "x") -> exp.Expr:
        """Σ (x - mean)²"""
        around = scalar.call("greatest", self.of(f"{x}{x} - {x} * {x} / n"), _ZERO)
        return self.of(f"CASE WHEN max{x} - min{x} <> 0 THEN around ELSE 0 END", around=around)

    def products(self) -> exp.Expr:
        """Σ (x - mean of x) (y - mean of y)"""
        return self.of("xy - x * y / n")

    def slope(self) -> exp.Expr:
        return formula("sxy / sxx", sxy=self.products(), sxx=self.squares())

    def intercept(self) -> exp.Expr:
        return formula("y - slope * x", y=self.mean("y"), slope=self.slope(), x=self.mean("x"))

    def correlation(self) -> exp.Expr:
        return formula("sxy / deviations", sxy=self.products(), deviations=self._deviations())

    def determination(self) -> exp.Expr:
        """A constant is determined by anything, nothing by a constant."""
        values = {"sxx": self.squares(), "syy": self.squares("y"), "r": self.correlation()}
        return formula("CASE WHEN sxx = 0 THEN NULL WHEN syy = 0 THEN 1 ELSE r * r END", **values)

    def skewness(self) -> exp.Expr:
        cubes = self.of("xxx - 3 * m * xx + 2 * m * m * x", m=self.of("x / n"))
        return formula("root * cubes / power", root=_sqrt(self.of("n")), cubes=cubes, power=_power(self.squares()))

    def kurtosis(self) -> exp.Expr:
        fourths = self.of("xxxx - 4 * m * xxx + 6 * m * m * xx - 3 * m * m * m * x", m=self.of("x / n"))
        return self.of("n * fourths / (sxx * sxx) - 3", fourths=fourths, sxx=self.squares())

    def _deviations(self) -> exp.Expr:
        return _sqrt(formula("sxx * syy", sxx=self.squares(), syy=self.squares("y")))


def _sqrt(value: exp.Expr) -> exp.Expr:
    return scalar.call("sqrt", value)


def _power(squares: exp.Expr) -> exp.Expr:
    """Squares to the power of 3/2."""
    return _sqrt(formula("s * s * s", s=squares))


def _variance(divisor: str) -> Callable[[_Sums], exp.Expr]:
    return lambda sums: sums.of(f"sxx / ({divisor})", sxx=sums.squares())


def _deviation(divisor: str) -> Callable[[_Sums], exp.Expr]:
    return lambda sums: _sqrt(_variance(divisor)(sums))


def _covariance(divisor: str) -> Callable[[_Sums], exp.Expr]:
    return lambda sums: sums.of(f"sxy / ({divisor})", sxy=sums.products())


@dataclass(frozen=True)
class _Moment:
    """Which sums it needs, lower ones first; of how many values it is NULL still; how it follows from the sums."""

    sums: str
    too_few: int
    finish: Callable[[_Sums], exp.Expr]


_MOMENTS: Mapping[str, _Moment] = {
    "var_pop": _Moment("x xx", 0, _variance("n")),
    **dict.fromkeys(("var_samp", "variance"), _Moment("x xx", 1, _variance("n - 1"))),
    "stddev_pop": _Moment("x xx", 0, _deviation("n")),
    **dict.fromkeys(("std", "stddev", "stddev_samp"), _Moment("x xx", 1, _deviation("n - 1"))),
    "skewness": _Moment("x xx xxx", 0, _Sums.skewness),
    "kurtosis": _Moment("x xx xxx xxxx", 0, _Sums.kurtosis),
    "covar_pop": _Moment("x y xy", 0, _covariance("n")),
    "covar_samp": _Moment("x y xy", 1, _covariance("n - 1")),
    "corr": _Moment("x y xx xy yy", 1, _Sums.correlation),
    "regr_sxx": _Moment("x xx", 0, _Sums.squares),
    "regr_syy": _Moment("x xx", 0, _Sums.squares),
    "regr_sxy": _Moment("x y xy", 0, _Sums.products),
    "regr_slope": _Moment("x y xx xy", 0, _Sums.slope),
    "regr_intercept": _Moment("x y xx xy", 0, _Sums.intercept),
    "regr_r2": _Moment("x y xx xy yy", 0, _Sums.determination),
}


def decompose(call: Call) -> Decomposition | None:
    """How an aggregate that is a function of moments is decomposed."""
    moment = _MOMENTS.get(call.function)
    if moment is None:
        return None
    words, values = moment.sums.split(), _variables(call)
    sums, deviating = _Sums(call), [x for x in values if x + x in words]
    columns = {
        **{Named(call.label(f"c{x}"), call.over_rows("avg", v), DOUBLE): "min" for x, v in values.items()},
        Named(call.label("n"), _count(call, values), BIGINT): "sum",
        **{Named(call.label(word), _sum(call, word, values), DOUBLE): "sum" for word in words},
        **{Named(call.label(f"min{x}"), call.over_rows("min", values[x]), DOUBLE): "min" for x in deviating},
        **{Named(call.label(f"max{x}"), call.over_rows("max", values[x]), DOUBLE): "max" for x in deviating},
    }
    finish = sums.of(f"CASE WHEN n > {moment.too_few} THEN value END", value=moment.finish(sums))
    return Decomposition(
        partials=tuple(columns),
        combined=tuple(combined(function, column) for column, function in columns.items()),
        finish=call.finished(finish),
        references=tuple(Named(call.label(f"r{x}"), _reference(sums, x), DOUBLE) for x in values),
        align=(
            *(Named(call.label(f"c{x}"), sums.of(f"r{x}"), DOUBLE) for x in values),
            *(Named(call.label(word), _moved(sums, word), DOUBLE) for word in words),
        ),
    )


def _variables(call: Call) -> dict[str, exp.Expr]:
    """What x and y stand for. Of a pair both are there, or neither."""
    match call.function, [cast(argument, DOUBLE) for argument in call.arguments]:
        case "regr_sxx", [y, x]:
            return {"x": paired(x, y)}
        case "regr_syy", [y, x]:
            return {"x": paired(y, x)}
        case "corr" | "covar_pop" | "covar_samp", [x, y]:
            return {"x": paired(x, y), "y": paired(y, x)}
        case _, [y, x]:
            return {"x": paired(x, y), "y": paired(y, x)}
        case _, [x]:
            return {"x": x}
    raise ValueError(f"{call.function} of {len(call.arguments)} arguments")


def _count(call: Call, values: Mapping[str, exp.Expr]) -> exp.Expr:
    return call.over_rows("count", values["x"])


def _sum(call: Call, word: str, values: Mapping[str, exp.Expr]) -> exp.Expr:
    """A sum around the mean, from what the engine says about the values."""
    n, x = _count(call, values), values[word[0]]
    squares = formula("variance * n", variance=call.over_rows("var_pop", x), n=n)
    match word:
        case "x" | "y":
            return cast(_ZERO, DOUBLE)
        case "xx" | "yy":
            return squares
        case "xy":
            return formula("covariance * n", covariance=call.over_rows("covar_pop", x, values["y"]), n=n)
        case "xxx":
            given = {"skewness": call.over_rows("skewness", x), "power": _power(squares), "root": _sqrt(n)}
            return scalar.call("coalesce", formula("skewness * power / root", **given), _ZERO)
    kurtosis = call.over_rows("kurtosis", x)
    fourths = formula("(kurtosis + 3) * squares * squares / n", kurtosis=kurtosis, squares=squares, n=n)
    return scalar.call("coalesce", fourths, _ZERO)


def _reference(sums: _Sums, x: str) -> exp.Expr:
    return scalar.call("min", sums.of(f"CASE WHEN c{x} * 0 = 0 THEN c{x} END"))


def _moved(sums: _Sums, word: str) -> exp.Expr:
    """The sum around the reference, from the sums around the centre."""
    distances = {f"d{x}": sums.of(f"CASE WHEN c{x} * 0 = 0 THEN c{x} - r{x} ELSE 0 END") for x in set(word)}
    return sums.of(" + ".join(_terms(word.count("x"), word.count("y"))), **distances)


def _terms(i: int, j: int) -> Iterator[str]:
    for a in range(i, -1, -1):
        for b in range(j, -1, -1):
            ways, moved = comb(i, a) * comb(j, b), "x" * a + "y" * b or "n"
            yield " * ".join([str(ways)] * (ways > 1) + [moved] + ["dx"] * (i - a) + ["dy"] * (j - b))
