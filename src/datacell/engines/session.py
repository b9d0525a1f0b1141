"""A Spark session as this system needs one.

Two laws. *One meaning*: whatever the owner of a session has configured, a query runs with ANSI mode off and in UTC, so
a bad value is NULL and a timestamp is an instant. *No trace*: the owner's configuration, views and current session stay
as they were; what a query needs is set in a session of our own that shares the owner's cluster and tables.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from datacell.engines import java
from datacell.engines.java_errors import without_greetings
from datacell.engines.reasons import explained
from datacell.errors import EngineError

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
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",  # as Arrow has it; others lose years and zones
}
_SMALL_JOBS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.arrow.localRelationThreshold": "65536",  # larger inputs are read by tasks, not by the planner
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "1000",  # paths up to which a listing takes no job
    "spark.sql.hive.filesourcePartitionFileCacheSize": "8388608",  # of files that were listed; new ones come all day
}
_SMALL_LOGS = {
    "spark.sql.streaming.minBatchesToRetain": "10",  # a run goes on from the last one, which is noted
    "spark.sql.streaming.fileSource.log.cleanupDelay": "10s",  # of what was compacted; the default is ten minutes
}
_LARGE_JOBS = {
    **_SMALL_JOBS,
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.adaptive.coalescePartitions.initialPartitionNum": "200",  # they become fewer; few would not fit memory
    "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
    "spark.sql.files.maxPartitionBytes": "32m",  # what a task groups must fit into its memory
}
_FILES = "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
"""How Spark writes its offsets. Without Hadoop's native library the default starts a process per file, for chmod."""

_OURS = {
    "spark.sql.streaming.checkpointFileManagerClass": _FILES,
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
}
_LOCAL = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "localhost",  # a laptop's own name may have no address
    "spark.executor.heartbeatInterval": "60s",
    "spark.network.timeout": "7d",  # the executor is this process: it cannot be lost, only sleep, as a laptop does
    "spark.rpc.askTimeout": "600s",
    "spark.rpc.lookupTimeout": "600s",
}
_LOOPBACK = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
"""A driver for executors that are on this machine, as their master is."""

_PAGES = "spark.ui.enabled"
_ADDRESS = "SPARK_LOCAL_IP"
_PARTITIONS = "spark.sql.shuffle.partitions"
_ANY_CLUSTER = "200"
"""Spark's own number of partitions after a shuffle. With adaptive execution off, a small job pays for each of them."""

_SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""What `spark-submit` gives the Python that it starts: the way to its own driver."""

_NO_MORE_COME, _ENOUGH_HAVE_COME = 1.0, 10.0
"""Seconds without another executor after which all are taken to be there; seconds after which we go on anyway."""

_MOST_GIGABYTES = 4
_NOISY = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def session(master: str | None = None, application: str = "datacell") -> SparkSession:
    """A new session, a local one if no master is said, or the one that this process has already started.

    Whoever calls it stops it. A process that was started by `spark-submit` has its master and its driver already.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        return running
    quieten()
    _require_java()
    builder, deployment = SparkSession.builder.appName(application), _deployment(master)
    for key, value in {**_MEANING, **_SMALL_JOBS, **deployment}.items():
        builder = builder.config(key, value)
    try:
        with without_greetings(), _addressed(deployment):
            return builder.getOrCreate()
    except (Py4JError, PySparkException, OSError) as error:
        raise _not_started(master, error) from error


def own_session(owner: SparkSession) -> SparkSession:
    """A session beside the owner's, with what a query's meaning needs and with views of its own."""
    quieten()
    before = owner.conf.get(_PARTITIONS)
    ours = owner.newSession()
    for key, value in {**_MEANING, **_SMALL_JOBS, **_SMALL_LOGS}.items():
        ours.conf.set(key, value)
    if is_local(owner) and before is not None:
        ours.conf.set(_PARTITIONS, str(min(int(before), owner.sparkContext.defaultParallelism)))
    return ours


def session_for_large_jobs(ours: SparkSession) -> SparkSession:
    """A session beside one of ours in which Spark itself finds out how many partitions a job needs."""
    large = ours.newSession()
    for key, value in {**_MEANING, **_LARGE_JOBS}.items():
        large.conf.set(key, value)
    return large


def is_local(spark: SparkSession) -> bool:
    """Do the executors live in the driver's process?"""
    return _is_local(str(spark.sparkContext.master))


def fit_to_cluster(ours: SparkSession) -> None:
    """A task per core after a shuffle, unless the owner has said how many or executors come and go.

    Executors register one after the other, so it is for after the first job; those that start together are waited for.
    """
    configured = ours.sparkContext.getConf()
    if (
        is_local(ours)
        or configured.contains(_PARTITIONS)
        or configured.get("spark.dynamicAllocation.enabled", "false") == "true"
        or ours.conf.get(_PARTITIONS) != _ANY_CLUSTER
    ):
        return
    ours.conf.set(_PARTITIONS, str(_settled_cores(ours)))


def quieten() -> None:
    """PySpark tells of every failed query, and of every error in a micro-batch; what failed is in the exception."""
    for name in _NOISY:
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL + 1)
    for name in ("py4j", "py4j.clientserver", "py4j.java_gateway"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _require_java() -> None:
    """Said before Java says it in its own words. A process that was started by `spark-submit` has its Java already."""
    if _SUBMITTED in os.environ:
        return
    found = java.look()
    if found.problem:
        which = f"that is Java {found.found}" if found.found[0].isdigit() else found.found
        raise EngineError(
            f"Spark needs a Java 17 or 21, and {which}", hint=f"{java.INSTALL}; `datacell doctor` checks it"
        )


def _not_started(master: str | None, error: Exception) -> EngineError:
    """What Java says, in one line."""
    where = "locally" if master is None else f"with the master {master}"
    hint = "run `datacell doctor`" if master is None else "is the address right, and does the master run?"
    return EngineError(f"Spark does not start {where}: {explained(error)}", hint=hint)


def _deployment(master: str | None) -> dict[str, str]:
    """Where Spark runs and how it is reached: on a cluster only what the driver's own process reads."""
    if master is None and _SUBMITTED in os.environ:
        return {}
    settings = {**_OURS, "spark.master": master or "local[*]", "spark.driver.extraJavaOptions": _logging_option()}
    if _is_local(settings["spark.master"]):
        sizes = {_PARTITIONS: str(_cores(master)), "spark.driver.memory": f"{_memory()}g"}
        return {**settings, **_LOCAL, **sizes}
    if _is_on_loopback(settings["spark.master"]):
        return {**settings, **_LOOPBACK}
    return settings if _is_said(_PAGES) else {**settings, _PAGES: "false"}


def _is_said(key: str) -> bool:
    """Does the owner of a cluster say something of a setting? What a program sets goes before it."""
    directory = os.environ.get("SPARK_CONF_DIR") or str(Path(os.environ.get("SPARK_HOME", "")) / "conf")
    try:
        lines = (Path(directory) / "spark-defaults.conf").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return any(re.match(rf"\s*{re.escape(key)}[\s=:]", line) for line in lines)


@contextmanager
def _addressed(settings: Mapping[str, str]) -> Iterator[None]:
    """What Spark takes for the address of this machine while it starts: the loopback, where nobody else is meant."""
    before = os.environ.get(_ADDRESS)
    if settings.get("spark.driver.host") in ("localhost", "127.0.0.1") and before is None:
        os.environ[_ADDRESS] = "127.0.0.1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_ADDRESS, None)


def _is_local(master: str) -> bool:
    return re.fullmatch(r"local(\[.*\])?", master) is not None


def _is_on_loopback(master: str) -> bool:
    """Is the whole cluster on this machine? With several masters, if all are."""
    hosts = [re.sub(r":\d+$", "", host) for host in master.removeprefix("spark://").split(",")]
    standalone = master.startswith("spark://") and all(h == "localhost" or h.startswith("127.") for h in hosts)
    return standalone or master.startswith("local-cluster[")


def _settled_cores(spark: SparkSession) -> int:
    """The cores of the executors, once no more have come for a while."""
    cores, since, started = spark.sparkContext.defaultParallelism, time.monotonic(), time.monotonic()
    while time.monotonic() - since < _NO_MORE_COME and time.monotonic() - started < _ENOUGH_HAVE_COME:
        time.sleep(_NO_MORE_COME / 10)
        now = spark.sparkContext.defaultParallelism
        cores, since = (now, time.monotonic()) if now != cores else (cores, since)
    return cores


def _logging_option() -> str:
    return f"-Dlog4j2.configurationFile={(Path(__file__).parent / 'log4j2.properties').as_uri()}"


def _memory() -> int:
    """Gigabytes for Spark in this process: a quarter of what there is, but no more than it can use."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(_MOST_GIGABYTES, max(1, total // 4 >> 30))


def _cores(master: str | None) -> int:
    inside = (master or "local[*]").removeprefix("local").strip("[]")
    return int(inside) if inside.isdigit() else 1 if inside == "" else os.cpu_count() or 1
