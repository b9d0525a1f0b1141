"""Costs: seconds of work for each second of input.

An operator costs u = Σ λᵢ cᵢ (4), and a little whenever it fires. On DuckDB connected operators form one fragment,
which costs what its operators do, plus its firings, plus bringing its input from Spark and its result back. A plan
costs ⟨bottleneck, total⟩: the greatest u (5) and the sum of all (6).

*Definition 1.* A plan is at least as good as another if it is feasible (bottleneck ≤ 1) and the other is not; if both
are and its total is no greater; if neither is and its bottleneck is no greater.

Two things differ from the paper. What an engine reads is at that engine's home or is transferred there, which costs by
the row and by the byte: Spark finds rows on the cluster, DuckDB in the driver. A job of Spark has a fixed cost however
many operators it runs, and be it none: it belongs to whoever takes the result. So an operator costs the same on Spark
in every plan, which is what the pruning rests on; and whether DuckDB takes raw rows from the cluster or the result of
an operator, it pays for one job.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from datacell.placement.homes import Home
from datacell.placement.operators import Input, Operator, OperatorKind, Site, Source


@dataclass(frozen=True)
class Cost:
    bottleneck: float
    total: float

    @property
    def is_feasible(self) -> bool:
        return self.bottleneck <= 1

    @property
    def rank(self) -> tuple[float, float]:
        """Ordered as Definition 1 orders plans; of equally slow infeasible plans the one with less work comes first."""
        return (0.0, self.total) if self.is_feasible else (self.bottleneck, self.total)

    def is_at_least_as_good_as(self, other: Cost) -> bool:
        """Definition 1."""
        if self.is_feasible:
            return not other.is_feasible or self.total <= other.total
        return not other.is_feasible and self.bottleneck <= other.bottleneck

    def __str__(self) -> str:
        return f"⟨{self.bottleneck:.3g}, {self.total:.3g}⟩"


class Work(Enum):
    """How the parts of a plan share the machine.

    In the paper all work at once, and the slowest is the bottleneck. In our net one thing happens at a time: parts take
    turns, and all of them together are the bottleneck.
    """

    PIPELINED = "pipelined"
    IN_TURNS = "in turns"

    def bottleneck(self, *loads: float) -> float:
        return sum(loads) if self is Work.IN_TURNS else max(loads, default=0.0)


@dataclass(frozen=True)
class EngineCosts:
    """Seconds: of a call, of each operator in it, of a row into an operator of each kind, of a row out of a join."""

    firing: float
    operator: float
    row: Mapping[OperatorKind, float]
    pair: float

    def times(self, factor: float) -> EngineCosts:
        row = {kind: seconds * factor for kind, seconds in self.row.items()}
        return EngineCosts(self.firing * factor, self.operator * factor, row, self.pair * factor)

    def of_row(self, kind: OperatorKind) -> float:
        """A running combination sorts, or joins and groups, whichever is cheaper here."""
        if kind is not OperatorKind.RUNNING:
            return self.row[kind]
        return min(self.row[OperatorKind.OVER], 2 * self.row[OperatorKind.JOIN] + self.row[OperatorKind.AGGREGATE])


@dataclass(frozen=True)
class TransferCost:
    """Seconds to bring a row from one home to the other, and each of its bytes."""

    row: float
    byte: float

    def times(self, factor: float) -> TransferCost:
        return TransferCost(self.row * factor, self.byte * factor)

    def of(self, rows: Input) -> float:
        return rows.rate * (self.row + rows.bytes * self.byte)


@dataclass(frozen=True)
class UnitCosts:
    """Of both engines, and of transfers in both directions."""

    engines: Mapping[Site, EngineCosts]
    to_cluster: TransferCost
    to_driver: TransferCost

    def times(self, factors: Mapping[Site, float]) -> UnitCosts:
        """With each engine's times a factor; transfers are Spark's work."""
        engines = {site: costs.times(factors[site]) for site, costs in self.engines.items()}
        spark = factors[Site.SPARK]
        return UnitCosts(engines, self.to_cluster.times(spark), self.to_driver.times(spark))

    def evaluation(self, operator: Operator, site: Site) -> float:
        """u of an operator by itself."""
        costs = self.engines[site]
        read = sum(child.rate for child in operator.inputs) * costs.of_row(operator.kind) * operator.weight
        made = operator.rate * costs.pair if operator.kind is OperatorKind.JOIN else 0.0
        return operator.firings * costs.operator + read + made

    def on_spark(self, operator: Operator) -> float:
        """u of an operator on Spark, which brings in what is not there yet."""
        sources = [child for child in operator.inputs if isinstance(child, Source)]
        return self.evaluation(operator, Site.SPARK) + sum(self.read(s, Site.SPARK, operator.firings) for s in sources)

    def read(self, source: Source, site: Site, firings: float) -> float:
        """What it costs an operator that fires so often to read a source."""
        if source.home in (None, site.home):
            return 0.0
        return self.to_cluster.of(source) if site is Site.SPARK else self.out_of(source, firings)

    def transferred(self, rows: Input, to: Home) -> float:
        """The transfer alone."""
        return (self.to_cluster if to is Home.CLUSTER else self.to_driver).of(rows)

    def job(self, firings: float) -> float:
        """The fixed cost of jobs of Spark."""
        return firings * self.engines[Site.SPARK].firing

    def out_of(self, rows: Input, firings: float) -> float:
        """Bringing rows out of Spark takes a job, whatever that does to them."""
        return self.job(firings) + self.to_driver.of(rows)

    def delivered(self, root: Operator, site: Site) -> float:
        """What it costs to have the result of a plan where it is wanted, if its topmost operator is on a site."""
        if site is Site.SPARK:
            return self.job(root.firings) + (self.to_driver.of(root) if root.wanted is Home.DRIVER else 0.0)
        return self.job(root.firings) + self.to_cluster.of(root) if root.wanted is Home.CLUSTER else 0.0
