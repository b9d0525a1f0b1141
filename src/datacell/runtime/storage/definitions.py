"""What streams, queries and emitters were made of, each in a file of its own, with the id of its life.

::

    definitions/KIND NAME.json

A thing that is made, or dropped, is noted as half there until that is done: what is half there after a crash goes.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias

from datacell.runtime.storage import files
from datacell.runtime.storage.names import file_name

MadeOf: TypeAlias = Mapping[str, str]
"""What something is made of, part by part."""


@dataclass(frozen=True)
class Definition:
    """Of a stream, a query or an emitter, by its name in small letters."""

    kind: str
    name: str
    made_of: MadeOf
    life: str
    is_half: bool = False


class Definitions:
    """All that there are, half and whole ones."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        found = [Definition(**files.read_json(path)) for path in sorted(directory.glob("*.json"))]
        self._known = {(one.kind, one.name): one for one in found}
        self._emitters: dict[str, dict[str, None]] = {}
        for one in found:
            self._note(one)

    def of(self, kind: str, name: str) -> Definition | None:
        """Of a thing that is there, whole."""
        found = self._known.get((kind, name.lower()))
        return None if found is None or found.is_half else found

    def half(self) -> list[Definition]:
        return [one for one in self._known.values() if one.is_half]

    def lives(self) -> set[str]:
        return {one.life for one in self._known.values()}

    def emitters_of(self, query: str) -> list[str]:
        found = (self.of("emitter", name) for name in self._emitters.get(query.lower(), ()))
        return [one.name for one in found if one is not None]

    def begin(self, kind: str, name: str, made_of: MadeOf) -> Definition:
        """Something is about to be made."""
        return self._put(Definition(kind, name.lower(), dict(made_of), secrets.token_hex(8), is_half=True))

    def finish(self, one: Definition) -> None:
        """It is there."""
        self._put(replace(one, is_half=False))

    def end(self, kind: str, name: str) -> None:
        """Something is about to go."""
        there = self._known.get((kind, name.lower()))
        self._put(replace(there or Definition(kind, name.lower(), {}, ""), is_half=True))

    def forget(self, kind: str, name: str) -> None:
        """It is gone."""
        one = self._known.pop((kind, name.lower()))
        if one.kind == "emitter":
            self._emitters.get(one.made_of.get("source", ""), {}).pop(one.name, None)
        files.remove_all(self._path(one))

    def _put(self, one: Definition) -> Definition:
        files.save_json(self._path(one), asdict(one))
        self._known[one.kind, one.name] = one
        self._note(one)
        return one

    def _note(self, one: Definition) -> None:
        if one.kind == "emitter":
            self._emitters.setdefault(one.made_of.get("source", ""), {})[one.name] = None

    def _path(self, one: Definition) -> Path:
        return self._directory / f"{file_name(f'{one.kind} {one.name}')}.json"
