"""What a plan reads at a run: an Arrow table in the driver, or rows on the cluster that know how many they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from datacell.algebra.tree import Key
from datacell.placement.homes import Home


def rows_of(source: Any) -> int:
    """How many rows; nothing is counted for that."""
    return len(source) if isinstance(source, pa.Table) else int(source.count)


def home_of(source: object) -> Home:
    return Home.DRIVER if isinstance(source, pa.Table) else Home.CLUSTER


def homes_of(sources: Mapping[Key, object]) -> dict[Key, Home]:
    """Of those that are not in the driver, which is where sources are unless something else is said."""
    return {key: home for key, source in sources.items() if (home := home_of(source)) is not Home.DRIVER}
