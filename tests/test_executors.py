"""Nothing needs installing on executors: no Python of ours runs there."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "src" / "datacell"
PYTHON_ON_EXECUTORS = re.compile(
    r"\b(udf|udtf|pandas_udf|arrow_udf|mapInPandas|mapInArrow|applyInPandas\w*|applyInArrow|foreachPartition|foreach"
    r"|transformWithState\w*|parallelize|rdd|registerJavaFunction|addPyFile)\b\s*[(.@]|\.rdd\b"
)


def test_no_python_runs_on_executors() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{number}: {line.strip()}"
        for path in sorted(SOURCES.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if PYTHON_ON_EXECUTORS.search(line)
    ]
    assert not found, "\n".join(found)
