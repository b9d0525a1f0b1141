"""What streams, queries and emitters are made of, as a checkpoint remembers it: going on with another is no going on.

Each part has a name that a message can say. Values of options are kept as digests: some are secrets. Left out is what
may change between two runs without changing an answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from datacell.algebra.definitions import EmitterDefinition, StreamDefinition
from datacell.receptors.sources import FILE_FORMATS

MadeOf = dict[str, str]

_PACE = frozenset({"maxfilespertrigger", "maxbytespertrigger", "maxoffsetspertrigger", "minoffsetspertrigger"})
"""How much of a source is read at once."""

_FOR_NOW = frozenset({"overwrite", "append", "host", "port"})
"""What an emitter does with what it finds when it starts, and where its clients reach it today."""

_DIGITS = 16


def of_stream(stream: StreamDefinition) -> MadeOf:
    """What decides which rows are in it, and when."""
    checks = "; ".join(f"{c.name} {c.nullable} {c.check and c.check.sql('spark')}" for c in stream.columns)
    parts = {
        "columns": repr(stream.fields),
        "event time": repr(stream.event_time),
        "lateness": repr(stream.lateness),
        "bound of how far a row may be ahead": repr(stream.ahead),
        "constraints": checks,
    }
    if stream.key:
        parts["key"] = repr(stream.key)
    if stream.is_enveloped:
        parts["envelope"] = "debezium"
    form = next((value.lower() for name, value in stream.options if name.lower() == "format"), "")
    options = [(name, _whole(value) if _is_path(name, form) else value) for name, value in stream.options]
    return {**parts, **_digests(options, _PACE if form != "tcp" else _FOR_NOW)}


def of_emitter(emitter: EmitterDefinition, source: str) -> MadeOf:
    """What decides what its clients get, and where."""
    return {"source": source.lower(), **_digests(emitter.options, _FOR_NOW)}


def _digests(options: Iterable[tuple[str, str]], free: frozenset[str]) -> MadeOf:
    named = ((name.lower(), value) for name, value in options)
    return {f"option {n}": sha256(v.encode()).hexdigest()[:_DIGITS] for n, v in named if n not in free}


def _is_path(name: str, form: str) -> bool:
    return name.lower() == "path" and form in FILE_FORMATS


def _whole(path: str) -> str:
    """Wherever the process is: what was read is known by whole paths."""
    return path if "://" in path else str(Path(path.removeprefix("file:")).absolute())
