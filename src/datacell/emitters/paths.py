"""Where an emitter may write: not where another one of the cell does, nor where a stream reads, by whatever name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from datacell.algebra.definitions import EmitterDefinition, StreamDefinition
from datacell.errors import EmitterError

_SCHEME = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]+:")
_PATTERN = re.compile(r"[*?\[]")


def local_directory(definition: EmitterDefinition, form: str) -> Path:
    """The directory that a file emitter writes to."""
    path = option(definition.options, "path")
    if not path:
        raise EmitterError(f"emitter {definition.name} needs a path", hint=f"add path = 'out/{definition.name}'")
    directory = _local(path)
    if directory is None or "\0" in path:
        raise EmitterError(
            f"emitter {definition.name} writes {form} to local directories, not to {path!r}",
            hint="give the path of a directory, such as a mount, or let Spark write a table: format = 'table'",
        )
    if path.startswith("~"):
        hint = f"write the home directory out; or ./{path} if the directory is called so"
        raise EmitterError(f"emitter {definition.name}: {path} would not be in a home directory", hint=hint)
    if directory.exists() and not directory.is_dir():
        raise EmitterError(f"emitter {definition.name}: {directory} is not a directory", hint="give another path")
    return directory


def check_free(
    definition: EmitterDefinition, emitters: Iterable[EmitterDefinition], streams: Iterable[StreamDefinition]
) -> None:
    """Refuse a path that another emitter writes to, or that a stream reads."""
    path = option(definition.options, "path")
    if not path:
        return
    for other in emitters:
        if _is_same(path, option(other.options, "path")):
            raise EmitterError(
                f"emitter {definition.name} cannot write to {path}: emitter {other.name} does",
                hint=f"give another path, or DROP EMITTER {other.name} first",
            )
    for stream in streams:
        if reads(stream, path):
            raise EmitterError(
                f"emitter {definition.name} cannot write to {path}: stream {stream.name} reads what is there",
                hint=f"give another path; INSERT INTO {stream.name} SELECT … puts answers into a stream",
            )


def check_outside(name: str, directory: Path, checkpoint: Path) -> None:
    """What is in a checkpoint is nobody else's."""
    inside = directory.resolve()
    if checkpoint.resolve() in (inside, *inside.parents):
        raise EmitterError(
            f"emitter {name} cannot write to {directory}: it is in the checkpoint", hint="give another path"
        )


def option(options: Iterable[tuple[str, str]], wanted: str) -> str:
    """An option's value, whatever the case of its name; nothing if it is not given."""
    return next((value for name, value in options if name.lower() == wanted), "")


def _local(path: str) -> Path | None:
    """A path of this machine; None for a URI of something else."""
    if _SCHEME.match(path):
        return None
    return Path(re.sub(r"^file:(//)?(?=.)", "", path))


def _is_same(path: str, other: str) -> bool:
    if not path or not other:
        return False
    one, two = _local(path), _local(other)
    if one is None or two is None:
        return one is two and path.rstrip("/") == other.rstrip("/")
    return _is_same_directory(one, two)


def _is_same_directory(one: Path, two: Path) -> bool:
    """By another spelling, by a link, by a mount, or on a disk that does not tell capitals."""
    try:
        return one.resolve() == two.resolve() or one.samefile(two)
    except OSError:
        return False


def reads(stream: StreamDefinition, path: str) -> bool:
    """Does a stream read what is in this directory?"""
    given, target = option(stream.options, "path"), _local(path)
    source = _local(given) if given else None
    if source is None or target is None:
        return _is_same(path, given)
    if _PATTERN.search(given):
        return _fits(target, source) or _fits(target / "part-0", source)
    if option(stream.options, "recursivefilelookup").lower() == "true":
        return any(_is_same_directory(above, source) for above in (target, *target.resolve().parents))
    return _is_same_directory(target, source)


def _fits(path: Path, pattern: Path) -> bool:
    """Does a pattern, part by part, take in a path?"""
    parts, wanted = path.resolve().parts, pattern.resolve().parts
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))
