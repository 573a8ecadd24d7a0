"""Ties for the highest total of a game: which seats have it, and which two have it together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from salad_sim.jit.typing import Flags, Ints


def top_seats(scores: Ints) -> Flags:
    """Return which seats have the highest total of their game.

    Parameters
    ----------
    scores : ndarray of int64, shape [..., n_players]
        By seat.
    """
    found: Flags = scores == scores.max(axis=-1, keepdims=True)
    return found


def tied_pairs(scores: Ints) -> Ints:
    """Return for each two seats whether both have the highest total, 0 or 1.

    Parameters
    ----------
    scores : ndarray of int64, shape [..., n_players]

    Returns
    -------
    ndarray of int64, shape [..., n_players * (n_players - 1) / 2]
        In the order of `seat_pairs`.
    """
    top = top_seats(scores)
    pairs = seat_pairs(scores.shape[-1])
    found: Ints = np.stack([top[..., i] & top[..., j] for i, j in pairs], axis=-1).astype(np.int64)
    return found


def seat_pairs(n_players: int) -> Sequence[tuple[int, int]]:
    """Return each two seats i < j."""
    return list(combinations(range(n_players), 2))
