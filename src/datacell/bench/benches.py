"""All benches, by name."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from datacell.bench.effort import Effort

if TYPE_CHECKING:
    from datacell.bench.progress import Progress
    from datacell.bench.report import Report


class Name(Enum):
    NET = "net"
    LIFTING = "lifting"
    HOP = "hop"
    BASIC = "basic"
    STEPS = "steps"
    SELECTIVITY = "selectivity"
    WINDOW_SIZE = "window-size"
    LANDMARK = "landmark"
    ADAPTIVE = "adaptive"
    AGAINST_ENGINE = "against-engine"
    GROWTH = "growth"
    OPTIMIZER_TIME = "optimizer-time"
    PLACEMENT = "placement"
    FEASIBILITY = "feasibility"
    INTERVALS = "intervals"
    VOLUME = "volume"
    LATENCY = "latency"
    TRANSFERS = "transfers"
    BACKLOG = "backlog"
    LARGE_STATE = "large-state"
    EXECUTORS = "executors"
    CHAIN = "chain"
    BATCHES = "batches"
    STRATEGIES = "strategies"
    SHARING = "sharing"


class Bench(Protocol):
    """What the module of a bench has."""

    HEADLINE: tuple[str, ...]
    """The names of the figures that it is about, whatever the effort."""

    def run(self, effort: Effort, progress: Progress) -> Report: ...


def find(name: Name) -> Bench:
    """The module of a bench. It is imported only now: benches bring Spark and matplotlib with them."""
    return cast("Bench", import_module(f"datacell.bench.{name.value.replace('-', '_')}"))


def measure(name: Name, effort: Effort, progress: Progress) -> Report:
    """Run a bench. Its report has the headline that the bench declares, and remarks on whatever makes it less."""
    bench = find(name)
    report = bench.run(effort, progress)
    assert tuple(report.headline) == bench.HEADLINE
    remarks = [report.remark]
    if progress.is_cut_short:
        remarks.append("the time was over before all turns were made")
    if effort is Effort.QUICK:
        remarks.append("a quick run: not to be compared with full ones")
    return replace(report, remark="; ".join(filter(None, remarks)))
