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


def normalised_elo(share: float, deviation: float) -> float:
    """Return a difference in strength on a scale that games needed to see it depend on, whatever the share of ties.

    Parameters
    ----------
    share : float
        In [0, 1].
    deviation : float
        Standard deviation of the share that one game wins; for pairs of games that of a pair's mean times sqrt(2).

    Returns
    -------
    float
        (share - 1/2) / deviation in units in which it is about Elo for equal sides whose games never tie: 800 / ln 10
        for one. Not finite if the deviation is 0.

    References
    ----------
    Van den Bergh, Normalized Elo (2021), as the test framework Fishtest shows it.
    """
    above = share - 0.5
    if deviation == 0:
        return math.copysign(math.inf, above) if above else math.nan
    return 2 * SCALE / math.log(10) * above / deviation
