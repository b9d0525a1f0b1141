"""Does the cluster see the same directory as the driver?

State is written and read from both sides, so the checkpoint must be one directory for the driver and all executors. One
that is not need not fail by itself: an executor makes what it does not find on its own disk, and what it writes there
is lost with it. So it is tried before anything begins, both ways in one job: the driver writes notes with a secret,
executors copy them, and the driver looks for the copies.
"""

from __future__ import annotations

import secrets
import shutil
from pathlib import Path

from pyspark.sql import SparkSession

from datacell.engines.reasons import SPARK_ERRORS, explained, is_gone, lost
from datacell.engines.session import is_local
from datacell.errors import CheckpointError
from datacell.runtime.storage import files

_MOST_NOTES = 256


def check(spark: SparkSession, root: Path) -> None:
    """Refuse a checkpoint that is not one directory for the driver and for the executors; local ones are the driver."""
    if is_local(spark):
        return
    directory = root / f"reach-{secrets.token_hex(8)}"
    try:
        _try(spark, directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _try(spark: SparkSession, directory: Path) -> None:
    """As many notes as there are cores, so that every executor gets some."""
    secret, notes, copies = secrets.token_hex(16), directory / "notes", directory / "copies"
    count = min(spark.sparkContext.defaultParallelism, _MOST_NOTES)
    for number in range(count):
        files.write(notes / f"{number}.txt", lambda file: file.write(secret.encode()))
    try:
        # A note that is not there would fail the task, which is then tried elsewhere, where it may be there.
        frame = spark.read.option("ignoreMissingFiles", "true").text(f"file://{notes}")
        frame.write.text(f"file://{copies}")
    except SPARK_ERRORS as error:
        if is_gone(error):
            raise lost() from error
        raise _unreachable(directory.parent, explained(error)) from error
    found = [line for copy in copies.glob("part-*") for line in copy.read_text(encoding="utf-8").splitlines()]
    if found != [secret] * count:
        raise _unreachable(directory.parent, f"{len(found)} of {count} files came back")


def _unreachable(root: Path, reason: str) -> CheckpointError:
    temporary = files.is_temporary(root / "cell.json")
    what = f"the temporary directory {root}" if temporary else f"the checkpoint {root}"
    hint = "on a cluster, state is kept in a directory that all hosts share under one path, such as a mount of NFS: "
    said = "say one with --checkpoint DIR or connect(checkpoint=…)"
    return CheckpointError(
        f"{what} is not the same for the driver and for Spark's executors: {reason}", hint=f"{hint}{said}"
    )
