"""The documents name files, headings and functions that exist.

A code span that looks like a file or a directory is a path, from the root or from `src/datacell`. ``file.py::name`` is
something that the module defines, ``file.py::Class.method`` a method. A file called in capitals stands for any file of
its directory; a file that a reader is told to save exists.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from documents.markdown import Prose, blocks, parse, spans
from documents.running import ROOT

DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
LINKING = [*DOCUMENTS, *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
LONGEST_ARCHITECTURE = 200
_LINK = re.compile(r"\]\(([^)#]*)(?:#([^)]+))?\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_PATH = re.compile(r"((?:[\w.-]+/)+(?:[\w.-]+\.[a-z]+)?|[\w-]+\.(?:py|md|toml))(?:::([\w.]+))?")


@pytest.mark.parametrize("document", LINKING)
def test_links_lead_somewhere(document: str) -> None:
    here = ROOT / document
    links = _LINK.findall(_prose(here))
    missing = [f"{path}#{anchor}" for path, anchor in links if not _leads(here, path, anchor)]
    assert not missing, "\n".join(("there is no", *missing))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_names_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    saved = {block.file for block in blocks(parse(text))}
    paths = [path for path in map(_PATH.fullmatch, spans(text)) if path is not None and path[0] not in saved]
    missing = [path[0] for path in paths if not _exists(path[1], path[2])]
    assert not missing, "\n".join(("there is no", *missing))


def test_architecture_is_read_in_one_sitting() -> None:
    lines = len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST_ARCHITECTURE


def _leads(here: Path, path: str, anchor: str) -> bool:
    target = here.parent / path if path else here
    return target.exists() and (not anchor or anchor in map(_anchor, _HEADING.findall(_prose(target))))


def _anchor(heading: str) -> str:
    """How a heading is linked to."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _prose(path: Path) -> str:
    return "".join(part.text for part in parse(path.read_text(encoding="utf-8")) if isinstance(part, Prose))


def _exists(path: str, name: str | None) -> bool:
    places = [ROOT / path, ROOT / "src" / "datacell" / path]
    if places[0].stem.isupper() and places[0].suffix != ".md":
        return any(place.parent.is_dir() for place in places)
    found = [place for place in places if place.exists()]
    if name is None:
        return bool(found)
    return any(name in _defined(ast.parse(place.read_text(encoding="utf-8"))) for place in found)


def _defined(node: ast.Module | ast.ClassDef, within: str = "") -> Iterator[str]:
    """What a module or a class defines, by the names that its users write."""
    for child in node.body:
        match child:
            case ast.FunctionDef(name=name):
                yield f"{within}{name}"
            case ast.ClassDef(name=name):
                yield f"{within}{name}"
                yield from _defined(child, f"{within}{name}.")
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield f"{within}{name}"
