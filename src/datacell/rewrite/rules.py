"""The rules, in the order in which they are tried. Each stands in a file of its own name, with its fixtures."""

from __future__ import annotations

from dataclasses import replace

from datacell.algebra.query import Query
from datacell.rewrite import (
    break_ties,
    insert_coalesce,
    merge_filters,
    merge_maps,
    prune_columns,
    pull_filter_from_subquery,
    push_filter_through_aggregate,
    push_filter_through_coalesce,
    push_filter_through_filter,
    push_filter_through_join,
    push_filter_through_map,
    push_filter_through_over,
    push_filter_through_set_operation,
    push_filter_through_union,
    push_filter_through_window,
    push_group_through_window,
    push_map_through_window,
    push_partial_aggregation_through_join,
    push_partial_aggregation_through_union,
    push_split_through_flow,
    remove_coalesce,
    remove_distinct,
    remove_inner_distinct,
    remove_inner_order,
    split_filters,
    strengthen_outer_join,
    unnest_subqueries,
)
from datacell.rewrite.driver import NodeRule, Phase, PlanRule, fixed_point, optimize

UNNEST: Phase = (
    NodeRule("pull_filter_from_subquery", pull_filter_from_subquery.rewrite),
    NodeRule("unnest_subqueries", unnest_subqueries.rewrite),
    PlanRule("remove_inner_order", remove_inner_order.rewrite),
    NodeRule("remove_distinct", remove_distinct.rewrite),
    PlanRule("prune_columns", prune_columns.rewrite),
)

PUSH: Phase = (
    NodeRule("split_filters", split_filters.rewrite),
    NodeRule("push_filter_through_map", push_filter_through_map.rewrite),
    NodeRule("push_filter_through_union", push_filter_through_union.rewrite),
    NodeRule("push_filter_through_set_operation", push_filter_through_set_operation.rewrite),
    NodeRule("strengthen_outer_join", strengthen_outer_join.rewrite),
    NodeRule("push_filter_through_join", push_filter_through_join.rewrite),
    NodeRule("push_filter_through_aggregate", push_filter_through_aggregate.rewrite),
    NodeRule("push_filter_through_over", push_filter_through_over.rewrite),
    NodeRule("push_filter_through_coalesce", push_filter_through_coalesce.rewrite),
    NodeRule("push_filter_through_window", push_filter_through_window.rewrite),
    NodeRule("push_filter_through_filter", push_filter_through_filter.rewrite),
    NodeRule("remove_coalesce", remove_coalesce.rewrite),
    NodeRule("push_split_through_flow", push_split_through_flow.rewrite),
)

NARROW: Phase = (
    NodeRule("merge_filters", merge_filters.rewrite),
    NodeRule("merge_maps", merge_maps.rewrite),
    PlanRule("prune_columns", prune_columns.rewrite),
    NodeRule("push_map_through_window", push_map_through_window.rewrite),
    NodeRule("push_group_through_window", push_group_through_window.rewrite),
    NodeRule("push_partial_aggregation_through_union", push_partial_aggregation_through_union.rewrite),
)

DECIDE: Phase = (NodeRule("break_ties", break_ties.rewrite),)

RESHAPE: Phase = (PlanRule("insert_coalesce", insert_coalesce.rewrite),)

RULES: tuple[Phase, ...] = (UNNEST, PUSH, NARROW, DECIDE, RESHAPE)

ALTERNATIVES: Phase = (
    NodeRule("push_partial_aggregation_through_join", push_partial_aggregation_through_join.rewrite),
    NodeRule("remove_inner_distinct", remove_inner_distinct.rewrite),
)
"""Sound, but not always better: a choice by cost."""


def optimized(query: Query) -> Query:
    """The query with every rule applied."""
    return optimize(query, RULES)


def equivalents(query: Query) -> tuple[Query, ...]:
    """The query with every rule applied; and the same with what is a choice by cost, if that changes anything."""
    first = optimized(query)
    other = optimize(replace(first, plan=fixed_point(first.plan, ALTERNATIVES)), RULES)
    return (first,) if other.plan == first.plan else (first, other)
