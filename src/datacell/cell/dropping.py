"""DROP: what somebody still reads stays; what goes, goes with its state."""

from __future__ import annotations

from datacell.cell.works import Works
from datacell.errors import SqlError
from datacell.runtime.net.members import as_given
from datacell.sql.statements.statement import Thing


def drop(thing: Thing, wanted: str, works: Works) -> None:
    """What is not there need not be dropped: without IF EXISTS the statement was refused before."""
    net, emitters = works.scheduler.members, works.deliveries.running
    match thing:
        case Thing.EMITTER if (name := as_given(wanted, emitters)) in emitters:
            works.deliveries.stop(name)
            works.checkpoint.forget("emitter", name)
        case Thing.QUERY if (name := as_given(wanted, net.queries)) in net.queries:
            _drop_query(name, works)
        case Thing.STREAM if (name := as_given(wanted, net.streams)) in net.streams:
            _drop_stream(name, works)


def _drop_query(name: str, works: Works) -> None:
    readers = works.deliveries.of(works.scheduler.members.queries[name])
    if readers:
        raise SqlError(f"emitter {readers[0]} reads {name}", hint=f"DROP EMITTER {readers[0]} first")
    with works.scheduler.exclusively() as net:
        factory = net.queries[name].factory
        if len(factory.queries) == 1:
            works.pinned.drop(factory.output.life)
        net.drop_query(name)
    for emitter in works.checkpoint.emitters_of(name):  # of an earlier run, and not created again
        works.checkpoint.forget("emitter", emitter)
    works.checkpoint.forget("query", name)


def _drop_stream(name: str, works: Works) -> None:
    readers = [query for factory in works.scheduler.members.readers(name) for query in factory.queries]
    if readers:
        raise SqlError(f"{readers[0]} reads {name}", hint=f"DROP CONTINUOUS QUERY {readers[0]} first")
    works.intake.drop(name)
    with works.scheduler.exclusively() as net:
        net.drop_stream(name)
    works.checkpoint.forget("stream", name)
