"""Queries at every instant whose validities may be cut in several ways."""

from __future__ import annotations

JOINED = (
    "SELECT q.k, q.m, b.x FROM (SELECT k, max(n) AS m FROM s [RANGE 9 SECONDS] GROUP BY k) q "
    "JOIN r [RANGE 5 SECONDS] b ON q.k = b.k"
)
AGAIN = "SELECT m, count(*) AS c FROM (SELECT k, max(n) AS m FROM s [RANGE 9 SECONDS] GROUP BY k) q GROUP BY m"
CUT = [
    JOINED,
    AGAIN,
    "SELECT k, count(*) AS c FROM s [UNBOUNDED] GROUP BY k",
    "SELECT k, median(v) AS a FROM s [RANGE 9 SECONDS] GROUP BY k",
    "SELECT count(*) AS c FROM s [RANGE 9 SECONDS] WHERE k = 1",
    "SELECT k, max(n) AS m FROM s [FIXED 7 SECONDS] GROUP BY k EXCEPT ALL SELECT k, x FROM r [RANGE 9 SECONDS]",
    "SELECT q.m, p.a FROM (SELECT k, max(n) AS m FROM s [RANGE 9 SECONDS] GROUP BY k) q "
    "LEFT JOIN (SELECT k, median(x) AS a FROM r [RANGE 9 SECONDS] GROUP BY k) p ON q.k = p.k",
]
