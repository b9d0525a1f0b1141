"""The paper's example of an answer at every instant, to the digit."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from math import floor
from pathlib import Path

from datacell.sql import script
from reference import Reference
from runtime.netrun import NetRun, Validity
from sample import defined, engine
from window_laws import Feed, Row

HIGHWAY = (
    "CREATE STREAM highway (lane SMALLINT, speed FLOAT, length FLOAT, `timestamp` TIMESTAMP, "
    "WATERMARK FOR `timestamp` AS `timestamp`)"
)
MEASURED = [(5, 18.28, 5.27, "05:00:08"), (2, 21.33, 4.62, "05:01:32"), (4, 19.69, 9.97, "05:02:16")]
LISTING = """
((18.280), [03/11/1993 05:00:08, 03/11/1993 05:01:32))
((19.805), [03/11/1993 05:01:32, 03/11/1993 05:02:16))
((19.766), [03/11/1993 05:02:16, 03/11/1993 05:15:08))
((20.510), [03/11/1993 05:15:08, 03/11/1993 05:16:32))
((19.690), [03/11/1993 05:16:32, 03/11/1993 05:17:16))
""".strip().splitlines()
"""Section 4.2.4 of the paper, which cuts numbers off behind the third digit."""


def highway(directory: Path, query: str) -> tuple[NetRun, list[Row]]:
    known = defined(HIGHWAY)
    fields = known.streams["highway"].fields
    rows = [dict(zip([f.name for f in fields], (*m[:3], _clock(m[3])), strict=True)) for m in MEASURED]
    judge = Reference({"highway": Feed(fields, rows, "timestamp")}, {}, engine())
    return NetRun(directory, known, judge, engine(), script.query(query, known)), rows


def _clock(text: str) -> datetime:
    return datetime.strptime(f"1993-03-11 {text}", "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)


def listed(rows: Sequence[Validity]) -> list[str]:
    """The rows as the paper lists them."""
    shown = []
    for begins, ends, (value,) in rows:
        first, last = (datetime.fromtimestamp(t / 1_000_000, UTC).strftime("%m/%d/%Y %H:%M:%S") for t in (begins, ends))
        shown.append(f"(({floor(value * 1000) / 1000:.3f}), [{first}, {last}))")
    return shown


def test_the_highway_of_the_paper_to_the_digit(tmp_path: Path) -> None:
    net, rows = highway(tmp_path, "SELECT avg(speed) AS mean FROM highway [RANGE 15 MINUTES]")
    left = []
    for number, row in enumerate(rows):
        net.deposit("highway", number, [row])
        left.append(listed(net.validities()))
    assert left == [[], [], LISTING[:1]], "the third row makes the first element leave"
    net.scheduler.drain()
    assert listed(net.validities()) == LISTING
