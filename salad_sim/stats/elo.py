"""The Elo scale: a share of wins as a difference in rating, and back."""

from __future__ import annotations

import math

SCALE = 400.0
"""Elo points that make odds of ten to one."""


def elo_of_share(share: float) -> float:
    """Return the Elo difference at which the stronger side is expected to win ``share``.

    Parameters
    ----------
    share : float
        In [0, 1].

    Returns
    -------
    float
        0 for a share of one half; minus or plus infinity for 0 or 1.

    References
    ----------
    Elo, The Rating of Chessplayers, Past and Present (1978), in its logistic form.
    """
    if share <= 0 or share >= 1:
        return math.inf if share >= 1 else -math.inf
    return SCALE * math.log10(share / (1 - share))


def share_of_elo(elo: float) -> float:
    """Return the share of wins that an Elo difference stands for, in (0, 1); the inverse of `elo_of_share`."""
    return 1 / (1 + 10 ** (-elo / SCALE))
