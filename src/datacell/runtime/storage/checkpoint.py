"""The checkpoint directory: where everything is kept, and whose it is.

::

    lock                           whose it is while a run goes on
    cell.json                      its id, the streams, queries and emitters it was made with, and an id for each life
    streams/NAME/basket/           the live batches of a stream
    streams/NAME/spark/            how far Spark has read its source
    queries/NAME/                  the firings of a query
    tables/NAME/                   the versions of a table that queries see
    emitters/NAME.json             how far an emitter has delivered
    spool/NAME/                    rows that came by socket or push, until they are read
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from datacell.errors import CheckpointError
from datacell.runtime.storage import files, lock
from datacell.runtime.storage.names import file_name
from datacell.runtime.storage.seal import damaged, missing

_VERSION = 3
"""Of the layout of files: a directory of another one is refused."""


class Checkpoint:
    """Without a directory a temporary one is used, and removed at the end."""

    def __init__(self, directory: Path | None) -> None:
        self._stack = ExitStack()
        if directory is None:
            self.root = self._stack.enter_context(files.temporary_directory())
        else:
            self.root = directory.absolute()
            if any(character in "*?[]{}\\" for character in str(self.root)):
                raise CheckpointError(
                    f"{self.root} cannot be a checkpoint: in a path Spark takes * ? [ ] {{ }} \\ for a pattern",
                    hint="use a directory without them",
                )
            self._stack.enter_context(lock.held(self.root))
        try:
            self._open()
        except CheckpointError:
            self.close()
            raise

    def _open(self) -> None:
        saved = self._read()
        if saved["version"] != _VERSION:
            raise CheckpointError(
                f"{self.root} was made by another version of this system: its layout is number {saved['version']}, "
                f"and this version knows number {_VERSION}",
                hint="go on with the version that made it, or use another directory, which reads the input again",
            )
        self._made_of: dict[str, str] = saved["made of"]
        self._half: dict[str, str] = saved["half"]
        self.id: str = saved["id"]
        """By which it is known wherever it is moved."""
        self.lives: dict[str, str] = saved["lives"]
        for kind, name in (key.split(" ", 1) for key in list(self._half)):
            self._remove(kind, name)
        self._half.clear()
        self._save()

    def _read(self) -> dict[str, Any]:
        path = self.root / "cell.json"
        if path.exists():
            return _versioned(path)
        if any((self.root / name).exists() for name in ("streams", "queries", "emitters", "spool")):
            raise missing(path)
        return {"version": _VERSION, "id": secrets.token_hex(8), "made of": {}, "lives": {}, "half": {}}

    def stream(self, name: str) -> Path:
        return self.root / "streams" / file_name(name)

    def query(self, name: str) -> Path:
        return self.root / "queries" / file_name(name)

    def emitter(self, name: str) -> Path:
        return self.root / "emitters" / f"{file_name(name)}.json"

    def spool(self, name: str) -> Path:
        return self.root / "spool" / file_name(name)

    @property
    def home(self) -> str | None:
        """Where it is, if it can be resumed."""
        return None if files.is_temporary(self.root / "cell.json") else str(self.root)

    @contextmanager
    def admitted(self, kind: str, name: str, definition: str) -> Iterator[str]:
        """Make a stream, query or emitter here, or let it go on: it may only if it is what it was.

        Gives the id of its life, which lasts from when it is first created until it is dropped. What was made half
        before a crash is gone, and made again.
        """
        key = f"{kind} {name.lower()}"
        self.require_same(kind, name, definition)
        if key in self._made_of:
            yield self.lives[key]
            return
        if (left := next((path for path in self._paths(kind, name) if path.exists()), None)) is not None:
            raise damaged(self.root / "cell.json", f"it does not know the {kind} {name}, but {left} is there")
        self._half[key], self.lives[key] = definition, secrets.token_hex(8)
        self._save()
        try:
            yield self.lives[key]
        except BaseException:
            self.forget(kind, name)
            raise
        self._made_of[key] = self._half.pop(key)
        self._save()

    def forget(self, kind: str, name: str) -> None:
        """After a DROP: the name is free again."""
        key = f"{kind} {name.lower()}"
        self._half[key] = self._made_of.pop(key, "")
        self.lives.pop(key, None)
        self._save()
        self._remove(kind, name)
        del self._half[key]
        self._save()

    def require_same(self, kind: str, name: str, definition: str) -> None:
        """An error if it is here already, but is not what it was, or not whole."""
        before = self._made_of.get(f"{kind} {name.lower()}")
        if before is None:
            return
        if before != definition:
            raise CheckpointError(
                f"the {kind} {name} has changed since the checkpoint {self.root} was made",
                hint="go on with the old definition, use another name, or start afresh in another directory",
            )
        first = {"stream": self.stream(name) / "basket" / "progress.json", "emitter": self.emitter(name)}.get(kind)
        if first is not None and not first.exists() and not files.is_temporary(first):
            raise missing(first)

    def emitters_of(self, query: str) -> list[str]:
        """The emitters of a query that are in here, whole."""
        found = [key for key, of in self._made_of.items() if key.startswith("emitter ") and of == query.lower()]
        names = [key.removeprefix("emitter ") for key in found]
        return [name for name in names if self.emitter(name).exists()]

    def _paths(self, kind: str, name: str) -> list[Path]:
        """Where a thing is kept."""
        match kind:
            case "stream":
                return [self.stream(name), self.spool(name)]
            case "emitter":
                return [self.emitter(name)]
        return [self.query(name)]

    def _remove(self, kind: str, name: str) -> None:
        for path in self._paths(kind, name):
            shutil.rmtree(path, ignore_errors=True)
            path.unlink(missing_ok=True)
            files.forget_in_memory(path)

    def close(self) -> None:
        """It is free for another run."""
        self._stack.close()

    def _save(self) -> None:
        saved = {"version": _VERSION, "id": self.id, "made of": self._made_of, "lives": self.lives, "half": self._half}
        files.write_json(self.root / "cell.json", saved)


def _versioned(path: Path) -> dict[str, Any]:
    """What stands in the file; of one that an older version wrote at least which."""
    try:
        found = json.loads(path.read_bytes())
        return {"version": found["version"]}
    except (ValueError, KeyError, TypeError, OSError):
        found = files.read_json(path)
        assert isinstance(found, dict)
        return found
