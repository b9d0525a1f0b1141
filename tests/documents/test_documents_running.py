"""README.md and the pages of docs/ are run: what they show is what happens."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

import pytest

from documents.markdown import blocks, parse
from documents.running import NOT_RUN, ROOT, renewed

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.spark
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_a_document_shows_what_happens(path: Path, tmp_path: Path, regenerate: bool) -> None:
    before = path.read_text(encoding="utf-8")
    now = renewed(before, tmp_path)
    if regenerate:
        path.write_text(now, encoding="utf-8")
    else:
        assert now == before, "\n".join(unified_diff(before.splitlines(), now.splitlines(), path.name, "as run"))


def test_what_is_not_run_is_still_shown() -> None:
    shown = {block.text for path in DOCUMENTS for block in blocks(parse(path.read_text(encoding="utf-8")))}
    assert {line for line in NOT_RUN if any(line in block for block in shown)} == set(NOT_RUN)
