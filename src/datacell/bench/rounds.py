"""Paths to an answer, measured in rounds.

A path may have several choices, such as the size of its micro-batches: each is tried once, and the better one is
measured. Java compiles for minutes what is run often, and other work on a machine comes and goes: so all paths have
turns in rounds, one after the other, until a round makes none of them faster, there were enough, or the time is too
short for one more. The best turn of each path counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from datacell.bench.progress import Progress

FASTER = 1.05
"""A round in which no path was so many times as fast as before is the last one."""

LONGEST_FILLING = 45.0
"""Seconds after which what follows counts in any case, on a machine that is too slow to fill windows by then."""

Choice = tuple[int, str]
"""Seconds of stream time per micro-batch, and Spark's state store where there is a choice."""


@dataclass(frozen=True)
class Turn:
    """What counts in a turn of a path, and what comes before it."""

    warming: float
    """Seconds of real time before what counts."""
    taken: int
    """Rows of the stream that are taken before what counts, as far as that does not take too long."""
    counted: float
    """Seconds of what counts."""

    def is_warm(self, sample: Sample) -> bool:
        is_filled = sample.rows >= self.taken or sample.seconds >= LONGEST_FILLING
        return sample.seconds >= self.warming and is_filled


@dataclass(frozen=True)
class Sample:
    """So many rows of the stream had been taken after so many seconds of the turn."""

    seconds: float
    rows: int


def counted_rate(samples: Sequence[Sample], turn: Turn) -> float | None:
    """Rows per second since the first sample at which all is warm; None as long as that is too short."""
    warm = next(filter(turn.is_warm, samples), None)
    return _between(warm, samples[-1]) if warm and samples[-1].seconds - warm.seconds >= turn.counted else None


def second_half_rate(samples: Sequence[Sample]) -> float:
    """Rows per second of the later half of the rows: for a stream that came to its end before enough could count."""
    return _between([s for s in samples if 2 * s.rows <= samples[-1].rows][-1], samples[-1])


def _between(first: Sample, last: Sample) -> float:
    return (last.rows - first.rows) / (last.seconds - first.seconds)


@dataclass
class Measured:
    """A way to the answer: how each choice is measured, and rows per second that came out."""

    name: str
    choices: Mapping[Choice, Callable[[Turn], float]]
    trial: Turn
    turn: Turn
    tried: dict[Choice, float] = field(default_factory=dict)
    rates: list[float] = field(default_factory=list)

    @property
    def better(self) -> Choice:
        return max(self.tried, key=lambda choice: self.tried[choice], default=next(iter(self.choices)))

    @property
    def rate(self) -> float:
        """Of the best turn; if there was no turn, of the better choice when it was tried."""
        return max(self.rates) if self.rates else self.tried[self.better]

    @property
    def has_figure(self) -> bool:
        return bool(self.rates or self.tried)

    @property
    def has_improved(self) -> bool:
        *before, last = self.rates
        return not before or last >= FASTER * max(before)

    def try_out(self, progress: Progress, leaving: float) -> None:
        """Try every choice, if there is one; but only the first if no more time is left than is to be left.

        The first is tried while Java is cold: if another one seems better, it is tried once more.
        """
        first, *others = self.choices
        if not others:
            return
        for number in progress.turns(len(self.choices), leaving=leaving):
            self._try(list(self.choices)[number], progress)
        if self.better != first and progress.left > leaving:
            self._try(first, progress)

    def _try(self, choice: Choice, progress: Progress) -> None:
        found = self.choices[choice](self.trial)
        self.tried[choice] = max(found, self.tried.get(choice, 0.0))
        progress.say(f"trying {self.name}, {shown(choice)} … {found:,.0f} rows/s")

    def take_turn(self) -> float:
        self.rates.append(self.choices[self.better](self.turn))
        return self.rates[-1]

    def rows(self) -> list[tuple[int, str, float, int]]:
        """Each choice with its rows per second and its number of turns, 0 if it was only tried."""
        others = [(*choice, rate, 0) for choice, rate in self.tried.items() if choice != self.better]
        return [(*self.better, self.rate, len(self.rates)), *others]


def in_rounds(paths: Sequence[Measured], most: int, progress: Progress) -> int:
    """Measure all paths; how many whole rounds were made."""
    longest = sum(path.turn.warming + path.turn.counted for path in paths)
    for path in paths:
        path.try_out(progress, longest)
    for number in range(1, most + 1):
        began = progress.left
        is_late = began < longest and all(path.has_figure for path in paths)
        if is_late or not _is_whole(paths, f"round {number} of at most {most}", progress):
            return number - 1
        if not any(path.has_improved for path in paths):
            return number
        longest = max(longest, began - progress.left)
    return most


def _is_whole(paths: Sequence[Measured], title: str, progress: Progress) -> bool:
    """Whether every path had its turn: when the time is over, only those without any figure have one."""
    whole = True
    for path in paths:
        if progress.is_over and path.has_figure:
            whole = False
        else:
            progress.say(f"{title}: {path.name} … {path.take_turn():,.0f} rows/s")
    return whole


def shown(choice: Choice) -> str:
    seconds, store = choice
    return f"{seconds} s per micro-batch" + (f", state store {store}" if store else "")
