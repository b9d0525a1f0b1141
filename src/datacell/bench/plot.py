"""Figures of benches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import matplotlib as mpl
from matplotlib import pyplot

mpl.use("agg")

Series = Mapping[str, Sequence[tuple[float, float]]]


@dataclass(frozen=True)
class Plot:
    """Bars by name, or points, with lines between them unless they are loose; axes may be logarithmic."""

    title: str
    series: Series
    x: str = ""
    y: str = ""
    log_x: bool = False
    log_y: bool = False
    is_bars: bool = False
    is_loose: bool = False

    @classmethod
    def bars(cls, title: str, values: Mapping[str, float], x: str = "", log: bool = True) -> Self:
        return cls(title, {name: [(0.0, value)] for name, value in values.items()}, x=x, log_x=log, is_bars=True)

    def save(self, path: Path, remark: str) -> None:
        """Draw it as a PNG, with a remark below."""
        figure, axes = pyplot.subplots(figsize=(7.5, 4.2), layout="constrained")
        if self.is_bars:
            names = list(self.series)
            drawn = axes.barh(names[::-1], [self.series[n][0][1] for n in names[::-1]], color="#4878a8")
            axes.bar_label(drawn, fmt="{:,.0f}", padding=3, fontsize=8)
            axes.margins(x=0.2)
        else:
            line, size = ("none", 6) if self.is_loose else ("-", 4)
            for marker, (name, points) in zip("osD^vP*X" * 4, self.series.items(), strict=False):
                x, y = zip(*points, strict=True)
                axes.plot(x, y, marker=marker, markersize=size, linestyle=line, label=name)
            axes.legend(fontsize=8)
            axes.grid(visible=True, alpha=0.3)
        axes.set(title=self.title, xlabel=self.x, ylabel=self.y)
        if self.log_x:
            axes.set_xscale("log")
        if self.log_y:
            axes.set_yscale("log")
        figure.text(0.01, -0.03, remark, fontsize=6, color="gray")
        figure.savefig(path, dpi=130, bbox_inches="tight")
        pyplot.close(figure)
