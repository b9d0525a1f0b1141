"""Answers row by row: every batch is answered when it comes, by itself.

What the first stage made of a batch is the answer already. It is durable before the batch counts as taken, and stays
where it is until the firing that has it is written: so no row is lost between the two, and none is delivered twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pyarrow as pa

from datacell.algebra import tree
from datacell.algebra.positions import Positions
from datacell.algebra.tree import Key
from datacell.compile.evaluation import RowByRow
from datacell.engines.protocol import Csv, Files
from datacell.engines.transfers import Account
from datacell.incremental.inputs import BasketRows
from datacell.runtime.evaluation import Fired, Held, PreparedBatch, Ready
from datacell.runtime.plans.plans import Plans
from datacell.runtime.storage.firings import Answer
from datacell.runtime.storage.output import Output, form, is_for_cluster, loaded
from datacell.runtime.storage.parts import manifest, require
from datacell.runtime.storage.saved import SavedTables
from datacell.runtime.streams.basket import Basket
from datacell.runtime.streams.batch import Axis, Batch, Need
from datacell.runtime.streams.first_stage import Arrived, MadeOf, Wanted
from datacell.runtime.streams.lateness import AnsweredWindow

BatchesSeen = Mapping[str, int]
"""The last batch of each stream that was answered."""


class AnswersRowByRow:
    """A query that keeps nothing but how far it has seen its streams."""

    def __init__(self, described: RowByRow, baskets: Mapping[str, Basket], plans: Plans, output: Output) -> None:
        self.strategy, self.baskets, self.output = described.strategy, baskets, output
        self._answer, self._has_cluster = plans.prepare(*next(described.named())), plans.has_cluster
        last = output.last
        self.seen: BatchesSeen = {} if last is None else dict(last.state["batches"])
        self._latest = None if last is None else last.content
        self._waiting = _WaitingAnswers(output)
        reads = [node.slot for node in tree.inputs(described.plan)]
        self._stream = next(iter(baskets)) if len(baskets) == len(reads) == 1 else None
        """The one stream that it reads, once; of others its answer needs the rows."""
        if self._stream is not None:
            self._waiting.recover(self.seen.get(self._stream, -1), baskets[self._stream].last_batch)
        self._wanted = Wanted(
            described.plan,
            None,
            self._answer.tables,
            self._waiting.directory,
            partial(is_for_cluster, output),
            lambda _, made, seconds: self._answer.on_cluster.was_staged(made, seconds),
            Account(next(iter(baskets.values())).account),
            partial(form, output),
        )

    def prepare(self, stream: str, batch: Batch) -> PreparedBatch:  # noqa: ARG002
        return {}

    def ingest(self, stream: str, batch: Batch, prepared: PreparedBatch) -> None:  # noqa: ARG002
        """The rows are answered when they are in the basket, also those of a batch that could not be taken as made."""
        self._waiting.forget_from(batch.number)

    def wanted(self, stream: str, expected: float) -> Sequence[Wanted] | None:
        """Where every taker of its answers reads files, no row comes to the driver."""
        if stream != self._stream or not self._has_cluster:
            return None
        for_cluster = self.output.takers and is_for_cluster(self.output)
        return [self._wanted] if for_cluster or self._answer.is_for_cluster(expected) else None

    def ingest_made(self, stream: str, arrived: Arrived, made: Sequence[MadeOf], missed: Positions) -> None:  # noqa: ARG002
        mine = next(found for wanted, found in made if wanted is self._wanted)
        self._waiting.put(arrived.number, mine.rows)

    def is_due(self, ready: Ready) -> bool:  # noqa: ARG002 - rows are enough
        return any(basket.last_batch > self.seen.get(name, -1) for name, basket in self.baskets.items())

    def fire(self, ready: Ready) -> Fired | None:  # noqa: ARG002
        inputs: dict[Key, pa.Table] = {BasketRows(name): self._new(name) for name in self.baskets}
        seen = {name: basket.last_batch for name, basket in self.baskets.items()}
        found: list[Answer] = self._waiting.answers()
        if any(map(len, inputs.values())):
            found.append(self._answer(inputs))
        if not any(map(_count, found)):
            self.seen = seen
            return None
        answer = _together(found, self.output)
        return Fired(answer, answer, seen, {"batches": seen})

    def keep(self, fired: Fired) -> None:
        self.seen, self._latest = fired.state, fired.latest
        self._waiting.clear()

    def oldest_needed(self, stream: str, coming: bool) -> list[Need]:  # noqa: ARG002
        return [(Axis.NUMBER, 0)] if coming else []

    def answered_windows(self, stream: str, watermark: int) -> list[AnsweredWindow] | None:  # noqa: ARG002
        return None

    def transfers(self) -> list[tuple[str, Account]]:
        return [("answer", self._wanted.account)]

    def expire(self) -> None:
        """Baskets expire by themselves."""

    def held(self) -> Held | None:
        return None

    def latest(self) -> pa.Table | None:
        return None if self._latest is None else loaded(self._latest, self.output.schema, self.output.account)

    def remark(self) -> str:
        return ""

    def _new(self, stream: str) -> pa.Table:
        basket = self.baskets[stream]
        new = [b.rows for b in basket.batches if b.number > self.seen.get(stream, -1)]
        return pa.concat_tables([basket.schema.empty_table(), *new])


class _WaitingAnswers:
    """Answers of batches that no firing has yet, by the number of the batch."""

    def __init__(self, output: Output) -> None:
        self._root, self._schema = output.directory / "answers", output.schema
        self._saved = SavedTables(self._root)
        self._waiting: dict[int, Answer] = {}

    def directory(self, batch: int) -> str:
        """Where executors put the answer of a receptor's batch."""
        return str(self._root / f"batch-{batch:010d}")

    def put(self, batch: int, answer: Answer) -> None:
        """Once this returns, the answer is safe."""
        if isinstance(answer, Files):
            names = [Path(path).name for path in answer.paths]
            csv = None if answer.csv is None else asdict(answer.csv)
            noted = {"files": names, "count": answer.count, "csv": csv, "parts": manifest(self._root, answer.paths)}
            self._saved.put(batch, self._schema.empty_table(), noted)
        else:
            self._saved.put(batch, answer.select(self._schema.names), {})
        self._waiting[batch] = answer

    def answers(self) -> list[Answer]:
        return list(self._waiting.values())

    def clear(self) -> None:
        """They are in a firing now; files are left to it."""
        for batch in self._waiting:
            self._saved.remove(batch)
        self._waiting.clear()

    def forget_from(self, batch: int) -> None:
        """A batch that could not be taken comes again."""
        for gone in [number for number in self._waiting if number >= batch]:
            self._saved.remove(gone)
            self._waiting.pop(gone)

    def recover(self, seen: int, last_batch: int) -> None:
        """What was made after the last firing, of batches that were taken; the others will come again."""
        for batch, rows, noted in list(self._saved.read()):
            paths = [str(self._root / name) for name in noted.get("files", ())]
            if seen < batch <= last_batch:
                require(self._root, noted.get("parts", {}))
                csv = noted.get("csv")
                files = Files(tuple(paths), noted.get("count", 0), None if csv is None else Csv(**csv))
                self._waiting[batch] = files if paths else rows
                continue
            self._saved.remove(batch, map(Path, paths if batch > last_batch else ()))


def _count(answer: Answer) -> int:
    return answer.count if isinstance(answer, Files) else len(answer)


def _together(answers: Sequence[Answer], output: Output) -> Answer:
    """One answer; files stay files if there is nothing else."""
    some = [answer for answer in answers if _count(answer)]
    files = [answer for answer in some if isinstance(answer, Files)]
    if len(files) == len(some) and len({one.csv for one in files}) == 1:
        return Files(tuple(path for one in files for path in one.paths), sum(map(_count, files)), files[0].csv)
    return pa.concat_tables([loaded(one, output.schema, output.account) for one in some])
