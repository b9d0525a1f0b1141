"""What is done when a checkpoint is opened: each of its files is held against the ledger, before anything is read.

A file that waits beside its place is put there; what the ledger has the text of is written again; of side outputs,
which nothing depends on, what is damaged is given up; all of this is said. Everything else is an error: nothing is
made again from something that may be older. What the ledger does not know is removed, if it was ours.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from datacell.errors import CheckpointError
from datacell.runtime.storage.ledger import HELD, Entry, Ledger
from datacell.runtime.storage.seal import AFRESH, SENT_AGAIN, damaged, missing, number_of, seal

_LOG = logging.getLogger("datacell")

EXPENDABLE = frozenset({"late.arrow", "rejected.arrow"})
_PLACES = ("cell.json", "definitions", "asked", "streams", "queries", "tables", "emitters", "spool")
"""Where files of ours are; the directory may have others."""

_OURS = frozenset({".arrow", ".json", ".latest"})


def inspect(ledger: Ledger) -> None:
    """After this every file is what the ledger says, and there is no other. An error if that cannot be."""
    there = {path.relative_to(ledger.root).as_posix(): path for path in _ours(ledger.root)}
    for path in there.values():
        _require_known(ledger, path)
    for name, entry in list(ledger.files.items()):
        path = ledger.root / name
        wrong = _wrong(path, entry)
        if wrong is not None and not _finished(path, entry) and not _made_again(ledger, path, entry, wrong):
            raise wrong
    for name in there.keys() - ledger.files.keys():
        if name not in ledger.left:
            _LOG.warning("%s is removed: the checkpoint does not know it", there[name])
        there[name].unlink(missing_ok=True)
    for path in ledger.root.rglob(".*.tmp"):
        if path.is_file():
            path.unlink(missing_ok=True)


def _ours(root: Path) -> Iterator[Path]:
    """The files that the ledger should know: neither Spark's log, nor what executors write, nor what is elsewhere."""
    for path in (path for place in _PLACES for path in [root / place, *(root / place).rglob("*")]):
        place = path.relative_to(root).parts
        is_sparks = place[0] == "streams" and place[2:3] == ("spark",)
        is_ours = path.suffix in _OURS or place[0] == "spool"
        if is_ours and not is_sparks and not path.name.startswith((".", "part-")) and path.is_file():
            yield path


def _require_known(ledger: Ledger, path: Path) -> None:
    """A file that was written after the ledger ends: the ledger is not the one that belongs here."""
    name = path.relative_to(ledger.root).as_posix()
    is_spooled = name.startswith("spool/") and name not in ledger.files and name not in ledger.left
    if is_spooled or number_of(path) > ledger.number:
        raise damaged(ledger.path, f"it is older than {path}, or its end is missing", HELD)


def _wrong(path: Path, entry: Entry) -> CheckpointError | None:
    """What is wrong with a file, if something is."""
    lost, choices = ("rows that were acknowledged", SENT_AGAIN) if "spool" in path.parts else (None, AFRESH)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return missing(path, lost, choices)
    except OSError as error:
        return damaged(path, f"it cannot be read: {error.strerror}", lost, choices)
    if len(content) == entry.length and crc32(content) == entry.checksum:
        return None
    if not content:
        return damaged(path, "it is empty", lost, choices)
    if len(content) != entry.length:
        return damaged(path, f"it has {len(content)} bytes, and {entry.length} were written", lost, choices)
    return damaged(path, "its content is not what was written last", lost, choices)


def _finished(path: Path, entry: Entry) -> bool:
    """Was it about to be put into its place, and waits beside it?"""
    for waiting in path.parent.glob(f".{_literal(path.name)}.*.tmp"):
        if _wrong(waiting, entry) is None:
            waiting.replace(path)
            return True
    return False


def _made_again(ledger: Ledger, path: Path, entry: Entry, wrong: CheckpointError) -> bool:
    """What can be made again is, and that is said, unless a kill came before the file was there."""
    if path.name in EXPENDABLE:
        _LOG.warning("%s; it is empty now, and answers do not depend on it", wrong.message)
        ledger.remove([path])
        path.unlink(missing_ok=True)
        return True
    if entry.text is None:
        return False
    if entry.number < ledger.number:
        _LOG.warning("%s; it was written again, as the checkpoint's ledger has it", wrong.message)
    content = entry.text.encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content + seal(path.name, content, entry.number))
    return True


def _literal(name: str) -> str:
    """A name as a pattern that only it fits."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)
