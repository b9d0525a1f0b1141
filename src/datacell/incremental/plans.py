"""All the plans that answer a query at its boundaries, by re-evaluation or by increments: a description, made once.

Every plan has a name that people read in EXPLAIN. Where the same work is done in two forms, for one slice or boundary
and for many, both have names of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from datacell.algebra import tree
from datacell.algebra.plan import Plan
from datacell.algebra.query import Query
from datacell.algebra.schema import Field
from datacell.algebra.sessions import Sessions
from datacell.algebra.types import BIGINT
from datacell.algebra.versions import Versions
from datacell.algebra.window import LatestBy, Session
from datacell.incremental.lift import last_rows_of, lift, lift_rest, lift_sessions
from datacell.incremental.merge import AT, folding
from datacell.incremental.relations import (
    SLICE,
    VISIBLE_FROM,
    VISIBLE_TO,
    Kept,
    Latest,
    Leaf,
    Pairs,
    Relation,
    Shown,
    Split,
    name,
)
from datacell.incremental.running import suffixes

NamedPlan = tuple[str, Plan]


@dataclass(frozen=True)
class AnswerPlans:
    """What answers one boundary, and what answers many."""

    one: Plan
    many: Plan | None
    """None: boundaries are answered one by one."""

    def named(self) -> Iterator[NamedPlan]:
        yield "answer", self.one
        if self.many is not None:
            yield "answer, many boundaries", self.many


@dataclass(frozen=True)
class Reevaluated:
    """Windows are evaluated again at every boundary."""

    query: Query

    @cached_property
    def answer(self) -> AnswerPlans:
        if self.sessions is not None:
            return AnswerPlans(lift_sessions(self.query), None)
        many = None if self.query.opaque is not None else lift(self.query, many=True)
        return AnswerPlans(lift(self.query, many=False), many)

    @cached_property
    def versions(self) -> tuple[Versions, ...]:
        """The rows of LATEST windows."""
        windows = enumerate(tree.windows(self.query.plan))
        return tuple(Versions(n, window) for n, window in windows if isinstance(window.window, LatestBy))

    @cached_property
    def sessions(self) -> Sessions | None:
        """The rows of its session window, if it has one."""
        found = tuple(window for window in tree.windows(self.query.plan) if isinstance(window.window, Session))
        return Sessions(found) if found else None

    def named(self) -> Iterator[NamedPlan]:
        yield from self.answer.named()
        for versions in self.versions:
            yield from versions.named()
        if self.sessions is not None:
            yield from self.sessions.named()


@dataclass(frozen=True)
class MergePlans:
    """Of a leaf that is put together from running combinations: how its rows are folded, and its suffixes made."""

    fold: Plan
    suffixes: Plan


@dataclass(frozen=True)
class Incremental:
    """Relations are kept as rows come; boundaries are answered from them."""

    split: Split

    @property
    def query(self) -> Query:
        return self.split.query

    @cached_property
    def answer(self) -> AnswerPlans:
        return AnswerPlans(lift_rest(self.split, many=False), lift_rest(self.split, many=True))

    @cached_property
    def merges(self) -> Mapping[int, MergePlans]:
        """By the number of the leaf."""
        return {
            number: _merge_plans(leaf)
            for number, leaf in enumerate(self.split.leaves)
            if isinstance(leaf, Shown) and leaf.is_merged
        }

    @cached_property
    def compactions(self) -> Mapping[int, Plan]:
        """How the rows of a relation become fewer, where they can, by its number."""
        found = ((number, self._compaction(number, r)) for number, r in enumerate(self.split.relations))
        return {number: plan for number, plan in found if plan is not None}

    def leaves_of(self, relation: int) -> list[Leaf]:
        return [leaf for leaf in self.split.leaves if leaf.relation == relation]

    def named(self) -> Iterator[NamedPlan]:
        for number, relation in enumerate(self.split.relations):
            yield name(number), relation.plan
            if isinstance(relation, Kept) and relation.alone is not None:
                yield one_slice(number), relation.alone
        yield from self.answer.named()
        for number, plans in self.merges.items():
            yield folded(number), plans.fold
            yield suffixed(number), plans.suffixes
        for number, plan in self.compactions.items():
            yield compacted(number), plan

    def _compaction(self, number: int, relation: Relation) -> Plan | None:
        match relation:
            case Pairs(columns=columns, combination=combination):
                return None if combination is None else folding(columns, combination, VISIBLE_FROM, VISIBLE_TO)
        latest = [leaf for leaf in self.leaves_of(number) if isinstance(leaf, Latest)]
        if latest:
            return _last_rows(relation, latest)
        combination = relation.combination
        return None if combination is None else folding(relation.columns, combination, SLICE)


def one_slice(relation: int) -> str:
    return f"{name(relation)}, one slice"


def folded(leaf: int) -> str:
    return f"front of leaf {leaf + 1}"


def suffixed(leaf: int) -> str:
    return f"suffixes of leaf {leaf + 1}"


def compacted(relation: int) -> str:
    return f"{name(relation)}, compacted"


def _merge_plans(leaf: Shown) -> MergePlans:
    assert leaf.combination is not None
    return MergePlans(
        folding(leaf.columns, leaf.combination), suffixes(leaf.columns, leaf.combination, Field(AT, BIGINT))
    )


def _last_rows(relation: Relation, latest: list[Latest]) -> Plan | None:
    """The last rows of each key, if all windows over the relation agree on them."""
    window = latest[0].window
    if any(leaf.window != window for leaf in latest):
        return None
    names = dict(zip(latest[0].schema.names, (f.name for f in relation.columns), strict=True))
    return last_rows_of(relation.columns, [names[k] for k in window.partition], window.count)
