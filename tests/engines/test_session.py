"""How a session is set up for a master, without starting one."""

from __future__ import annotations

import pytest

from datacell.engines import session

HOST = "spark.driver.host"
PARTITIONS = "spark.sql.shuffle.partitions"


@pytest.fixture(autouse=True)
def _not_submitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)


@pytest.mark.parametrize("master", [None, "local", "local[2]", "local[*]", "local[2,3]"])
def test_a_local_driver_is_found_on_a_machine_without_a_name(master: str | None) -> None:
    settings = session._deployment(master)
    assert settings["spark.master"] == (master or "local[*]")
    assert settings[HOST] == "localhost"
    assert int(settings[PARTITIONS]) >= 1


@pytest.mark.parametrize(
    "master", ["spark://127.0.0.1:7077", "spark://localhost:7077,127.0.0.2:7077", "local-cluster[2,1,1024]"]
)
def test_a_cluster_on_this_machine_is_reached_by_the_loopback(master: str) -> None:
    settings = session._deployment(master)
    assert settings[HOST] == settings["spark.driver.bindAddress"] == "127.0.0.1"
    assert PARTITIONS not in settings


@pytest.mark.parametrize(
    "master", ["spark://a.example:7077", "spark://localhost:7077,b:7077", "yarn", "k8s://https://localhost:6443"]
)
def test_on_any_other_cluster_address_memory_and_partitions_are_sparks_choice(master: str) -> None:
    settings = session._deployment(master)
    assert settings["spark.master"] == master
    chosen = {HOST, "spark.driver.bindAddress", "spark.driver.memory", PARTITIONS}
    assert not chosen & set(settings)


@pytest.mark.parametrize("master", ["spark://a.example:7077", "spark://127.0.0.1:7077", "yarn"])
def test_executors_are_told_of_no_file_of_the_drivers_host(master: str) -> None:
    files = [key for key, value in session._deployment(master).items() if "file:" in value or "/" in value]
    assert set(files) <= {"spark.master", "spark.driver.extraJavaOptions"}


def test_what_spark_submit_was_told_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    assert session._deployment(None) == {}
    assert session._deployment("local[2]")["spark.master"] == "local[2]"
