"""A stream's source as a streaming frame: any Spark source by its format and options."""

from __future__ import annotations

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from datacell.errors import SourceError
from datacell.receptors.checks import MALFORMED
from datacell.sql.catalog import StreamDefinition

FILE_ORDER = ("__file_time", "__file_path", "__file_start")
"""Columns by which the rows of one micro-batch of files are put in order; rows of one stretch of a file are in it."""

TEXT_FORMATS = frozenset({"csv", "json"})
FILE_FORMATS = TEXT_FORMATS | {"parquet", "orc", "text", "xml", "avro"}


def open_source(spark: SparkSession, stream: StreamDefinition) -> DataFrame:
    """The stream's rows as Spark reads them."""
    options = dict(stream.options)
    form = options.pop("format").lower()
    try:
        return _opened(spark, stream, form, options)
    except PySparkException as error:
        raise SourceError(
            f"the source of stream {stream.name} cannot be opened: {str(error).splitlines()[0]}",
            hint="check format, path and options in its WITH (…)",
        ) from error


def from_frame(frame: DataFrame, stream: StreamDefinition) -> DataFrame:
    """A streaming frame of the user's, under the stream's names and types."""
    return _cast(frame, stream).withColumn(MALFORMED, f.lit(None).cast("string"))


def _opened(spark: SparkSession, stream: StreamDefinition, form: str, options: dict[str, str]) -> DataFrame:
    reader = spark.readStream.format(form)
    columns = ", ".join(f"`{c.name.replace('`', '``')}` {c.type}" for c in stream.columns)
    if form in TEXT_FORMATS:
        settings = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": MALFORMED, **options}
        return _in_file_order(reader.schema(f"{columns}, {MALFORMED} string").options(**settings).load())
    if form in FILE_FORMATS:
        frame = _in_file_order(reader.schema(columns).options(**options).load())
    else:
        frame = _cast(reader.options(**options).load(), stream)
    return frame.withColumn(MALFORMED, f.lit(None).cast("string"))


def _in_file_order(frame: DataFrame) -> DataFrame:
    """Spark reads large files first; these columns tell the order in which the rows are there."""
    return frame.select(
        "*",
        f.col("_metadata.file_modification_time").alias(FILE_ORDER[0]),
        f.col("_metadata.file_path").alias(FILE_ORDER[1]),
        f.col("_metadata.file_block_start").alias(FILE_ORDER[2]),
    )


def _cast(frame: DataFrame, stream: StreamDefinition) -> DataFrame:
    """Sources with a schema of their own: columns by name where they have it, else by position."""
    names = {c.lower(): c for c in frame.columns}
    by_name = all(c.name.lower() in names for c in stream.columns)
    if not by_name and len(frame.columns) < len(stream.columns):
        given = ", ".join(frame.columns)
        raise SourceError(f"the source of stream {stream.name} has the columns {given}", hint="declare these columns")
    sources = [names[c.name.lower()] if by_name else frame.columns[i] for i, c in enumerate(stream.columns)]
    return frame.select(
        *(f.col(s).cast(str(c.type)).alias(c.name) for s, c in zip(sources, stream.columns, strict=True))
    )
