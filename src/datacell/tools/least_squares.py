"""Costs that explain times: what a run takes is linear in the unit costs, so a run is one equation."""

from __future__ import annotations

import numpy as np

ROUNDS, SWEEPS = 8, 1000


def fitted(amounts: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """The costs, none negative, that make the relative errors least.

    Too much and too little by the same factor are to be equally bad: so errors are taken relative to what is between
    the time and its estimate, which the next round knows better.
    """
    costs = _least_squares(amounts, seconds, seconds)
    for _ in range(ROUNDS):
        costs = _least_squares(amounts, seconds, np.sqrt(seconds * np.maximum(amounts @ costs, seconds / 10)))
    return costs


def _least_squares(amounts: np.ndarray, seconds: np.ndarray, relative_to: np.ndarray) -> np.ndarray:
    """Coordinate by coordinate, until nothing moves."""
    columns, rest = amounts / relative_to[:, None], seconds / relative_to
    scale = columns.max(axis=0)
    costs = np.zeros(columns.shape[1])
    for _ in range(SWEEPS):
        for j in np.flatnonzero(scale):
            column = columns[:, j]
            new = max(0.0, costs[j] + column @ rest / (column @ column))
            rest = rest - (new - costs[j]) * column
            costs[j] = new
    return costs
