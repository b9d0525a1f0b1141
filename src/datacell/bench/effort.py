"""How much a bench does: in full, or in a form for every day that shows whether something is quite different."""

from __future__ import annotations

from enum import Enum


class Effort(Enum):
    FULL = "full"
    QUICK = "quick"


SECONDS = {Effort.FULL: 440.0, Effort.QUICK: 95.0}
"""When the time of a bench is over, Spark's start included. What has begun by then is finished: eight minutes in all,
and two."""
