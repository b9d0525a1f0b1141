"""Durable files: written whole under a temporary name, synced, then renamed. A reader never sees half a file.

What is only ours has a seal (`seal`), which is looked at whenever it is read.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import pyarrow as pa
from pyarrow import ipc

from datacell.errors import CheckpointError
from datacell.runtime.storage.seal import damaged, missing, seal, unsealed

_TEMPORARY: set[str] = set()

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


def write(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    """Write a file so that it is there whole or not at all, also after a power cut."""
    temporary, durable = path.with_name(f".{path.name}.{os.getpid()}.tmp"), not is_temporary(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            fill(file)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
        if durable:
            sync_directory(path.parent)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise _unwritable(path, error) from error


def write_json(path: Path, value: Any) -> None:
    _write_sealed(path, json.dumps(value).encode())


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
        sync_directory(path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error


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
    found = directory.glob(f"[0-9]*{suffix}") if directory.is_dir() else ()
    return sorted((int(path.name.split(".")[0]), path) for path in found)


def numbered_name(number: int, suffix: str) -> str:
    return f"{number:010d}{suffix}"


def _write_sealed(path: Path, content: bytes | memoryview) -> None:
    def fill(file: BinaryIO) -> None:
        file.write(content)
        file.write(seal(path.name, content))

    write(path, fill)


def _unreadable(path: Path, error: OSError) -> CheckpointError:
    if isinstance(error, FileNotFoundError):
        return missing(path)
    return CheckpointError(
        f"{path} cannot be read: {error.strerror or error}",
        hint="use another checkpoint directory, or fix the permissions, then run again",
    )


def _unwritable(path: Path, error: OSError) -> CheckpointError:
    hint = "free some space or fix the permissions, then run again"
    return CheckpointError(f"{path} cannot be written: {error.strerror}", hint=hint)


def sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
