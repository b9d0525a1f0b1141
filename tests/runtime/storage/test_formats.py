"""A checkpoint of every format so far: the present one opens and has what was put in, older ones say what they are.

`pytest --regenerate` makes the present one again; a format that has changed gets another number, and a directory.
"""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

from datacell.errors import CheckpointError
from datacell.runtime.storage.answered import Answered
from datacell.runtime.storage.checkpoint import Checkpoint
from datacell.runtime.storage.ledger import FORMAT
from datacell.runtime.storage.output import Output
from datacell.runtime.streams.basket import Aside, SharedBasket
from datacell.runtime.streams.batch import Axis

FORMATS = Path(__file__).parent / "formats"
SCHEMA = pa.schema([("i", pa.int32())])
ROWS = pa.table({"i": [1, 2]}, schema=SCHEMA)
STREAM, QUERY = {"columns": "i INT", "lateness": "0"}, {"text": "SELECT i FROM s", "plan": ""}


def opened(checkpoint: Checkpoint) -> tuple[SharedBasket, Output]:
    """What a script finds in it."""
    with checkpoint.admitted("stream", "s", STREAM):
        basket = SharedBasket(checkpoint.stream("s") / "basket", SCHEMA)
    with checkpoint.admitted("query", "q", QUERY) as life:
        if checkpoint.asked.of("q") is None:
            checkpoint.asked.put(Answered("q", "q", QUERY["text"]))
        return basket, Output(checkpoint.query("q"), SCHEMA, life)


def make(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    with closing(Checkpoint(root)) as checkpoint:
        basket, output = opened(checkpoint)
        basket.take("receptor", 0, basket.numbered(ROWS, 5), [(Axis.NUMBER, 0)], Aside(rejected=1))
        output.append(ROWS, {"batches": {"s": 0}})
    (root / "lock").unlink()


def test_the_present_format_opens(tmp_path: Path, regenerate: bool) -> None:
    if regenerate:
        make(FORMATS / str(FORMAT))
    shutil.copytree(FORMATS / str(FORMAT), tmp_path / "state")
    with closing(Checkpoint(tmp_path / "state")) as checkpoint:
        basket, output = opened(checkpoint)
        assert (basket.rows(), basket.progress.rows, basket.progress.rejected) == (ROWS, 2, 1)
        assert output.last is not None
        assert (output.last.rows, output.last.state) == (ROWS, {"batches": {"s": 0}})


@pytest.mark.parametrize("number", sorted(int(path.name) for path in FORMATS.iterdir()))
def test_another_format_says_what_it_is(tmp_path: Path, number: int) -> None:
    shutil.copytree(FORMATS / str(number), tmp_path / "state")
    if number == FORMAT:
        Checkpoint(tmp_path / "state").close()
        return
    with pytest.raises(CheckpointError, match=f"its layout is number {number}, and this version knows number {FORMAT}"):
        Checkpoint(tmp_path / "state")
