"""A Spark session as this system needs one.

Two laws. *One meaning*: whatever the owner of a session has configured, a query runs with ANSI mode off and in UTC, so
a bad value is NULL and a timestamp is an instant. *No trace*: the owner's configuration, views and current session stay
as they were; what a query needs is set in a session of our own that shares the owner's cluster and tables.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from datacell.engines.java_errors import without_greetings

_MEANING = {
    "spark.sql.ansi.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "false",
    "spark.sql.storeAssignmentPolicy": "ANSI",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.mapKeyDedupPolicy": "EXCEPTION",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.crossJoin.enabled": "true",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
}
_SMALL_JOBS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.arrow.localRelationThreshold": "65536",  # larger inputs are read by tasks, not by the planner
}
_FILES = "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
"""How Spark writes its offsets. Without Hadoop's native library the default starts a process per file, for chmod."""

_LOCAL = {
    "spark.sql.streaming.checkpointFileManagerClass": _FILES,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "localhost",
    "spark.sql.catalogImplementation": "in-memory",
}
_MOST_GIGABYTES = 4
_NOISY = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def session(master: str | None = None, application: str = "datacell") -> SparkSession:
    """A new local session, or the one that this process has already started; whoever calls it stops it."""
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    quieten()
    builder = SparkSession.builder.master(master or "local[*]").appName(application)
    settings = {**_LOCAL, **_MEANING, **_SMALL_JOBS, "spark.driver.extraJavaOptions": _logging_option()}
    for key, value in settings.items():
        builder = builder.config(key, value)
    if (master or "local").startswith("local"):
        builder = builder.config("spark.sql.shuffle.partitions", str(_cores(master)))
        builder = builder.config("spark.driver.memory", f"{_memory()}g")
    with without_greetings():
        return builder.getOrCreate()


def own_session(owner: SparkSession) -> SparkSession:
    """A session beside the owner's, with what a query's meaning needs and with views of its own."""
    quieten()
    before = owner.conf.get("spark.sql.shuffle.partitions")
    ours = owner.newSession()
    for key, value in {**_MEANING, **_SMALL_JOBS}.items():
        ours.conf.set(key, value)
    if str(owner.sparkContext.master).startswith("local") and before is not None:
        ours.conf.set("spark.sql.shuffle.partitions", str(min(int(before), owner.sparkContext.defaultParallelism)))
    return ours


def quieten() -> None:
    """PySpark prints every failed query to the console as JSON; what failed is in the exception already."""
    for name in _NOISY:
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL + 1)


def _logging_option() -> str:
    return f"-Dlog4j2.configurationFile={(Path(__file__).parent / 'log4j2.properties').as_uri()}"


def _memory() -> int:
    """Gigabytes for Spark in this process: a quarter of what there is, but no more than it can use."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(_MOST_GIGABYTES, max(1, total // 4 >> 30))


def _cores(master: str | None) -> int:
    inside = (master or "local[*]").removeprefix("local").strip("[]")
    return int(inside) if inside.isdigit() else 1 if inside == "" else os.cpu_count() or 1
