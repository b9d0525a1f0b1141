"""What Spark says of a query: it is asked for whatever is not understood here."""

from __future__ import annotations

import re
from functools import cache

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from datacell.algebra.analysis import Analysis, AnalysisError
from datacell.engines.types import type_of

_OPERATOR = re.compile(r"^[\s:|+-]*([A-Z]\w+)", re.MULTILINE)
_CALL = re.compile(r"\b(\w+)\(")
_POSITION = re.compile(r"\(line (\d+), pos(?:ition)? (\d+)\)")
_ERROR_CLASS = re.compile(r"^\[([A-Z_.]+)\] ")
_WHERE = re.compile(r"[.;]* line \d+,? pos(ition)? \d+;?$")
_STATE = re.compile(r" SQLSTATE: \w+")


def analysis(spark: SparkSession, text: str) -> Analysis:
    """The columns and the operators of a text; `AnalysisError` if Spark refuses it, or gives what cannot leave it."""
    try:
        fields = spark.sql(text).schema.fields
    except PySparkException as error:
        raise refused(text, error) from error
    try:
        columns = tuple((f.name, type_of(f.dataType, collated=False)) for f in fields)
    except ValueError as error:
        raise AnalysisError(f"its answer cannot leave Spark: {error}") from error
    plan = cache(lambda: _plan(spark, text))
    return Analysis(
        columns,
        lambda: frozenset(_OPERATOR.findall(plan())),
        lambda: frozenset(name.lower() for name in _CALL.findall(plan())),
    )


def _plan(spark: SparkSession, text: str) -> str:
    """What Spark has made of the text, a line for each operator, with functions of SQL and views spelled out."""
    return str(spark.sql(text)._jdf.queryExecution().analyzed().toString())


def refused(text: str, error: PySparkException) -> AnalysisError:
    """Spark's own words, without what only its developers read."""
    message = _STATE.sub("", _ERROR_CLASS.sub("", str(error).strip().split("\n")[0]))
    start, stop = _where(text, error)
    return AnalysisError(f"Spark: {_WHERE.sub('', message).strip()}", start, stop)


def _where(text: str, error: PySparkException) -> tuple[int | None, int | None]:
    for context in error.getQueryContext():
        try:
            if context.startIndex() >= 0:
                return context.startIndex(), context.stopIndex() + 1
        except NotImplementedError:
            continue
    found = _POSITION.search(str(error))
    if found is None:
        return None, None
    line, column = int(found[1]), int(found[2])
    start = sum(len(one) + 1 for one in text.split("\n")[: line - 1]) + column
    return start, start + 1
