"""docs/engines.md says what the tables say."""

from __future__ import annotations

from pathlib import Path

from datacell.engines.agreed import analytic, document, spelling
from datacell.engines.agreed.refused import REFUSED
from datacell.engines.agreed.special import SPECIAL
from datacell.sql import functions

_PAGE = Path(__file__).parents[2] / "docs" / "engines.md"


def test_page_is_up_to_date(regenerate: bool) -> None:
    if regenerate:
        _PAGE.parent.mkdir(exist_ok=True)
        _PAGE.write_text(document.text(), encoding="utf-8")
    assert _PAGE.read_text(encoding="utf-8") == document.text()


def test_tables_name_functions_that_spark_has() -> None:
    names = {*spelling.scalars(), *analytic.aggregate_functions(), *analytic.ranking_functions(), *SPECIAL, *REFUSED}
    assert {name for name in names if functions.lookup(name) is None} == set()


def test_nothing_is_both_agreed_and_refused() -> None:
    agreed = {*spelling.scalars(), *analytic.aggregate_functions(), *SPECIAL}
    assert agreed & set(REFUSED) == set()
