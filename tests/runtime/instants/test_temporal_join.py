"""Rows looked up as they were: what a row meets is the version that was valid at its time, and it is told at once."""

from __future__ import annotations

from typing import Any

import pytest

from datacell.testing import Trial
from sample import at

STREAMS = """
CREATE STREAM orders (id INT, currency STRING, amount DOUBLE, ts TIMESTAMP,
                      WATERMARK FOR ts AS ts - INTERVAL 5 SECONDS);
CREATE STREAM rates (currency STRING, rate DOUBLE, ts TIMESTAMP, PRIMARY KEY (currency) NOT ENFORCED,
                     WATERMARK FOR ts AS ts - INTERVAL 5 SECONDS);
"""
WAYS = [
    "orders AS o {kind} JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r",
    "orders [NOW] o {kind} JOIN rates [LATEST BY currency] r",
]


#  seconds   0        5     10       12    13         the watermark is 15 after the rows at 20
#  rates     $ 0.5          $ 0.6
#  orders             $ 10           $ 10  ? 1        of the last one no rate is known
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["", "LEFT", "SEMI", "ANTI"])
def test_an_order_meets_the_rate_of_its_time(way: str, kind: str) -> None:
    value = "o.amount" if kind in ("SEMI", "ANTI") else "o.amount * r.rate"
    query = f"SELECT o.id, {value} AS value FROM {way.format(kind=kind)} ON r.currency = o.currency"
    with Trial(f"{STREAMS} CREATE CONTINUOUS QUERY q AS {query};") as trial:
        trial.push("orders", [(3, "?", 1.0, at(13)), (1, "$", 10.0, at(5)), (2, "$", 10.0, at(12))])
        trial.push("rates", [("$", 0.6, at(10)), ("$", 0.5, at(0)), ("€", 1.0, at(20))])
        assert all(row["id"] == 1 for row in trial.answers("q")), "before the others one may still come"
        trial.push("orders", [(4, "€", 1.0, at(20))])
        found = [(row["valid_from"], row["id"], row["value"]) for row in trial.answers("q")]
    met: dict[str, list[Any]] = {"SEMI": [(at(5), 1, 10.0), (at(12), 2, 10.0)], "ANTI": []}
    expected = met.get(kind, [(at(5), 1, 5.0), (at(12), 2, 6.0)])
    unknown: dict[str, list[Any]] = {"LEFT": [(at(13), 3, None)], "ANTI": [(at(13), 3, 1.0)]}
    assert found == expected + unknown.get(kind, [])


def test_a_deleted_version_is_met_by_nobody() -> None:
    lookup = "orders o JOIN rates [LATEST BY currency DELETE WHEN (rate < 0)] FOR SYSTEM_TIME AS OF o.ts r"
    query = f"SELECT o.id, r.rate FROM {lookup} ON r.currency = o.currency"
    with Trial(f"{STREAMS} CREATE CONTINUOUS QUERY q AS {query};") as trial:
        trial.push("rates", [("$", 0.5, at(0)), ("$", -1.0, at(10)), ("$", 0.7, at(12))])
        trial.push("orders", [(number, "$", 1.0, at(second)) for number, second in enumerate((9, 10, 11, 12))])
        trial.end()
        assert [(row["id"], row["rate"]) for row in trial.answers("q")] == [(0, 0.5), (3, 0.7)]
