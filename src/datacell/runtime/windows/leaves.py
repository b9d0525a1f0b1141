"""The leaves of a split query: what its answer reads of the relations that are kept."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.query import TIME_COLUMNS
from datacell.algebra.schema import Schema
from datacell.algebra.tree import Key
from datacell.engines.arrow import arrow_schema
from datacell.engines.protocol import Source
from datacell.incremental.boundaries import Boundary, shown_during
from datacell.incremental.inputs import BOUNDARIES, Probes, ShownRows
from datacell.incremental.plans import Incremental
from datacell.incremental.relations import SLICE, VISIBLE_FROM, VISIBLE_TO, Kept, Latest, Leaf, View, fields
from datacell.runtime.plans.plans import Plans
from datacell.runtime.plans.prepared import PreparedPlan
from datacell.runtime.windows.chunks import slices
from datacell.runtime.windows.delta_join import visible_at, with_visibility
from datacell.runtime.windows.kept_relations import KeptRelations
from datacell.runtime.windows.on_cluster import merged as on_cluster_merged
from datacell.runtime.windows.on_cluster import visible as on_cluster_visible
from datacell.runtime.windows.query_windows import QueryWindows
from datacell.runtime.windows.slices import Slices
from datacell.runtime.windows.sliding.aggregation import ScannedLeaf, SlidingAggregation
from datacell.runtime.windows.sliding.leaf import SlidingLeaf


class Leaves:
    """What is merged is put together from running combinations; of everything else all live rows are read."""

    def __init__(self, described: Incremental, relations: KeptRelations, plans: Plans) -> None:
        self.split, self.relations = described.split, relations
        query = self.split.query
        (time,) = TIME_COLUMNS[query.timing]
        slides = tree.slides(query.plan)
        self.merged = {
            number: SlidingAggregation(
                SlidingLeaf.of(self.split.leaves[number], number, slides, time),
                relations.slices[self.split.leaves[number].relation],
                merge,
                plans,
            )
            for number, merge in described.merges.items()
        }
        own = QueryWindows.of(query)
        windows = list(zip(own.specs, own.streams, strict=True))
        self._window_numbers = {
            number: windows.index((leaf.window, self._stream(leaf)))
            for number, leaf in enumerate(self.split.leaves)
            if number in self.merged and leaf.window is not None
        }
        """The query's window that a leaf sees its relation through; all equal ones show the same."""

    def at_one(self, due: Boundary) -> dict[Key, pa.Table]:
        """What is shown at one boundary."""
        return {ShownRows(number): self._shown(number, leaf, due) for number, leaf in enumerate(self.split.leaves)}

    def at_many(self, due: Sequence[Boundary], answer: PreparedPlan) -> dict[Key, pa.Table]:
        """What is needed to find what is shown at each boundary, in the shape that the answer's plan has."""
        inputs: dict[Key, pa.Table] = {}
        scanned: list[ScannedLeaf] = []
        ends = [b.end for b in due]
        for number, leaf in enumerate(self.split.leaves):
            if number in self.merged:
                shown = [b.shown[self._window_numbers[number]] for b in due]
                scanned.append(self.merged[number].many(shown, ends))
                inputs |= scanned[-1].rows()
            else:
                inputs[ShownRows(number)] = self._visible(leaf)
        sizes = {key: float(len(rows)) for key, rows in inputs.items()} | {BOUNDARIES: float(len(due))}
        slots = answer.slots(sizes | {Probes(one.leaf.number): float(len(due)) for one in scanned})
        for one in scanned:
            inputs |= one.probes(slots)
        return inputs

    def are_on_cluster(self) -> bool:
        """Has some relation its home there?"""
        return any(relation.on_cluster for relation in self.relations.slices.values())

    def on_cluster(self, due: Sequence[Boundary], answer: PreparedPlan) -> dict[Key, Source]:
        """What is needed where rows are on the cluster; rows that are in the driver go there, too."""
        inputs: dict[Key, Source] = {}
        ends, slots = [b.end for b in due], answer.on_cluster.slots
        for number, leaf in enumerate(self.split.leaves):
            relation = self.relations.slices.get(leaf.relation)
            if number not in self.merged:
                on_cluster = relation is not None and relation.on_cluster and not isinstance(leaf, Latest)
                inputs |= (
                    on_cluster_visible(relation, number, leaf)
                    if on_cluster and relation is not None
                    else {ShownRows(number): self._visible(leaf)}
                )
                continue
            merged, window = self.merged[number], self._window_numbers[number]
            if merged.relation.on_cluster:
                merged.forget()
                inputs |= on_cluster_merged(merged.relation, merged.leaf, due, window)
            else:
                found = merged.many([b.shown[window] for b in due], ends)
                inputs |= found.rows() | found.probes(slots)
        return inputs

    def over(self, relation: Slices) -> list[SlidingAggregation]:
        """The sliding aggregations over a kept relation."""
        return [merged for merged in self.merged.values() if merged.relation is relation]

    def wait(self) -> None:
        """Until nothing is being made beside the answer."""
        for merged in self.merged.values():
            merged.wait()

    def _shown(self, number: int, leaf: Leaf, due: Boundary) -> pa.Table:
        if number in self.merged:
            return self.merged[number].one(*due.shown[self._window_numbers[number]])
        return visible_at(self._visible(leaf), due.end)

    def _visible(self, leaf: Leaf) -> pa.Table:
        """All live rows that a leaf reads, with the boundaries between which they are visible."""
        names = [f.name for f in leaf.columns]
        if leaf.relation in self.relations.joins:
            rows = self.relations.joins[leaf.relation].rows
            return rows.rename_columns([*names, *rows.schema.names[len(names) :]])
        rows = self.relations.slices[leaf.relation].rows()
        at = slices(rows)
        if isinstance(leaf, Latest):
            since, _ = shown_during(leaf.window, at)
            return rows.rename_columns([*names, SLICE]).append_column(VISIBLE_FROM, pa.array(since))
        view = View(leaf.relation, leaf.window, leaf.columns)
        schema = arrow_schema(Schema((*leaf.columns, *fields(VISIBLE_FROM, VISIBLE_TO))))
        return with_visibility(rows, view, schema, at)

    def _stream(self, leaf: Leaf) -> str:
        relation = self.split.relations[leaf.relation]
        assert isinstance(relation, Kept)
        return relation.stream
