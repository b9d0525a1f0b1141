"""csv in two ways. Spark's csv reader is fast, but throws on a line with more fields than it has room for.

The careful way cannot throw: the lines are read as text, a line that would throw is left out, and `from_csv` parses
the others, with the same parser and the same options. A receptor starts with the fast way and changes to the careful
one when it has to. Records that span lines (`multiLine`) know only the fast way.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from datacell.algebra import types
from datacell.algebra.definitions import StreamDefinition
from datacell.errors import in_backticks
from datacell.receptors.checks import MALFORMED
from datacell.receptors.file_order import FILE_ORDER, file_order

MOST_FIELDS = 20_000
"""Fields of a line that is parsed at all; Spark's parser has room for 20480."""

_LINE, _PARSED = "__line", "__parsed"
_NO_SEPARATOR = "\x01\x02\x03"
"""Three control characters that make a whole line one field."""

_REPLACEMENT = "\ufffd"
"""What Spark's csv reader makes of bytes that are not UTF-8."""

_PARSING = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": MALFORMED}


def fast(spark: SparkSession, stream: StreamDefinition, options: dict[str, str], order: tuple[str, ...]) -> DataFrame:
    """The stream's columns from fields that lie in this order, with the text of what cannot be parsed."""
    frame, columns = _read(spark, stream, options, order)
    return frame.select(*columns, *file_order())


def plain(spark: SparkSession, stream: StreamDefinition, options: dict[str, str], order: tuple[str, ...]) -> DataFrame:
    """The same without where each line stands: Spark would read that for every row, even if nobody asks for it."""
    frame, columns = _read(spark, stream, options, order)
    return frame.select(*columns)


def careful(
    spark: SparkSession, stream: StreamDefinition, options: dict[str, str], order: tuple[str, ...]
) -> DataFrame:
    """The same rows in the way that cannot throw."""
    lines = _lines(spark, options)
    line = f.col(_LINE)
    fits, unbounded = _fits(line, separator(options)), {**_unbounded(options), **_PARSING}
    if (longest := _longest(options)) is not None:
        texts = f.from_csv(f.when(fits, line), ", ".join(f"{in_backticks(n)} string" for n in order), unbounded)
        fits &= f.coalesce(_length(texts, order) <= longest, f.lit(True))
    parsed = f.from_csv(f.when(fits, line), _schema(stream, order), unbounded)
    frame = lines.select(line, parsed.alias(_PARSED), *FILE_ORDER)
    malformed = f.when(f.col(_PARSED).isNull(), line).otherwise(f.col(f"{_PARSED}.{MALFORMED}"))
    columns = [f.col(f"{_PARSED}.{in_backticks(c.name)}").alias(c.name) for c in stream.columns]
    return frame.select(*columns, malformed.alias(MALFORMED), *FILE_ORDER)


def separator(options: dict[str, str]) -> str:
    given = options.get("sep", options.get("delimiter", ","))
    return given.encode().decode("unicode_escape") if given.startswith("\\") else given


def _read(
    spark: SparkSession, stream: StreamDefinition, options: dict[str, str], order: tuple[str, ...]
) -> tuple[DataFrame, list[Column]]:
    reader = spark.readStream.format("csv").schema(_schema(stream, order)).options(**{**options, **_PARSING})
    columns = [f.col(in_backticks(c.name)) for c in stream.columns]
    texts = [f.col(in_backticks(c.name)) for c in stream.columns if c.type == types.STRING]
    malformed = f.col(MALFORMED)
    for text in texts:
        malformed = f.when(text.contains(_REPLACEMENT), f.coalesce(malformed, f.concat_ws(",", *texts))).otherwise(
            malformed
        )
    return reader.load(), [*columns, malformed.alias(MALFORMED)]


def _unbounded(options: dict[str, str]) -> dict[str, str]:
    """Options with which no value is too long; a row that has more fields than columns is rejected in any case."""
    others = {n: value for n, value in options.items() if n.lower() not in ("maxcharspercolumn", "maxcolumns")}
    return {**others, "maxCharsPerColumn": "-1"}


def _longest(options: dict[str, str]) -> int | None:
    """Characters that a value may have, if the stream says so."""
    given = next((value for name, value in options.items() if name.lower() == "maxcharspercolumn"), "")
    return int(given) if given.isdecimal() else None


def _length(texts: Column, order: tuple[str, ...]) -> Column:
    """Characters of the longest value of a row."""
    lengths = [f.coalesce(f.length(texts[name]), f.lit(0)) for name in order]
    return f.greatest(*lengths) if len(lengths) > 1 else lengths[0]


def _schema(stream: StreamDefinition, order: tuple[str, ...]) -> str:
    kinds = {c.name: str(c.type) for c in stream.columns}
    fields = [f"{in_backticks(name)} {kinds.get(name, 'string')}" for name in order]
    return ", ".join([*fields, f"{MALFORMED} string"])


def _lines(spark: SparkSession, options: dict[str, str]) -> DataFrame:
    """The lines that are neither blank nor comments; Spark's csv reader knows which is a file's header."""
    if options.get("header", "false").lower() == "true":
        whole = {"sep": _NO_SEPARATOR, "quote": "\uffff", "escape": "\uffff", "mode": "PERMISSIVE"}
        reader = spark.readStream.format("csv").options(**{**_unbounded(options), **whole})
    else:
        reader = spark.readStream.format("text").options(**options)
    line = f.col(_LINE)
    lines = reader.schema("value string").load().select(f.col("value").alias(_LINE), *file_order())
    lines = lines.where(f.trim(line) != "")
    comment = options.get("comment")
    return lines.where(~line.startswith(comment)) if comment else lines


def _fits(line: Column, between: str) -> Column:
    """Can the line be parsed without harm? Few lines are so long that their fields must be counted."""
    without = f.replace(line, f.lit(between), f.lit(""))
    few = (f.length(line) - f.length(without)) < MOST_FIELDS * len(between)
    short = f.octet_length(line) < MOST_FIELDS
    return (short | few) & f.is_valid_utf8(line) & ~line.contains(_REPLACEMENT)
