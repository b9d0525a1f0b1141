"""A sample of the spoilt scripts and the odd names; `python -m fuzz.scripts` tries all of them."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.errors import DataCellError
from fuzz.scripts import failures, fixtures, mutated

SAMPLE = 200
ON_SPARK = 12


def test_spoilt_scripts_and_odd_names_end_in_a_message() -> None:
    assert len(fixtures()) > 300
    assert not list(failures(range(SAMPLE), range(SAMPLE // 4)))


def test_a_script_is_known_by_its_number() -> None:
    assert mutated(7) == mutated(7)
    assert len({mutated(number) for number in range(50)}) > 45


def test_some_are_carried_out(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Statement by statement, as far as each goes, as if they came from a stranger."""
    monkeypatch.chdir(tmp_path)
    done, told = 0, list[str]()
    for number in random.Random(17).sample(range(10_000), ON_SPARK):
        cell = datacell.connect(spark=spark, safe=True, roots=[tmp_path])
        try:
            for statement in re.split(r";\s*\n", mutated(number)):
                try:
                    cell.sql(statement)
                    done += 1
                except DataCellError as error:
                    told.append(str(error))
        finally:
            cell.stop()
    assert done > ON_SPARK
    assert told
    assert not [text for text in told if not text.strip() or "calling o" in text]
