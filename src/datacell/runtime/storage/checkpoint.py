"""The checkpoint directory: where everything is kept, and whose it is.

::

    lock                           whose it is while a run goes on
    ledger                         what each of these files must be
    cell.json                      its id
    definitions/KIND NAME.json     what a stream, query or emitter was made of, and the id of its life
    streams/NAME/basket/           the live batches of a stream
    streams/NAME/spark/            how far Spark has read its source
    asked/NAME.json                which factory answers a query, and since when
    queries/NAME/                  the firings of a factory, which has the name of the first query that it answers
    tables/NAME/                   the versions of a table that queries see
    emitters/NAME.json             how far an emitter has delivered
    spool/NAME/                    rows that came by socket or push, until they are read
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from datacell.errors import CheckpointError
from datacell.runtime.storage import files, lock
from datacell.runtime.storage.answered import AskedQueries
from datacell.runtime.storage.definitions import Definitions, MadeOf
from datacell.runtime.storage.inspection import inspect
from datacell.runtime.storage.ledger import FORMAT, HELD, Ledger, other_format
from datacell.runtime.storage.names import file_name
from datacell.runtime.storage.seal import damaged, missing


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
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        if not files.is_temporary(self.root / "cell.json"):
            self._stack.callback(_inspected(self.root).close)
        self.id: str = self._read()["id"]
        """By which it is known wherever it is moved."""
        self.definitions = Definitions(self.root / "definitions")
        self.asked = AskedQueries(self.root / "asked")
        for one in self.definitions.half():
            self._remove(one.kind, one.name)
            self.definitions.forget(one.kind, one.name)
        files.write_json(self.root / "cell.json", {"version": FORMAT, "id": self.id})

    def _read(self) -> dict[str, Any]:
        path = self.root / "cell.json"
        if path.exists():
            found = files.read_json(path)
            assert isinstance(found, dict)
            return found
        if _is_used(self.root):
            raise missing(path)
        return {"id": secrets.token_hex(8)}

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
    def admitted(self, kind: str, name: str, definition: MadeOf) -> Iterator[str]:
        """Make a stream, query or emitter here, or let it go on: it may only if it is what it was.

        Gives the id of its life, which lasts from when it is first created until it is dropped. What was made half
        before a crash is gone, and made again.
        """
        self.require_same(kind, name, definition)
        if (there := self.definitions.of(kind, name)) is not None:
            yield there.life
            return
        if (left := next((path for path in self._paths(kind, name) if path.exists()), None)) is not None:
            raise damaged(self.root / "cell.json", f"it does not know the {kind} {name}, but {left} is there")
        made = self.definitions.begin(kind, name, definition)
        try:
            yield made.life
        except BaseException:
            self.forget(kind, name)
            raise
        self.definitions.finish(made)

    def forget(self, kind: str, name: str) -> None:
        """After a DROP: the name is free again."""
        self.definitions.end(kind, name)
        self._remove(kind, name)
        self.definitions.forget(kind, name)

    def require_same(self, kind: str, name: str, definition: MadeOf) -> None:
        """An error if it is here already, but is not what it was, or not whole."""
        there = self.definitions.of(kind, name)
        if there is None:
            return
        before = there.made_of
        if before != definition:
            changed = [part for part in {**before, **definition} if before.get(part) != definition.get(part)]
            raise CheckpointError(
                f"the {kind} {name} has changed since the checkpoint {self.root} was made: its {', '.join(changed)}",
                hint="go on with the old definition, use another name, or start afresh in another directory",
            )
        first = {"stream": self.stream(name) / "basket" / "progress.json", "emitter": self.emitter(name)}.get(kind)
        if first is not None and not first.exists() and not files.is_temporary(first):
            raise missing(first)

    def emitters_of(self, query: str) -> list[str]:
        """The emitters of a query that are in here, whole."""
        return [name for name in self.definitions.emitters_of(query) if self.emitter(name).exists()]

    def _paths(self, kind: str, name: str) -> list[Path]:
        """Where a thing is kept."""
        match kind:
            case "stream":
                return [self.stream(name), self.spool(name)]
            case "emitter":
                return [self.emitter(name)]
        record = self.asked.of(name)
        factory = name if record is None else record.factory
        others = [query for query in self.asked.by(factory) if query.lower() != name.lower()]
        return [] if others else [self.query(factory)]

    def _remove(self, kind: str, name: str) -> None:
        for path in self._paths(kind, name):
            files.remove_all(path)
        if kind == "query":
            self.asked.forget(name)

    def close(self) -> None:
        """It is free for another run."""
        self._stack.close()


def _inspected(root: Path) -> Ledger:
    """Nothing is read before every file is known to be what was written."""
    ledger = Ledger(root)
    if not ledger.path.exists():
        if (found := _format(root / "cell.json")) not in (None, FORMAT):
            raise other_format(root, found)
        if _is_used(root):
            raise missing(ledger.path, HELD)
    elif b"\n" not in ledger.path.read_bytes() and not _is_used(root):
        ledger.path.unlink()  # a kill came with its first record, before anything else was there
    ledger.open()
    try:
        inspect(ledger)
    except BaseException:
        ledger.close()
        raise
    files.keep_ledger(ledger)
    return ledger


def _is_used(root: Path) -> bool:
    return any(
        (root / name).exists()
        for name in ("cell.json", "definitions", "asked", "streams", "queries", "emitters", "spool")
    )


def _format(cell: Path) -> int | None:
    """What an older version has written down as the number of its layout."""
    found = re.match(rb'\{"version": (\d+)', cell.read_bytes()) if cell.is_file() else None
    return None if found is None else int(found[1])
