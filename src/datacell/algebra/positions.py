"""Positions of rows: instants, in microseconds since the epoch, or arrival numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]

FOREVER = 1 << 62
"""After all positions there are."""
