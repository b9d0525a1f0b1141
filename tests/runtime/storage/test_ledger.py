"""Whatever happens to a file of a checkpoint is found when it is opened: made again and said, or an error names it."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

from datacell.errors import CheckpointError
from datacell.runtime.storage import files
from datacell.runtime.storage.checkpoint import Checkpoint
from datacell.runtime.storage.ledger import Ledger

TABLE = "streams/s/basket/0000000001.arrow"
JSON = "streams/s/basket/progress.json"
SIDE = "streams/s/late.arrow"
SPOOLED = "spool/s/1-00.csv"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A checkpoint with a file of every kind, in their second version; the first one is in `older`."""
    root = tmp_path / "state"
    for number in (1, 2):
        with closing(Checkpoint(root)):
            files.write_table(root / TABLE, pa.table({"x": [number]}))
            files.write_json(root / JSON, {"batch": number})
            files.write_table(root / SIDE, pa.table({"x": [number]}))
            if number == 1:
                files.write_once(root / SPOOLED, b"1,2\n")
        if number == 1:
            shutil.copytree(root, tmp_path / "older")
    return root


def flip(path: Path) -> None:
    content = path.read_bytes()
    at = len(content) // 2
    path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def older(path: Path) -> None:
    shutil.copyfile(Path(str(path).replace("/state/", "/older/")), path)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "cut": cut,
    "flipped": flip,
    "older": older,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("name", [TABLE, "ledger"])
def test_what_cannot_be_made_again_is_named(state: Path, name: str, damage: Callable[[Path], object]) -> None:
    damage(state / name)
    with pytest.raises(CheckpointError, match=rf"{name} is (damaged|missing)"):
        Checkpoint(state)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_the_ledger_has_the_text_of_is_made_again(
    state: Path, damage: Callable[[Path], object], caplog: pytest.LogCaptureFixture
) -> None:
    damage(state / JSON)
    with caplog.at_level(logging.WARNING), closing(Checkpoint(state)):
        assert files.read_json(state / JSON) == {"batch": 2}
    assert "it was written again" in caplog.text


def test_whichever_bit_of_it_is_flipped(state: Path) -> None:
    """Also one of the number in its seal, which does not make it younger than the ledger."""
    content = (state / JSON).read_bytes()
    for at in range(len(content)):
        (state / JSON).write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with closing(Checkpoint(state)):
            assert files.read_json(state / JSON) == {"batch": 2}
        content = (state / JSON).read_bytes()


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_side_output_is_given_up(
    state: Path, damage: Callable[[Path], object], caplog: pytest.LogCaptureFixture
) -> None:
    damage(state / SIDE)
    with caplog.at_level(logging.WARNING), closing(Checkpoint(state)):
        assert not (state / SIDE).exists()
    assert "answers do not depend on it" in caplog.text


@pytest.mark.parametrize("name", ["deleted", "empty", "cut", "flipped"])
def test_rows_that_were_acknowledged_are_not_lost_unsaid(state: Path, name: str) -> None:
    DAMAGES[name](state / SPOOLED)
    with pytest.raises(CheckpointError, match=r"1-00\.csv is (damaged|missing).*rows that were acknowledged"):
        Checkpoint(state)


def test_a_ledger_that_has_lost_its_last_record_is_older_than_the_files(state: Path) -> None:
    lines = (state / "ledger").read_bytes().splitlines(keepends=True)
    (state / "ledger").write_bytes(b"".join(lines[:-1]))
    with pytest.raises(CheckpointError, match=r"ledger is damaged: it is older than .*late\.arrow"):
        Checkpoint(state)


def test_a_record_that_a_kill_has_torn_never_counted(state: Path) -> None:
    with (state / "ledger").open("ab") as file:
        file.write(b'00000000 ["put", "x"')
    with closing(Checkpoint(state)):
        assert files.read_table(state / TABLE)[0].to_pydict() == {"x": [2]}


def test_what_was_removed_stays_so_and_may_come_again(state: Path) -> None:
    with closing(Checkpoint(state)):
        files.remove(state / TABLE)
        files.write_table(state / TABLE, pa.table({"x": [3]}))
        files.remove(state / SPOOLED)
    with closing(Checkpoint(state)):
        assert files.read_table(state / TABLE)[0].to_pydict() == {"x": [3]}
        assert not (state / SPOOLED).exists()


def test_a_removal_that_a_kill_has_left_half_is_finished(state: Path) -> None:
    content = (state / TABLE).read_bytes()
    with closing(Checkpoint(state)):
        files.remove(state / TABLE)
    (state / TABLE).write_bytes(content)
    with closing(Checkpoint(state)):
        assert not (state / TABLE).exists()


def test_the_ledger_does_not_grow_with_what_is_gone(tmp_path: Path) -> None:
    with closing(Checkpoint(tmp_path)):
        sizes = []
        for number in range(200):
            files.write_json(tmp_path / JSON, {"batch": number, "text": "x" * 5_000})
            sizes.append((tmp_path / "ledger").stat().st_size)
    assert max(sizes) < 300_000
    with closing(Checkpoint(tmp_path)):
        assert files.read_json(tmp_path / JSON)["batch"] == 199


def test_a_ledger_that_is_closed_takes_nothing(tmp_path: Path) -> None:
    with closing(Checkpoint(tmp_path)):
        pass
    with pytest.raises(CheckpointError, match="was closed"):
        files.write_json(tmp_path / JSON, 1)


def test_a_write_that_fails_leaves_the_ledger_as_it_was(tmp_path: Path) -> None:
    with closing(Checkpoint(tmp_path)):
        files.write_json(tmp_path / JSON, {"batch": 1})
        (tmp_path / "streams" / "f").write_text("in the way")
        with pytest.raises(CheckpointError, match="cannot be written"):
            files.write_table(tmp_path / "streams" / "f" / "x.arrow", pa.table({"x": [1]}))
    with closing(Checkpoint(tmp_path)):
        assert files.read_json(tmp_path / JSON) == {"batch": 1}


def test_other_formats_are_told(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.open()
    ledger.close()
    (tmp_path / "ledger").unlink()
    (tmp_path / "cell.json").write_text('{"version": 3, "id": "9f78a0c9461c3012"}\ndatacell 0 0\n')
    with pytest.raises(CheckpointError, match="its layout is number 3, and this version knows number 5"):
        Checkpoint(tmp_path)
