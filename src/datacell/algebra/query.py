"""A query: a plan, when it is evaluated, and what of the answer is delivered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from datacell.algebra import tree, window
from datacell.algebra.plan import Opaque, Plan
from datacell.algebra.schema import Field, Schema
from datacell.algebra.types import BIGINT, TIMESTAMP
from datacell.errors import Place, PlanError, SqlError


class Emission(Enum):
    """Relation to stream: the whole answer at each boundary, or only what entered or left since the previous one."""

    RSTREAM = "rstream"
    ISTREAM = "istream"
    DSTREAM = "dstream"


class Timing(Enum):
    """When a query is evaluated."""

    ROW_BY_ROW = "row by row"
    BOUNDARIES = "at boundaries in time"
    ARRIVALS = "at arrival numbers"
    EVERY_INSTANT = "at every instant"
    ONCE = "once"


@dataclass(frozen=True)
class Query:
    """A bound query. `text` is what the user wrote, for recognising it again; `place` where, for messages."""

    plan: Plan
    text: str
    emission: Emission = Emission.RSTREAM
    place: Place | None = field(default=None, compare=False, repr=False)
    given: tuple[str, ...] = ()
    """The names of the plan's columns as people get them, where several have one name."""
    otherwise: Callable[[SqlError], Query] | None = field(default=None, compare=False, repr=False)
    """The query as a database is to answer what is written, where some stage finds no plan for it; for this reason."""

    def __post_init__(self) -> None:
        if self.plan.outer:
            raise PlanError(f"column {min(self.plan.outer)} comes from nowhere")
        kinds = {window.counts_rows(w.window) for w in tree.windows(self.plan)}
        if len(kinds) > 1:
            raise PlanError("row windows and time windows in one query")

    @cached_property
    def opaque(self) -> Opaque | None:
        """What of it is answered as it is written, if it is."""
        return next((node for node in tree.descendants(self.plan) if isinstance(node, Opaque)), None)

    @cached_property
    def timing(self) -> Timing:
        specs = [w.window for w in tree.windows(self.plan)]
        if not specs:
            return Timing.ROW_BY_ROW if tree.has_stream(self.plan) else Timing.ONCE
        if window.counts_rows(specs[0]):
            return Timing.ARRIVALS
        return Timing.BOUNDARIES if any(map(window.is_sampled, specs)) else Timing.EVERY_INSTANT

    @cached_property
    def result(self) -> Schema:
        """The columns of the delivered rows: the plan's, with the time columns in front unless it names them."""
        names = {name.lower() for name in self.plan.schema.names}
        added = tuple(f for f in TIME_COLUMNS[self.timing] if f.name not in names)
        return Schema(added + self.plan.schema.fields)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the plan's columns as people get them."""
        return self.given or self.plan.schema.names

    @property
    def result_names(self) -> tuple[str, ...]:
        """The names of the delivered columns as people get them."""
        added = len(self.result) - len(self.plan.schema)
        return (*self.result.names[:added], *self.names)


TIME_COLUMNS = {
    Timing.ROW_BY_ROW: (),
    Timing.BOUNDARIES: (Field("window_end", TIMESTAMP),),
    Timing.ARRIVALS: (Field("window_end", BIGINT),),
    Timing.EVERY_INSTANT: (Field("valid_from", TIMESTAMP), Field("valid_to", TIMESTAMP)),
    Timing.ONCE: (),
}
