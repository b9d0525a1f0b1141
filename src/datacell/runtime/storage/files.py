"""Durable files: written whole under a temporary name, synced, then renamed. A reader never sees half a file.

What is only ours has a seal (`seal`), which is looked at whenever it is read. In a checkpoint that is open it has a
record in the ledger, too.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias
from zlib import crc32

import pyarrow as pa
from pyarrow import ipc

from datacell.errors import CheckpointError
from datacell.runtime.storage.ledger import Entry, Ledger, unwritable
from datacell.runtime.storage.ledger import sync_path as sync_path
from datacell.runtime.storage.seal import damaged, missing, seal, unsealed

_TEMPORARY: set[str] = set()
_LEDGERS: dict[Path, Ledger] = {}

Noted: TypeAlias = tuple[pa.Table, dict[str, Any]]
_IN_MEMORY: dict[str, dict[int, Noted]] = {}
"""Tables of temporary directories, which whoever saved them has in memory anyway."""


@contextmanager
def temporary_directory() -> Iterator[Path]:
    """A directory that nobody will look for after a crash: what is in it need not outlive a power cut."""
    root = Path(tempfile.mkdtemp(prefix="datacell-"))
    prefix = f"{root}{os.sep}"
    _TEMPORARY.add(prefix)
    try:
        yield root
    finally:
        _TEMPORARY.discard(prefix)
        forget_in_memory(root)
        shutil.rmtree(root, ignore_errors=True)


def is_temporary(path: Path) -> bool:
    """Is it in a temporary directory?"""
    return str(path).startswith(tuple(_TEMPORARY))


def in_memory(directory: Path) -> dict[int, Noted]:
    """The tables that were saved for a temporary directory, by number."""
    return _IN_MEMORY.setdefault(str(directory), {})


def forget_in_memory(directory: Path) -> None:
    """What was saved for a temporary directory, and for those in it, is gone."""
    for known in [known for known in _IN_MEMORY if Path(known).is_relative_to(directory)]:
        del _IN_MEMORY[known]


def keep_ledger(ledger: Ledger) -> None:
    """What is written and removed below its root has records in it from now on."""
    _LEDGERS[ledger.root] = ledger


def ledger_of(path: Path) -> Ledger | None:
    """The ledger of the checkpoint that a file is in."""
    return next((_LEDGERS[above] for above in path.parents if above in _LEDGERS), None) if _LEDGERS else None


def write(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    """Write a file so that it is there whole or not at all, also after a power cut."""
    temporary, durable = _beside(path), not is_temporary(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            fill(file)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
        if durable:
            sync_path(path.parent)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise unwritable(path, error) from error


def write_json(path: Path, value: Any) -> None:
    text = json.dumps(value)
    if (ledger := ledger_of(path)) is None:
        return _write_sealed(path, text.encode())
    content, number = text.encode(), ledger.next()
    sealed = content + seal(path.name, content, number)

    def install() -> None:  # if it is not whole after a power cut, the ledger has the text
        temporary = _beside(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(sealed)
        temporary.replace(path)

    try:
        ledger.put(path, Entry(number, len(sealed), crc32(sealed), text), install)
    except OSError as error:
        raise unwritable(path, error) from error


def write_once(path: Path, content: bytes | memoryview) -> None:
    """A file without a seal, whose name is never used again."""
    ledger = ledger_of(path)
    _write_known(path, bytes(content), 0 if ledger is None else ledger.next())


def remove(*paths: Path, directories: Iterable[Path] = ()) -> None:
    """Files go, and directories that only they name; if there is a ledger, after it has let go of the files."""
    ledger = ledger_of(paths[0])
    if ledger is not None:
        ledger.remove(paths, directories)
        return
    for path in paths:
        path.unlink(missing_ok=True)
    for directory in directories:
        shutil.rmtree(directory, ignore_errors=True)


def flush(path: Path) -> None:
    """What was removed is not there any more: not in this directory, nor in others of the same checkpoint."""
    if (ledger := ledger_of(path / "any")) is not None and ledger.is_open:
        ledger.flush()


def remove_all(path: Path) -> None:
    """A file, or a directory with all that is in it."""
    if (ledger := ledger_of(path)) is not None:
        ledger.remove(ledger.below(path), [path])
    shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)
    forget_in_memory(path)


def read_json(path: Path) -> Any:
    """The value; an error if the file is damaged or missing."""
    try:
        found = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error
    return json.loads(bytes(unsealed(path, memoryview(found))))


def write_table(path: Path, table: pa.Table, metadata: dict[str, Any] | None = None) -> None:
    """A table with something to remember beside it."""
    noted = table.replace_schema_metadata({"datacell": json.dumps(metadata or {})})

    buffer = pa.BufferOutputStream()
    with ipc.new_file(buffer, noted.schema) as writer:
        writer.write_table(noted)
    _write_sealed(path, memoryview(buffer.getvalue()))


def save_json(path: Path, value: Any) -> None:
    """Write what only a restart reads: nobody restarts from a temporary directory."""
    if not is_temporary(path):
        write_json(path, value)


def save_table(path: Path, table: pa.Table) -> None:
    """Write what only a restart reads."""
    if not is_temporary(path):
        write_table(path, table)


def save_at(path: Path, offset: int, content: bytes) -> None:
    """Write what only a restart reads to this place of a file; what stood there and behind it is gone."""
    if is_temporary(path):
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        with path.open("r+b") as file:
            file.seek(offset)
            file.write(content)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
        sync_path(path.parent)
    except OSError as error:
        raise unwritable(path, error) from error


def read_table(path: Path) -> tuple[pa.Table, dict[str, Any]]:
    """A table, and what is noted beside it; an error if the file is damaged or missing."""
    try:
        with pa.memory_map(str(path)) as source:
            found = source.read_buffer()
    except OSError as error:
        if path.is_file() and not path.stat().st_size:  # which cannot be mapped
            raise damaged(path, "it is empty") from error
        raise _unreadable(path, error) from error
    content = unsealed(path, memoryview(found))
    table = ipc.open_file(pa.py_buffer(content)).read_all()
    metadata = json.loads((table.schema.metadata or {}).get(b"datacell", b"{}"))
    return table.replace_schema_metadata(None), metadata


def numbered(directory: Path, suffix: str) -> list[tuple[int, Path]]:
    """The files `0000000042.suffix` of a directory, in order."""
    flush(directory)
    found = directory.glob(f"[0-9]*{suffix}") if directory.is_dir() else ()
    return sorted((int(path.name.split(".")[0]), path) for path in found)


def numbered_name(number: int, suffix: str) -> str:
    return f"{number:010d}{suffix}"


def _write_sealed(path: Path, content: bytes | memoryview) -> None:
    ledger = ledger_of(path)
    number = 0 if ledger is None else ledger.next()
    _write_known(path, b"".join((content, seal(path.name, content, number))), number)


def _write_known(path: Path, content: bytes, number: int) -> None:
    """Durable beside its place first, then known to the ledger, then in its place."""
    ledger, temporary, durable = ledger_of(path), _beside(path), not is_temporary(path)
    is_known = False

    def install() -> None:
        nonlocal is_known
        is_known = True
        temporary.replace(path)

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if ledger is not None:
            ledger.put(path, Entry(number, len(content), crc32(content)), install)
            return
        temporary.replace(path)
        if durable:
            sync_path(path.parent)
    except OSError as error:
        if not is_known:  # else it is put into its place when the checkpoint is opened again
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        raise unwritable(path, error) from error


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def _unreadable(path: Path, error: OSError) -> CheckpointError:
    if isinstance(error, FileNotFoundError):
        return missing(path)
    return CheckpointError(
        f"{path} cannot be read: {error.strerror or error}",
        hint="use another checkpoint directory, or fix the permissions, then run again",
    )
