"""Coalesced rows at every instant: rows that have begun and may go on, and ends that have not come."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from datacell.algebra.plan import Coalescing
from datacell.algebra.positions import FOREVER
from datacell.intervals import operators
from datacell.intervals.coalesce import Bounds
from datacell.intervals.validity import END, FROM, TO
from datacell.runtime.instants.adaptive_coalescing import AdaptiveCoalescing
from datacell.runtime.instants.buffer import beginning
from datacell.runtime.instants.cut_points import CutPoints
from datacell.runtime.instants.operator import Given, StatefulOperator
from datacell.runtime.plans.plans import Plans
from datacell.runtime.streams.batch import positions


class StatefulCoalesce(StatefulOperator):
    """Its state is of the section between cut points that is open."""

    def __init__(self, operator: operators.Coalesce, label: str, plans: Plans, cut_points: CutPoints) -> None:
        super().__init__(operator, label, plans, cut_points)
        self._plan = self._prepare(operator.coalesced)
        self._is_adaptive = operator.when is Coalescing.WHILE_WORTH_IT
        self.adaptive = AdaptiveCoalescing() if self._is_adaptive else None
        self._begun, self._ends = self._nothing()

    def reset(self) -> None:
        super().reset()
        self.adaptive = AdaptiveCoalescing() if self._is_adaptive else None
        self._begun, self._ends = self._nothing()

    def take(self, new: Sequence[pa.Table], now: int) -> Given:
        (rows,) = new
        given = [self.schema.empty_table()]
        for section in self.cut_points.sections(self.before, now):
            part = beginning(rows, section.since, section.until)
            if section.coalesces:
                part = self._take_section(part, END if section.until < now else now)
            given.append(part.select(self.schema.names))
        found = pa.concat_tables(given)
        if self.adaptive is not None and now < FOREVER:
            self._adapt(self.adaptive, rows, len(found), now)
        return found, min(now, int(positions(self._begun[FROM]).min(initial=now)))

    def kept(self) -> int:
        return len(self._begun) + len(self._ends)

    def open_rows(self) -> int | None:
        return None if self.adaptive is None else len(self._begun)

    def remark(self) -> str:
        return "" if self.adaptive is None else self.adaptive.remark(self.cut_points.last.coalesces)

    def _nothing(self) -> tuple[pa.Table, pa.Table]:
        rows = self.buffers[0].schema.empty_table()
        return rows.drop_columns([TO]), rows.drop_columns([FROM])

    def _take_section(self, rows: pa.Table, now: int) -> pa.Table:
        """The rows that nothing that begins from this instant on can continue."""
        starts = pa.concat_tables([self._begun, rows.drop_columns([TO])])
        ends = pa.concat_tables([self._ends, rows.drop_columns([FROM])])
        past = positions(ends[TO]) < now
        self._ends = ends.filter(pa.array(~past))
        if not past.any():
            self._begun = starts
            return self.schema.empty_table()
        found = self._coalesced(starts, ends.filter(pa.array(past)))
        goes_on = found[TO].is_null()
        self._begun = found.filter(goes_on).select(self._begun.schema.names)
        return found.filter(pc.invert(goes_on))

    def _coalesced(self, starts: pa.Table, ends: pa.Table) -> pa.Table:
        return self._plan({Bounds.STARTS: starts, Bounds.ENDS: ends})

    def _adapt(self, adaptive: AdaptiveCoalescing, rows: pa.Table, given: int, now: int) -> None:
        """Begin or end to coalesce where what was seen says so."""
        if self.cut_points.last.coalesces:
            adaptive.coalesced(rows, given)
            if adaptive.is_over(len(self._begun)):
                self.cut_points.add(now, adaptive.goes_on(len(self._begun)))
            return
        sample = adaptive.passed(rows)
        if sample is not None:
            made = len(self._coalesced(sample.drop_columns([TO]), sample.drop_columns([FROM])))
            if adaptive.is_worth_it(len(sample), made, now):
                self.cut_points.add(now, True)
