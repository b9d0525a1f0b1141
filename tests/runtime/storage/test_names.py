"""Names never become paths: any text is a name, and a name is one file name, whatever is in it."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import datacell
from datacell.algebra.definitions import reserved
from datacell.runtime.storage.checkpoint import Checkpoint
from datacell.runtime.storage.names import LONGEST, file_name, name_of

ODD = [
    "",
    ".",
    "..",
    "../..",
    "/",
    "a/b",
    "~",
    "~2e",
    "~-",
    "CON",
    "a\0b",
    "\ud800",
    "_x",
    ".x",
    " ",
    "x ",
    "%2e",
    "é" * 300,
]
SOURCES = sorted(Path(datacell.__file__).parent.rglob("*.py"))
_IN_LINES = {"__firing", "__end", "__error"}
NAMES = st.text() | st.text(alphabet="./~_- %aA\\\0", max_size=300) | st.sampled_from(ODD)


@settings(max_examples=1000, deadline=None)
@given(NAMES)
@example("é" * 300)
def test_every_name_is_a_file_name_that_can_be_read_back(name: str) -> None:
    found = file_name(name)
    assert re.fullmatch(r"[a-z0-9~-]|[a-z0-9~-][a-z0-9_. ~-]*[a-z0-9~-]", found)
    assert 0 < len(found) <= LONGEST
    assert name_of(found) in (name.lower(), None)
    assert name_of(found) is not None or len(name.encode("utf-8", "surrogatepass")) * 3 > LONGEST


@settings(max_examples=1000, deadline=None)
@given(NAMES, NAMES)
@example("x" * 500, "x" * 501)
@example("a.", "a~2e")
def test_two_names_have_two_file_names(one: str, other: str) -> None:
    assert (file_name(one) == file_name(other)) == (one.lower() == other.lower())


@pytest.mark.parametrize("name", ODD)
def test_what_is_dropped_is_only_what_has_the_name(tmp_path: Path, name: str) -> None:
    with closing(Checkpoint(tmp_path / "state")) as checkpoint:
        paths = [checkpoint.stream(name), checkpoint.spool(name), checkpoint.query(name)]
        for path in [*paths, checkpoint.stream("other"), tmp_path / "beside"]:
            path.mkdir(parents=True)
        assert len({path.parent for path in paths}) == 3
        checkpoint.forget("stream", name)
        checkpoint.forget("query", name)
        assert not any(path.exists() for path in paths)
        assert (tmp_path / "state" / "cell.json").exists()
        assert checkpoint.stream("other").exists()
        assert (tmp_path / "beside").exists()


def test_every_column_of_the_system_is_reserved() -> None:
    """Those of lines that are sent are beside the columns of an answer, or of lines without such columns."""
    texts = [path.read_text(encoding="utf-8") for path in SOURCES]
    found = {name for text in texts for name in re.findall(r'"(__[a-z_]+)["{]', text)} - {"__main__", *_IN_LINES}
    assert {"__reason", "__row", "__batch", "__boundary", "__field_"} <= found
    assert all(reserved(name if name != "__field_" else "__field_7") for name in found)
