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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="write what the engines answer into the text fixtures")


@pytest.fixture(scope="session")
def regenerate(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--regenerate"))


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
