"""How a query will run: by which strategy, on which engines, and whether it can keep up."""

from __future__ import annotations

import logging

from datacell.algebra import tree
from datacell.algebra.query import Query, Timing
from datacell.compile import physical
from datacell.compile.explain import Setting
from datacell.engines.choice import Choice, Engines
from datacell.errors import SqlError
from datacell.incremental import lift, strategy
from datacell.incremental.strategy import Strategy
from datacell.intervals.translate import translate
from datacell.runtime.net.factory import Description
from datacell.runtime.plans.placing import Placing

_LOG = logging.getLogger("datacell")


def described(
    name: str, query: Query, engines: Engines, wanted: Strategy, setting: Setting, refuses_infeasible: bool
) -> Description:
    """The query as a factory takes it; with a warning, or not at all, if it cannot keep up."""
    warning = _warning(name, query, wanted, setting)
    if warning and refuses_infeasible:
        raise SqlError(warning, hint="a larger SLIDE, a smaller window, or run without --refuse-infeasible")
    if warning:
        _LOG.warning(warning)
    program = translate(query) if query.timing is Timing.EVERY_INSTANT else None
    if query.timing is Timing.ROW_BY_ROW:
        split, why, fragments = None, "", [lift.row_fragment(query)]
    elif program is not None:
        split, why, fragments = None, "", program.fragments()
    else:
        plans = strategy.choose(query, wanted, engines.wanted is Choice.SPARK)
        split, why, fragments = plans.split, plans.why, plans.fragments()
    if engines.wanted is Choice.AUTO:
        engine, refusal = engines.main(fragments), ""
        placing = Placing.between((engines.spark, engines.duckdb), setting.known, setting.units)
    else:
        engine, refusal = engines.choose(fragments)
        placing = Placing.on(engine, setting.known, setting.units)
    remark = "; ".join(filter(None, (why, refusal, warning)))
    return Description(name, query, engine, split, remark, placing, program)


def _warning(name: str, query: Query, wanted: Strategy, setting: Setting) -> str:
    """If a query cannot keep up with the rates that were declared: the rates it can keep up with."""
    streams = {s.name.lower() for s in tree.streams(query.plan)}
    if query.timing is Timing.EVERY_INSTANT or not streams & setting.known.rates.keys():
        return ""
    plan = physical.physical(query, wanted, setting.known, setting.units, setting.wanted)
    if plan.cost.is_feasible:
        return ""
    factor = physical.keeps_up_with(query, wanted, plan, setting.wanted)
    rates = ", ".join(f"{factor * setting.known.rate(s):,.0f} rows/s of {s}" for s in sorted(streams))
    needs = f"{plan.cost.total:.2g} s for a second of input"
    return f"{name} cannot keep up: it needs {needs}; it could with about {rates}"
