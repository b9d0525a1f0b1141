"""A first stage has failed: whose fault is it?"""

from __future__ import annotations

from math import inf

from pyspark.sql import DataFrame

from datacell.engines.reasons import SPARK_ERRORS
from datacell.engines.spark import SparkEngine
from datacell.engines.transfers import Account
from datacell.errors import EngineError
from datacell.receptors.first_stage import FirstStage
from datacell.receptors.receptor import cannot_read
from datacell.runtime.net.scheduler import Scheduler
from datacell.runtime.streams.stream import RunningStream


def blame(
    stream: RunningStream,
    scheduler: Scheduler,
    engine: SparkEngine,
    number: int,
    frame: DataFrame,
    error: EngineError,
) -> None:
    """Stop the queries whose part of it fails by itself, too; if none does, or if the source does, raise the error."""
    name, now = stream.definition.name, stream.clock.now()
    try:
        frame.write.format("noop").mode("overwrite").save()
    except SPARK_ERRORS as failed:
        raise cannot_read(stream.definition, failed) from failed  # by which is known whether reading with care helps
    with scheduler.exclusively() as net:
        for factory in net.readers(name):
            if wanted := list(factory.wanted(name, inf) or ()):
                with factory.or_stop():
                    FirstStage(stream.gate, wanted, engine, Account()).run(frame, number, now)
        if all(factory.stopped is None for factory in net.readers(name)):
            raise error
