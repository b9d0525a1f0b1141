"""Continuous queries: each is answered by a factory, a new one or one that is there (`runtime.net.sharing`)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from datacell.algebra import show
from datacell.algebra.query import Query
from datacell.cell.made_of import MadeOf
from datacell.cell.refreshing import Refreshing
from datacell.cell.works import Works
from datacell.compile import Compiled
from datacell.compile.evaluation import AtBoundaries, Snapshots
from datacell.compile.feasibility import warning
from datacell.engines.arrow import arrow_schema
from datacell.errors import SqlError, in_backticks
from datacell.runtime.net.factory import Factory
from datacell.runtime.net.founding import Described, answers, described
from datacell.runtime.net.members import as_given
from datacell.runtime.net.sharing import NamedQuery, Sharing
from datacell.runtime.net.strategies import require_room
from datacell.runtime.storage.answered import Answered
from datacell.runtime.storage.output import Output
from datacell.sql import script
from datacell.sql.catalog import Catalog

_LOG = logging.getLogger("datacell")


class ContinuousQueries:
    """Of one cell. `catalog` gives what is known at present."""

    def __init__(
        self, works: Works, refreshing: Refreshing, catalog: Callable[[], Catalog], refuses_infeasible: bool
    ) -> None:
        self.works, self.refreshing, self.catalog = works, refreshing, catalog
        self._refuses_infeasible, self._net = refuses_infeasible, works.scheduler.members

    def named(self, name: str) -> NamedQuery:
        return self._net.queries[as_given(name, self._net.queries)]

    def source(self, name: str) -> NamedQuery:
        """The query of this name; a stream's rows are those of the query that selects them all."""
        stream = self.catalog().stream(name)
        if stream is None:
            return self.named(name)
        rows = f"rows of {stream.name}"
        if rows not in self._net.queries:
            self.create(rows, script.query(f"SELECT * FROM {in_backticks(stream.name)}", self.catalog()))
        return self._net.queries[rows]

    def fresh_name(self) -> str:
        """A name for a query that was given none."""
        return f"query_{len(self._net.queries) + 1}"

    def create(self, name: str, query: Query) -> None:
        """Start a query; if one that asks the same is at work, nothing else changes."""
        if self._add(name, query, self.works.sharing is Sharing.AUTO):
            self.works.scheduler.fire()

    def feed(self, name: str, query: Query, stream: str) -> None:
        """Start a query whose answers are rows of a stream."""
        with self.works.scheduler.exclusively() as net:  # so that it is never without the stream
            self._add(name, query, may_share=False)
            net.feed(net.queries[name].factory.name, stream)
        self.works.scheduler.fire()

    def restart(self, name: str) -> None:
        """Try a query again that has stopped, and those that it shares with; an error if it stops again at once."""
        factory = self.named(name).factory
        if factory.stopped is not None and factory.stopped.is_lost:
            raise factory.stopped.error(name)
        with self.works.scheduler.exclusively() as net:
            net.restart(
                factory.name, self.works.plans(factory.name, factory.compiled, factory.output.life, factory.family)
            )
        self.works.scheduler.fire()
        if factory.stopped is not None:
            raise factory.stopped.error(name)

    def _add(self, name: str, query: Query, may_share: bool) -> bool:
        """Let a factory answer a query: one that is there, or a new one; then this is True."""
        checkpoint = self.works.checkpoint
        with self.works.scheduler.exclusively() as net:
            answered = answers(net, checkpoint.asked, name, query, may_share)
            found = net.factories.get(answered.factory) or self._described(name, query, answered)
            answered = found.answered if isinstance(found, Described) else answered
            with checkpoint.admitted("query", name, _made_of(query, found.compiled)) as life:
                if checkpoint.asked.of(name) is None:
                    checkpoint.asked.put(answered)
                factory = self._factory(found, life) if isinstance(found, Described) else found
                if factory is not found and may_share:
                    net.queries.may_join(factory)
                net.queries.add(NamedQuery(name, factory, life, answered))
        return factory is not found

    def _described(self, name: str, query: Query, answered: Answered) -> Described:
        """With a warning, or not at all, if it cannot keep up with what is declared."""
        first = query if query.text == answered.text else script.query(answered.text, self.catalog())
        checkpoint, catalog = self.works.checkpoint, self.catalog()
        compiles = partial(self.works.compiled, catalog=catalog)
        found = described(self._net, checkpoint.asked, first, answered, compiles, checkpoint.query)
        compiled = found.compiled
        require_room(self.works.sharing, name, compiled, self._net.factories.values())
        told = warning(name, compiled)
        if told and self._refuses_infeasible:
            raise SqlError(told, hint="a larger SLIDE, a smaller window, or run without --refuse-infeasible")
        if told:
            _LOG.warning(told)
        if isinstance(compiled.evaluation, Snapshots):
            _LOG.warning("%s has no SLIDE and is answered as written: all of it again at every change", name)
        return found

    def _factory(self, described: Described, life: str) -> Factory:
        answered, compiled, family = described.answered, described.compiled, described.family
        works, name = self.works, answered.factory
        tells = isinstance(compiled.evaluation, AtBoundaries) or compiled.optimized.opaque is not None
        why = compiled.evaluation.why if tells else ""
        remark = "; ".join(filter(None, (why, compiled.refusal, warning(answered.query, compiled))))
        catalog = self.catalog()
        works.pinned.pin(life, {t: self.refreshing.made_of(t, catalog) for t in compiled.tables.values()})
        output = Output(works.checkpoint.query(name), arrow_schema(compiled.optimized.result), life, works.kept)
        works.deliveries.expect(output, works.checkpoint.asked.by(name), family is None)
        plans = works.plans(name, compiled, life, family)
        return self._net.add_factory(name, compiled, output, plans, remark, family)


def _made_of(query: Query, compiled: Compiled) -> MadeOf:
    """What decides what a query answers."""
    made = {"text": query.text, "plan": show.text(compiled.optimized.plan) if compiled.rewritten else ""}
    if compiled.tables:  # others were kept in another form
        made["tables"] = "pinned"
    return made
