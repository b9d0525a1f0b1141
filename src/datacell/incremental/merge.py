"""Merging: what slices gave becomes what a window shows, at a cost that does not depend on how many slices there are.

A window over combinable rows is the end of one block combined with the beginning of the next (`algebra.blocks`), and
both are running combinations (`incremental.running`). Here is how partial rows are folded to fewer.
"""

from __future__ import annotations

from datacell.algebra import combining
from datacell.algebra.plan import Input, Plan
from datacell.algebra.schema import Field
from datacell.incremental.inputs import ROWS
from datacell.incremental.relations import Combination, fields

AT = "at′"
"""The boundary that shows a row."""


def folding(columns: tuple[Field, ...], combination: Combination, *apart: str) -> Plan:
    """A fragment that combines rows; those that differ in the columns `apart` are kept apart."""
    return folded(Input(ROWS, (*columns, *fields(*apart))), combination, apart)


def folded(rows: Plan, combination: Combination, apart: tuple[str, ...]) -> Plan:
    """Rows combined by their keys; those that differ in the columns `apart` are kept apart."""
    return combining.folded(rows, (*combination.keys, *apart), combination.decompositions)
