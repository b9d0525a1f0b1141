"""Costs: seconds of work for each second of input.

An operator costs u = Σ λᵢ cᵢ (4), and a little whenever it fires. On DuckDB connected operators form one fragment,
which costs what its operators do, plus its firings, plus bringing its input from Spark and its result back. A plan
costs ⟨bottleneck, total⟩: the greatest u (5) and the sum of all (6).

*Definition 1.* A plan is at least as good as another if it is feasible (bottleneck ≤ 1) and the other is not; if both
are and its total is no greater; if neither is and its bottleneck is no greater.

Two things differ from the paper. Rows are in the driver before and after a fragment: so it is Spark that rows must be
brought into and out of, and DuckDB reads them where they are. A job of Spark has a fixed cost however many operators it
runs: it belongs to whoever takes the result, so that an operator costs the same on Spark in every plan, which is what
the pruning rests on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from datacell.placement.operators import Operator, OperatorKind, Site, Source


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
class UnitCosts:
    """Of both engines; and seconds to bring one value (a row of one column) into Spark, and out of it."""

    engines: Mapping[Site, EngineCosts]
    into_spark: float
    out_of_spark: float

    def evaluation(self, operator: Operator, site: Site) -> float:
        """u of an operator by itself."""
        costs = self.engines[site]
        read = sum(child.rate for child in operator.inputs) * costs.of_row(operator.kind) * operator.weight
        made = operator.rate * costs.pair if operator.kind is OperatorKind.JOIN else 0.0
        return operator.firings * costs.operator + read + made

    def on_spark(self, operator: Operator) -> float:
        """u of an operator on Spark, which brings in what is not there yet."""
        sources = [child for child in operator.inputs if isinstance(child, Source)]
        return self.evaluation(operator, Site.SPARK) + sum(map(self.into, sources))

    def into(self, rows: Operator | Source) -> float:
        return rows.rate * rows.width * self.into_spark

    def out_of(self, operator: Operator) -> float:
        """Bringing a result out of Spark takes a job."""
        fixed = operator.firings * self.engines[Site.SPARK].firing
        return fixed + operator.rate * operator.width * self.out_of_spark
