"""A source that fails is tried again, ever more slowly, and says why meanwhile."""

from __future__ import annotations

import logging
from time import monotonic

from datacell.errors import DataCellError

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before the next try."""

_LOG = logging.getLogger("datacell")


class Retrying:
    """Of one receptor: why its source fails, if it does, and when it is tried again."""

    def __init__(self) -> None:
        self.failure: str | None = None
        self._pause, self._next = FIRST_PAUSE, 0.0

    def failed(self, error: DataCellError) -> None:
        """Wait before the next try, twice as long as before the last one."""
        self.failure, self._next = error.message, monotonic() + self._pause
        _LOG.error("%s; it is tried again in %.0f s", error.message, self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def worked(self) -> None:
        """The source can be read again."""
        self.failure, self._pause = None, FIRST_PAUSE

    @property
    def is_due(self) -> bool:
        return monotonic() >= self._next
