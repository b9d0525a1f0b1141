"""What is explained: a query of a script at a stage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from datacell.algebra import tree
from datacell.algebra.plan import Plan
from datacell.algebra.query import Query
from datacell.algebra.schema import Schema
from datacell.algebra.show import Notes
from datacell.compile.compiled import Compiled
from datacell.compile.evaluation import AtBoundaries, EveryInstant
from datacell.compile.physical import Physical
from datacell.incremental import show as words
from datacell.incremental.plans import Incremental, Reevaluated
from datacell.incremental.relations import Relation
from datacell.placement.enumeration import Sites
from datacell.rewrite import merge_maps
from datacell.sql.statements.statement import Stage

SHOWN = 3
"""Names of others that are told."""

SESSION_HOW = "rows wait until their session has ended, and are looked at once"
LATEST_HOW = "one row of each key is kept, which the next one ends"


def one_plan(number: int, others: Iterable[str], is_family: bool = False) -> str:
    """How people are told that so many queries are answered by one plan, beside one of them these."""
    who = f"family of {number:,}" if is_family else f"{number:,} equal queries"
    names = list(islice(others, SHOWN + 1))
    if number > SHOWN + 2:
        names[SHOWN:] = [f"{number - SHOWN - 1:,} others"]
    return f"{who}: one plan, with {', '.join(names)}"


@dataclass(frozen=True)
class Explained:
    """A query of a script: its name, or the line where it stands, the stage that is asked for, its columns."""

    name: str
    line: int
    stage: Stage
    compiled: Compiled
    columns: Schema
    sites: Mapping[str, Sites] = field(default_factory=dict)
    """Where parts run that run elsewhere than was predicted."""
    shared: tuple[str, ...] = ()
    """The other queries that are answered by the same plan."""
    is_family: bool = False
    """Do they ask the same but for constants?"""

    @cached_property
    def physical(self) -> Physical:
        return self.compiled.physical.as_placed(self.sites)

    @property
    def query(self) -> Query:
        """As its stage leaves it."""
        return self.compiled.logical if self.stage is Stage.LOGICAL else self.compiled.optimized

    @property
    def shared_with(self) -> str:
        """With whom it shares, in words."""
        return one_plan(len(self.shared) + 1, self.shared, self.is_family)

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """What is kept."""
        match self.compiled.evaluation:
            case AtBoundaries(Incremental(split)):
                return split.relations
        return ()

    @cached_property
    def rest(self) -> Plan:
        """The plan over what is kept, with neighbouring maps made one for readers."""
        match self.compiled.evaluation:
            case AtBoundaries(Incremental(split)):
                return tree.transform_up(split.rest, merge_maps.rewrite)
        return self.query.plan

    def notes(self) -> Notes:
        """What there is to say about operators at the incremental stage."""
        said, how = words.notes(self.relations), self._how()
        return lambda node: {**said(node), **({"how": how[node]} if node in how else {})}

    def check(self) -> None:
        """Compute what will be printed, so that errors come where the query's place is known."""
        if self.stage is Stage.PHYSICAL:
            _ = self.physical

    def _how(self) -> Mapping[Plan, str]:
        """Of a query at every instant how each operator is evaluated, and of each what is kept of a LATEST window."""
        match self.compiled.evaluation:
            case EveryInstant(program=program):
                versions: dict[Plan, str] = {one.versions.window: LATEST_HOW for one in program.versions}
                return {**versions, **{operator.work: operator.how for operator in program.operators}}
            case AtBoundaries(Reevaluated() as plans):
                sessions = () if plans.sessions is None else plans.sessions.windows
                return {**{one.window: LATEST_HOW for one in plans.versions}, **dict.fromkeys(sessions, SESSION_HOW)}
        return {}
