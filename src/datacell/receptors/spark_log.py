"""What Spark has written down of a source: which batches it has planned, which it has committed, which files they have.

It is put right where a kill or a move of the checkpoint has left it in a state that Spark refuses, and held against
what the stream has taken: a log that is older than that, or gone, would let rows be skipped without a word.
"""

from __future__ import annotations

import json
import shutil
from math import inf
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from datacell.runtime.storage import files
from datacell.runtime.storage.seal import damaged, missing

_PLAIN = "/@,;:$&+=_-!.~'()*"
"""What Java leaves in a path as it is, beside letters and digits."""

_COMPACT = ".compact"
"""How the name of a list of files ends that has those of all lists before it."""

_LINES = 3
"""Of a planned batch: Spark's version, when and how it was planned, and up to where it reaches."""

_HELD = "how far Spark has read the stream's source"


def prepare(log: Path, spool: Path | None, taken: int) -> None:
    """Make a log fit to go on with; batches up to number `taken` were taken."""
    planned = [int(path.name) for path in (log / "offsets").glob("*") if path.name.isdigit()]
    if taken >= 0 and not planned:
        raise missing(log / "offsets", _HELD)
    if planned and max(planned) < taken:
        how = f"it ends with batch {max(planned)}, and the stream has taken batch {taken}"
        raise damaged(log / "offsets", how, _HELD)
    _take_back(log, taken)
    if not planned and log.is_dir():
        shutil.rmtree(log)  # Spark refuses it; it was killed before it had planned a first batch, so nothing is lost
    if spool is not None:
        for path in sorted((log / "sources").glob("*/*")):
            if not path.name.startswith("."):
                _follow(path, spool)


def _take_back(log: Path, taken: int) -> None:
    """What Spark counts as read and the stream has not taken is read again: Spark goes on with the batch after `taken`.

    So that later batches get the same files again, the source forgets that it has planned them.
    """
    _forget(log / "commits", taken)
    _forget(log / "offsets", taken + 1)
    known = _files_known(log / "offsets" / str(taken + 1))
    for source in (log / "sources").glob("*"):
        _forget(source, known)


def _forget(directory: Path, last: float) -> None:
    """Remove what has a greater number, the newest first, so that there is never a gap."""
    found = [(int(path.name.removesuffix(_COMPACT)), path) for path in directory.glob("[0-9]*")]
    for _, path in sorted(((number, path) for number, path in found if number > last), reverse=True):
        path.unlink()
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def _files_known(offset: Path) -> float:
    """The number of the last list of files that a planned batch has; infinite if it was not planned or has none."""
    lines = offset.read_text(encoding="utf-8").splitlines() if offset.exists() else []
    reached = json.loads(lines[-1]) if len(lines) >= _LINES and lines[-1].startswith("{") else {}
    return float(reached.get("logOffset", inf))


def _follow(path: Path, spool: Path) -> None:
    """Spark names files with all of their path: it has to learn where they are, if the checkpoint was moved."""
    version, *lines = path.read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    moved = [entry for entry in entries if _directory(entry) != str(spool)]
    for entry in moved:
        entry["path"] = f"{_uri(spool)}/{entry['path'].rpartition('/')[2]}"
    if moved:
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        content = "\n".join([version, *(json.dumps(entry, separators=(",", ":")) for entry in entries)]).encode()
        files.write(path, lambda file: file.write(content))


def _uri(path: Path) -> str:
    """A path as Java spells it: Spark knows a file that it has read by its spelling."""
    return "file://" + "".join(c if c > "\x7f" and not c.isspace() else quote(c, safe=_PLAIN) for c in str(path))


def _directory(entry: dict[str, str]) -> str:
    return unquote(urlsplit(entry["path"].rpartition("/")[0]).path)
