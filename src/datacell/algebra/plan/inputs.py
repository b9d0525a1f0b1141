"""Inputs: rows that are handed to a plan when it runs, and slots that say which rows these are.

A plan reads its inputs as it reads tables. Inputs with equal slots are one table, of which each reads its own columns.
Every stage that builds plans has slots of its own; whoever runs a plan fills them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from datacell.algebra.plan.node import Plan
from datacell.algebra.schema import Field, Schema


class Slot:
    """What an input stands for: a hashable value, and in words for readers."""


@dataclass(frozen=True)
class Input(Plan):
    """The rows in a slot; the columns are qualified with the alias if there is one."""

    slot: Slot
    columns: tuple[Field, ...]
    alias: str = ""

    @cached_property
    def schema(self) -> Schema:
        if not self.alias:
            return Schema(self.columns)
        return Schema(tuple(Field(f"{self.alias}.{f.name}", f.type) for f in self.columns))

    def head(self) -> str:
        alias = f" as {self.alias}" if self.alias else ""
        return f"{self.slot}{alias} ({', '.join(f.name for f in self.columns)})"
