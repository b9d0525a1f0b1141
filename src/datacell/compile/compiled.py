"""The one path: from a bound query to what runs.

::

    bound query ─ rewrite ─▶ optimized query ─ split or translate ─▶ evaluation ─ place ─▶ physical plan
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from datacell.algebra import tree
from datacell.algebra.members import is_of_members
from datacell.algebra.plan import Plan, Table
from datacell.algebra.query import Query
from datacell.algebra.schema import Field
from datacell.algebra.types import is_portable
from datacell.compile.evaluation import AtBoundaries, Evaluation, evaluation
from datacell.compile.physical import Physical, physical
from datacell.compile.setting import Setting
from datacell.engines.agreed import refusals
from datacell.errors import PlanError, UnsupportedError
from datacell.incremental.strategy import Strategy
from datacell.placement.logical import best_plan
from datacell.placement.operators import Site
from datacell.placement.shapes import expanded
from datacell.rewrite.rules import equivalents

NO_PLAN = "no plan was found for it"
"""Why a query is opaque of which the stages after binding made nothing. No query of the tests leads to it."""


@dataclass(frozen=True)
class Compiled:
    """A query in all its stages. EXPLAIN prints it, and a factory runs it."""

    logical: Query
    """As the user wrote it."""
    optimized: Query
    """The best of the plans that mean the same."""
    evaluation: Evaluation
    """All that will be run, and why so."""
    setting: Setting
    rewritten: bool = field(default=False, compare=False)
    """Was another plan chosen than the one that the rules alone lead to?"""

    @cached_property
    def refusal(self) -> str:
        """Why the wanted engine does not run the query, if so."""
        if self.setting.wanted is not Site.DUCKDB:
            return ""
        plans = (expanded(plan, Site.DUCKDB) for _, plan in self.evaluation.named())
        reason = next((reason for plan in plans for reason in refusals(plan)), None)
        return "" if reason is None else f"not on DuckDB: {reason}"

    @property
    def site(self) -> Site | None:
        """The one engine that runs all of it; None if every operator is placed by cost."""
        return Site.SPARK if self.refusal else self.setting.wanted

    @cached_property
    def physical(self) -> Physical:
        """Where each operator would run, by what is known now."""
        return physical(self.evaluation, self.setting, self.site)

    @cached_property
    def streams(self) -> list[str]:
        return sorted({s.name for s in tree.streams(self.optimized.plan)})

    @cached_property
    def tables(self) -> Mapping[str, str]:
        """The tables that it reads beside streams: as they are called in it, by their names in small letters."""
        found = tree.table_names(self.optimized.plan)
        return {name.lower(): name for name in sorted(found) if not is_of_members(name)}

    def columns_read(self, stream: str) -> frozenset[str]:
        """The columns that it reads of a stream, wherever it does."""
        return frozenset(f.name for s in tree.streams(self.optimized.plan) if s.name == stream for f in s.columns)

    def columns_of(self, table: str) -> tuple[Field, ...]:
        """The columns that it reads of a table."""
        return _columns(self.optimized.plan, table)


def _columns(plan: Plan, table: str) -> tuple[Field, ...]:
    nodes = (node for node in tree.descendants(plan) if isinstance(node, Table) and node.name.lower() == table.lower())
    return tuple(dict.fromkeys(field for node in nodes for field in node.columns))


def compile(query: Query, setting: Setting) -> Compiled:
    """What an optimized query keeps depends on its plan, so that is chosen by declarations alone: the same ones lead to
    the same plan after a restart."""
    if setting.wanted is Site.DUCKDB and query.opaque is not None:
        hint = "leave --engine duckdb away, or write it in another way"
        raise UnsupportedError(f"only Spark understands it: {query.opaque.why}", place=query.place, hint=hint)
    try:
        first, *others = equivalents(query)
        best = best_plan((first, *others), setting.known)
        return Compiled(query, best, _evaluation(best, setting), setting, best is not first)
    except PlanError as error:
        if query.otherwise is None or query.opaque is not None:
            raise
        why = UnsupportedError(f"{NO_PLAN}: {error.message}", place=query.place)
        return compile(query.otherwise(why), setting)


def _evaluation(query: Query, setting: Setting) -> Evaluation:
    """Windows are evaluated again if what would be kept of them cannot leave Spark."""
    found = evaluation(query, setting)
    problem = _unmovable(found)
    if problem and isinstance(found, AtBoundaries):
        again = evaluation(query, replace(setting, strategy=Strategy.REEVALUATE))
        if isinstance(again, AtBoundaries) and not _unmovable(again):
            return replace(again, why=problem)
    if problem:
        raise PlanError(problem)
    return found


def _unmovable(found: Evaluation) -> str:
    """What a plan gives is kept, or delivered: both is done in the driver, too."""
    for name, plan in found.named():
        for column in plan.schema:
            if not is_portable(column.type):
                return f"{name} would have to keep values of type {column.type}, which cannot leave Spark"
    return ""


def at_rates(compiled: Compiled, factor: float) -> Compiled:
    """The same query over streams that are so many times as fast."""
    known = compiled.setting.known
    rates = {name.lower(): known.rate(name) * factor for name in compiled.streams}
    return replace(compiled, setting=replace(compiled.setting, known=replace(known, rates=rates)))
