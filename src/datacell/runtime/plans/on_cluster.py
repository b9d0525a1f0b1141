"""A plan over inputs on the cluster: in the first stage of a stream, or over what is kept there.

Then Spark runs it, and executors write its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.plan import Plan, Slot
from datacell.algebra.tree import Key
from datacell.engines.protocol import Engine, Files, Source
from datacell.engines.spark import PreparedText, SparkEngine
from datacell.engines.transfers import Account
from datacell.errors import EngineError
from datacell.placement.operators import Site
from datacell.placement.shapes import expanded
from datacell.runtime.plans.observed import Observed, Recent


class OnCluster:
    """Of the plan `name` of a query. `tables` gives what it reads beside its inputs."""

    def __init__(
        self, query: str, name: str, plan: Plan, spark: Engine | None, tables: Callable[[], Mapping[str, pa.Table]]
    ) -> None:
        self._query, self._name, self._plan, self._spark, self._tables = query, name, plan, spark, tables
        self._prepared: PreparedText | None = None
        self._made, self._seconds = Recent(), Recent()
        """Rows that the first stage made, and the seconds that it took."""

    @property
    def account(self) -> Account:
        return Account() if self._prepared is None else self._prepared.account

    def was_staged(self, made: int, seconds: float) -> None:
        """The first stage of a stream has run it."""
        self._made.add(made)
        self._seconds.add(seconds)

    def observed(self) -> Iterator[Observed]:
        """Its runs in the first stage."""
        if self._seconds.count:
            milliseconds = self._seconds.value * 1000
            seen = self._seconds.count, self._made.value, milliseconds, milliseconds
            yield Observed(self._name, Site.SPARK, self._plan.head(), *seen, staged=True)

    @cached_property
    def slots(self) -> frozenset[Slot]:
        """What must be handed to it, in the shape that it has there."""
        return frozenset(tree.slots(expanded(self._plan, Site.SPARK)))

    def write(self, inputs: Mapping[Key, Source], directory: str) -> Files:
        """The answer as files; what was in the directory is gone."""
        assert isinstance(self._spark, SparkEngine)
        if self._prepared is None:
            self._prepared = self._spark.prepare(expanded(self._plan, Site.SPARK))
        try:
            return self._prepared.write({**self._tables(), **inputs}, directory)
        except EngineError as error:
            raise EngineError(f"{self._query}, {self._name}: {error.message}", hint=error.hint) from error
