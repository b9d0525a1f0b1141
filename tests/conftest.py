"""One Spark for the whole run, started by the first test that needs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import datacell
from datacell.cell.cell import Cell
from datacell.engines.session import session
from datacell.engines.spark import SparkEngine
from datacell.runtime.storage.checkpoint import Checkpoint
from datacell.runtime.storage.inspection import inspect
from datacell.runtime.storage.ledger import NAME, Ledger


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="write what the engines answer into the text fixtures")


@pytest.fixture(scope="session")
def regenerate(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--regenerate"))


@pytest.fixture(autouse=True)
def whole_checkpoints(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a run has done, its checkpoint can be opened again; tests that break runs look at that themselves."""
    if request.path.parent.name == "crashes":
        return
    close = Checkpoint.close

    def close_and_look(self: Checkpoint) -> None:
        home, is_whole = self.home, hasattr(self, "id")
        close(self)
        if home is not None and is_whole and (Path(home) / NAME).exists():
            ledger = Ledger(Path(home))
            ledger.open()
            inspect(ledger)
            ledger.close()

    monkeypatch.setattr(Checkpoint, "close", close_and_look)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    started = session()
    yield started
    started.stop()


@pytest.fixture
def cell(spark: SparkSession, tmp_path: Path) -> Iterator[Cell]:
    made = datacell.connect(tmp_path / "state", spark=spark)
    yield made
    made.stop()


@pytest.fixture(scope="session")
def spark_engine(spark: SparkSession) -> SparkEngine:
    return SparkEngine(spark)
