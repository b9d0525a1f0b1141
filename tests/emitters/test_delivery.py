"""Every emitter has its own cursor and pace: a failing or blocked one holds up nobody, and nothing is lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from datacell.emitters.files import FileEmitter, WriteCsv
from datacell.emitters.ownership import Claim
from datacell.engines.protocol import Csv
from datacell.errors import EmitterError
from datacell.runtime.storage.output import Firing
from emitters.outputs import delivery, eventually, firing, output


class Recording:
    """Keeps the numbers of what was delivered; waits at `gate`, fails while `broken`."""

    guarantee = "at least once"
    takes_files = False

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.gate = Event()
        self.gate.set()
        self.broken: Exception | None = None

    def deliver(self, firing: Firing) -> None:
        self.gate.wait(20)
        if self.broken is not None:
            raise self.broken
        self.numbers.append(firing.number)

    def close(self) -> None:
        self.gate.set()


def test_a_blocked_emitter_holds_up_nobody(tmp_path: Path) -> None:
    source, blocked, free = output(tmp_path, 5), Recording(), Recording()
    blocked.gate.clear()
    first, second = delivery(tmp_path, source, blocked, "a"), delivery(tmp_path, source, free, "b")
    assert eventually(lambda: free.numbers == [0, 1, 2, 3, 4])
    assert eventually(lambda: (first.pending, second.pending) == (5, 0))
    blocked.gate.set()
    assert eventually(lambda: blocked.numbers == [0, 1, 2, 3, 4])
    first.stop()
    second.stop()


@pytest.mark.parametrize("error", [EmitterError("no"), OSError("no"), ValueError("no")])
def test_a_failing_emitter_says_why_and_is_tried_again(tmp_path: Path, error: Exception) -> None:
    source, emitter = output(tmp_path, 2), Recording()
    emitter.broken = error
    running = delivery(tmp_path, source, emitter)
    assert eventually(lambda: "no" in (running.failure or ""))
    emitter.broken = None
    assert eventually(lambda: emitter.numbers == [0, 1] and running.failure is None)
    running.stop()


def test_the_cursor_survives(tmp_path: Path) -> None:
    source, first, second = output(tmp_path, 2), Recording(), Recording()
    running = delivery(tmp_path, source, first)
    assert eventually(lambda: running.pending == 0 and (tmp_path / "e.json").exists())
    running.stop()
    source.append(firing(2).rows, {})
    again = delivery(tmp_path, source, second)
    assert eventually(lambda: second.numbers == [2])
    again.stop()


def test_parts_are_named_by_their_firing(tmp_path: Path) -> None:
    emitter = FileEmitter(Claim(tmp_path / "out"), "csv", WriteCsv(Csv()))
    for number, rows in ((0, 1), (1, 0), (2, 2), (2, 2)):
        emitter.deliver(firing(number, rows))
    parts = {p.name: p.read_text() for p in (tmp_path / "out").iterdir()}
    assert parts == {"part-0000000000.csv": "n,s\n0,x\n", "part-0000000002.csv": "n,s\n2000,x\n2001,x\n"}


def test_an_unwritable_directory_is_tried_again(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.touch()
    source = output(tmp_path, 2)
    running = delivery(tmp_path, source, FileEmitter(Claim(blocker / "out"), "csv", WriteCsv(Csv())))
    assert eventually(lambda: "cannot be written" in (running.failure or ""))
    assert running.pending == 2
    blocker.unlink()
    assert eventually(lambda: running.pending == 0 and running.failure is None)
    running.stop()
    assert len(list((tmp_path / "file" / "out").iterdir())) == 2


_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from emitters.outputs import firing
from datacell.engines.protocol import Csv
from datacell.emitters.files import FileEmitter, WriteCsv
from datacell.emitters.ownership import Claim
from datacell.errors import EmitterError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
emitter, out = FileEmitter(Claim(Path(sys.argv[1])), "csv", WriteCsv(Csv())), Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    emitter.deliver(firing(0, 5000))
except EmitterError as error:
    print(error.message.split(": ")[-1], len(list(out.iterdir())))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
emitter.deliver(firing(0, 5000))
print(len((out / "part-0000000000.csv").read_text().splitlines()))
"""


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    script = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(tmp_path / "out")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={"PYTHONPATH": ":".join(p for p in sys.path if p)},
    )
    assert script.stdout.splitlines() == ["File too large 0", "5001"]
