"""A plan over inputs of which some are on the cluster: Spark runs it, and executors write its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.plan import Plan, Slot
from datacell.algebra.tree import Key
from datacell.engines.protocol import Engine, ParquetFiles, Source
from datacell.engines.spark import PreparedText, SparkEngine
from datacell.engines.transfers import Account
from datacell.errors import EngineError
from datacell.placement.operators import Site
from datacell.placement.shapes import expanded


class OnCluster:
    """Of the plan `name` of a query. `tables` gives what it reads beside its inputs."""

    def __init__(
        self, query: str, name: str, plan: Plan, spark: Engine | None, tables: Callable[[], Mapping[str, pa.Table]]
    ) -> None:
        self._title, self._plan, self._spark, self._tables = f"{query}, {name}", plan, spark, tables
        self._prepared: PreparedText | None = None

    @property
    def account(self) -> Account:
        return Account() if self._prepared is None else self._prepared.account

    @cached_property
    def slots(self) -> frozenset[Slot]:
        """What must be handed to it, in the shape that it has there."""
        return frozenset(tree.slots(expanded(self._plan, Site.SPARK)))

    def write(self, inputs: Mapping[Key, Source], directory: str) -> ParquetFiles:
        """The answer as files; what was in the directory is gone."""
        assert isinstance(self._spark, SparkEngine)
        if self._prepared is None:
            self._prepared = self._spark.prepare(expanded(self._plan, Site.SPARK))
        try:
            return self._prepared.write({**self._tables(), **inputs}, directory)
        except EngineError as error:
            raise EngineError(f"{self._title}: {error.message}", hint=error.hint) from error
