"""The checkpoint directory: where everything is kept, and whose it is.

::

    cell.json                      the streams and queries it was made with
    streams/NAME/basket/           the live batches of a stream
    streams/NAME/spark/            how far Spark has read its source
    queries/NAME/                  the firings of a query
    emitters/NAME.json             how far an emitter has delivered
    spool/NAME/                    rows that came by socket or push, until they are read
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

from datacell.errors import CheckpointError
from datacell.runtime.storage import files

_VERSION = 2
"""Of the layout of files: a directory of another one is refused."""


class Checkpoint:
    """Without a directory a temporary one is used, and removed at the end."""

    def __init__(self, directory: Path | None) -> None:
        self._stack = ExitStack()
        temporary = files.temporary_directory()
        self.root = self._stack.enter_context(temporary) if directory is None else directory.absolute()
        saved = files.read_json(self.root / "cell.json") or {"version": _VERSION, "made of": {}}
        if saved["version"] != _VERSION:
            raise CheckpointError(
                f"{self.root} was made by another version of this system", hint="use another checkpoint directory"
            )
        self._made_of: dict[str, str] = saved["made of"]
        self._save()

    def stream(self, name: str) -> Path:
        return self.root / "streams" / _safe(name)

    def query(self, name: str) -> Path:
        return self.root / "queries" / _safe(name)

    def emitter(self, name: str) -> Path:
        return self.root / "emitters" / f"{_safe(name)}.json"

    def spool(self, name: str) -> Path:
        return self.root / "spool" / _safe(name)

    def admit(self, kind: str, name: str, definition: str) -> None:
        """A stream or a query may go on here only if it is what it was."""
        key = f"{kind} {name.lower()}"
        before = self._made_of.get(key)
        if before == definition:
            return
        if before is not None:
            raise CheckpointError(
                f"the {kind} {name} has changed since the checkpoint {self.root} was made",
                hint="go on with the old definition, use another name, or start afresh in another directory",
            )
        self._made_of[key] = definition
        self._save()

    def forget(self, kind: str, name: str) -> None:
        """After a DROP: the name is free again."""
        self._made_of.pop(f"{kind} {name.lower()}", None)
        self._save()
        for directory in (self.stream(name), self.spool(name)) if kind == "stream" else (self.query(name),):
            shutil.rmtree(directory, ignore_errors=True)

    def close(self) -> None:
        self._stack.close()

    def _save(self) -> None:
        files.write_json(self.root / "cell.json", {"version": _VERSION, "made of": self._made_of})


def _safe(name: str) -> str:
    """A name as a file name."""
    return quote(name.lower(), safe=" ")
