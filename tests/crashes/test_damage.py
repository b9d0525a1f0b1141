"""A checkpoint that is damaged goes on as if it were not, or says what is wrong; all damages: `make nightly`."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from crashes.damaging import SCENARIOS, Damage, Damages, documented

pytestmark = pytest.mark.spark

SAMPLE = (
    ("ledger", Damage.CUT),
    ("ledger", Damage.DELETED),
    ("cell.json", Damage.FLIPPED),
    ("streams/NAME/basket/progress.json", Damage.OLDER),
    ("streams/NAME/basket/N.arrow", Damage.DELETED),
    ("streams/NAME/spark/offsets/", Damage.DELETED),
    ("streams/NAME/spark/offsets/N", Damage.OLDER),
    ("streams/NAME/spark/sources/N/N", Damage.FLIPPED),
    ("tables/NAME/N.arrow", Damage.ENDS),
    ("tables/NAME/pins.json", Damage.LONGER),
    ("streams/SPOOLED/spark/", Damage.DELETED),
    ("streams/NAME/rejected.arrow", Damage.EMPTY),
    ("queries/NAME/slices/N/N.arrow", Damage.OLDER),
    ("queries/NAME/N.arrow", Damage.CUT),
    ("spool/NAME/GROUP.parquet", Damage.DELETED),
)


@pytest.fixture(scope="module")
def damages(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Damages:
    return Damages(spark, SCENARIOS["in the driver"], tmp_path_factory.mktemp("damages"))


@pytest.mark.parametrize(("kind", "damage"), SAMPLE, ids=[f"{kind} {damage.value}" for kind, damage in SAMPLE])
def test_a_damage_gives_what_the_document_says(damages: Damages, kind: str, damage: Damage) -> None:
    found = damages.tried(damages.kinds()[kind], damage)
    assert not found.wrong, found.told
    assert found.outcome is documented()[kind, damage], found.told


def test_the_document_has_no_other_outcomes_than_these(damages: Damages) -> None:
    """Every kind of file that is there has its line."""
    assert all(damages.expected.values())
    assert {kind for kind, _ in documented()} >= set(damages.kinds())
