"""Unit costs: those that come with the system, and those that `datacell calibrate` has measured on this machine."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from datacell.errors import DataCellError
from datacell.placement.costs import EngineCosts, TransferCost, UnitCosts
from datacell.placement.operators import OperatorKind, Site

VERSION = 2
"""Of the file: before, transfers had a cost for each value."""

_MICRO = 1e-6
_MEASURED = tuple(kind for kind in OperatorKind if kind is not OperatorKind.RUNNING)

SHIPPED = UnitCosts(
    {
        Site.SPARK: EngineCosts(
            firing=0.06,
            operator=0.02,
            row={
                OperatorKind.FILTER: 0.015 * _MICRO,
                OperatorKind.MAP: 0.015 * _MICRO,
                OperatorKind.AGGREGATE: 0.06 * _MICRO,
                OperatorKind.JOIN: 0.12 * _MICRO,
                OperatorKind.DISTINCT: 0.06 * _MICRO,
                OperatorKind.OVER: 1.0 * _MICRO,
                OperatorKind.ORDER: 0.1 * _MICRO,
                OperatorKind.UNION: 0.015 * _MICRO,
                OperatorKind.SET_OPERATION: 0.12 * _MICRO,
            },
            pair=0.005 * _MICRO,
        ),
        Site.DUCKDB: EngineCosts(
            firing=0.001,
            operator=0.0003,
            row={
                OperatorKind.FILTER: 0.005 * _MICRO,
                OperatorKind.MAP: 0.01 * _MICRO,
                OperatorKind.AGGREGATE: 0.02 * _MICRO,
                OperatorKind.JOIN: 0.03 * _MICRO,
                OperatorKind.DISTINCT: 0.02 * _MICRO,
                OperatorKind.OVER: 0.35 * _MICRO,
                OperatorKind.ORDER: 0.05 * _MICRO,
                OperatorKind.UNION: 0.005 * _MICRO,
                OperatorKind.SET_OPERATION: 0.03 * _MICRO,
            },
            pair=0.01 * _MICRO,
        ),
    },
    to_cluster=TransferCost(row=0.12 * _MICRO, byte=0.0025 * _MICRO),
    to_driver=TransferCost(row=0.1 * _MICRO, byte=0.0125 * _MICRO),
)
"""As two cores of a server have them, with rows by the million; on other machines all differ, but their ratios less so.

Spark's are those of rows that it finds on the cluster, where both cores work on them. A transfer to the driver costs
what a batch takes longer for it from end to end: turned into Arrow by Java, sent, put in order, sliced, made durable.
"""


def location() -> Path:
    """Where measured costs are kept: under the user's configuration."""
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "datacell" / "unit-costs.json"


def load() -> UnitCosts:
    """The measured costs, or those that come with the system."""
    path = location()
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return SHIPPED
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataCellError(
            f"{path} has no unit costs: {error}", hint="run `datacell calibrate`, or remove it"
        ) from error


def save(units: UnitCosts) -> Path:
    path = location()
    path.parent.mkdir(parents=True, exist_ok=True)
    hidden = path.with_name(f".{path.name}")
    hidden.write_text(json.dumps(to_json(units), indent=2) + "\n", encoding="utf-8")
    hidden.replace(path)
    return path


def to_json(units: UnitCosts) -> dict[str, Any]:
    engines = {
        site.value: {
            "firing": costs.firing,
            "operator": costs.operator,
            "pair": costs.pair,
            "row": {kind.value: seconds for kind, seconds in costs.row.items()},
        }
        for site, costs in units.engines.items()
    }
    transfers = {"to cluster": units.to_cluster, "to driver": units.to_driver}
    return {
        "version": VERSION,
        "engines": engines,
        **{direction: {"row": cost.row, "byte": cost.byte} for direction, cost in transfers.items()},
    }


def from_json(found: dict[str, Any]) -> UnitCosts:
    if found.get("version") != VERSION:
        raise ValueError("they were measured by another version")
    engines = {site: _engine_from_json(found["engines"][site.value]) for site in Site}
    return UnitCosts(engines, *(_transfer_from_json(found[d]) for d in ("to cluster", "to driver")))


def _transfer_from_json(cost: dict[str, Any]) -> TransferCost:
    return TransferCost(float(cost["row"]), float(cost["byte"]))


def _engine_from_json(costs: dict[str, Any]) -> EngineCosts:
    rows: dict[OperatorKind, float] = {kind: float(costs["row"][kind.value]) for kind in _MEASURED}
    return EngineCosts(float(costs["firing"]), float(costs["operator"]), rows, float(costs["pair"]))
