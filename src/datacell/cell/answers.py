"""Statements that only ask: SELECT over what is there now, SHOW, EXPLAIN, and what Spark answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa

from datacell.algebra.query import Query
from datacell.cell import listing
from datacell.cell.intake import failing, remarks
from datacell.cell.result import Lines, Result
from datacell.cell.tables import is_in_driver
from datacell.cell.works import Works
from datacell.compile import compile
from datacell.compile.explain import Format, explain
from datacell.engines.protocol import run_once
from datacell.errors import EngineError, EngineLostError, SqlError
from datacell.runtime.net.members import as_given
from datacell.runtime.net.sharing import Sharing
from datacell.sql.catalog import Catalog
from datacell.sql.statements.statement import Analyze, Explain, Select, Show, SparkStatement, Statement


def answer(statement: Statement, works: Works, catalog: Catalog, versions: Mapping[str, str]) -> Result | None:
    """The answer of a statement, if it has one. `versions` tells which tables queries see."""
    rows = _rows(statement, works, catalog, versions)
    if rows is None:
        return None
    return Lines(rows, works.spark) if isinstance(statement, Explain) else Result(rows, works.spark)


def once(query: Query, works: Works, catalog: Catalog) -> pa.Table:
    """The answer of a query over tables, and baskets as they are now."""
    plan = compile(query, works.setting(catalog)).optimized.plan
    try:
        with works.tables.inputs(plan) as inputs:
            if is_in_driver(inputs):
                return works.engines.run(plan, inputs)
            return run_once(works.engines.spark, plan, inputs)
    except EngineLostError:
        raise
    except (EngineError, SqlError) as error:
        raise type(error)(error.message, place=error.place or query.place, hint=error.hint) from error


def _rows(statement: Statement, works: Works, catalog: Catalog, versions: Mapping[str, str]) -> pa.Table | None:
    net = works.scheduler.members
    match statement:
        case Select(query):
            return once(query, works, catalog).rename_columns(query.names)
        case Show(thing):
            beside = failing(works.intake), remarks(works.intake), versions
            return listing.listed(thing, net, works.deliveries.running, *beside)
        case Explain(stage, query):
            there = net.queries.sharing_with(query) if works.sharing is Sharing.AUTO else None
            mates: tuple[Iterable[str], bool] = (
                ((), False) if there is None else (there.queries, there.family is not None)
            )
            lines = explain(works.compiled(query, catalog), stage, Format.TEXT, "query", None, *mates).splitlines()
            return pa.table({"plan": lines})
        case Analyze(name):
            return listing.fragments(net.queries[as_given(name, net.queries)].factory)
        case SparkStatement():
            return works.tables.execute(statement)
    return None
