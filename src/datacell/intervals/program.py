"""A query at every instant as a program: its windows, its stateful operators in order, and what they end in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from datacell.algebra.plan import Plan
from datacell.algebra.query import Query
from datacell.algebra.versions import Versions
from datacell.algebra.window import WindowSpec
from datacell.intervals.flow import Flow, NamedPlan
from datacell.intervals.operators import Aggregate, Operator, Split, Sweep

ANSWER, FINISH = "answer", "answer: delivered rows"


@dataclass(frozen=True)
class VersionsInPieces:
    """The rows of a LATEST window, perhaps cut at every multiple of a length."""

    versions: Versions
    split_every: int | None = None


@dataclass(frozen=True)
class Program:
    """`finish`, if there is one, makes the delivered rows of the answer's: it reads when they are valid."""

    query: Query
    windows: tuple[tuple[str, WindowSpec], ...]
    operators: tuple[Operator, ...]
    answer: Flow
    finish: Plan | None
    versions: tuple[VersionsInPieces, ...] = ()

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What operators are called where people read of them: ``join``, or ``join 2`` of several."""
        several = Counter(operator.kind for operator in self.operators)
        met = Counter[str]()
        found = []
        for operator in self.operators:
            met[operator.kind] += 1
            number = f" {met[operator.kind]}" if several[operator.kind] > 1 else ""
            found.append(f"{operator.kind}{number}")
        return tuple(found)

    @cached_property
    def split_lengths(self) -> tuple[int, ...]:
        """Some rows are cut at every multiple of each of these lengths."""
        found = [one.split_every for one in self.versions if one.split_every is not None]
        for operator in self.operators:
            match operator:
                case Split(length=length):
                    found.append(length)
                case Aggregate(split_every=int(length)) | Sweep(split_every=int(length)):
                    found.append(length)
        return tuple(found)

    @property
    def flows(self) -> Iterator[tuple[str, Flow]]:
        """What flows into operators and into the answer, by name."""
        for label, operator in zip(self.labels, self.operators, strict=True):
            yield from ((input_of(label, number), flow) for number, flow in enumerate(operator.inputs))
        yield ANSWER, self.answer

    def named(self) -> Iterator[NamedPlan]:
        """All that an engine will have to run, by name."""
        for label, operator in zip(self.labels, self.operators, strict=True):
            for number, flow in enumerate(operator.inputs):
                yield input_of(label, number), flow.plan
            for name, plan in operator.plans:
                yield part_of(label, name), plan
        for one in self.versions:
            yield from one.versions.named()
        yield ANSWER, self.answer.plan
        if self.finish is not None:
            yield FINISH, self.finish


def input_of(label: str, number: int) -> str:
    return part_of(label, f"input {number + 1}")


def part_of(label: str, name: str) -> str:
    return f"{label}: {name}"
