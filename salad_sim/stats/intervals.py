"""The interval routines of the house: one for proportions, one for means. The unit of both is the deal.

Seats of one game share a win, and the rotations of one deal share its luck. Games of one deal are therefore a cluster:
variances are taken between deals, as in cluster-robust standard errors.

Both take sums of integers, so that a result does not depend on the order in which games were added.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

LEVEL = 0.95
"""Coverage of every interval that is not said to have another one."""

Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
EXPANSION_FROM = 30
"""Degrees of freedom from which the expansion of `student` is good to one part in ten million."""


class Estimate(NamedTuple):
    """An estimate and its interval; NaN where the games cannot tell."""

    value: float
    low: float
    high: float


UNKNOWN = Estimate(math.nan, math.nan, math.nan)


def columns(name: str, estimate: Estimate) -> dict[str, float]:
    """Return an estimate as the three columns ``name``, ``name_low`` and ``name_high`` of a table."""
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def proportion(
    total: int, deal_squares: int, n_deals: int, n_games: int, whole: int = 1, quantile: float = Z
) -> Estimate:
    """Estimate a proportion with Wilson's interval for an effective number of games.

    For games that are each won or lost and dealt once this is Wilson's interval exactly. Else the number of games is
    divided by the design effect: the variance between deals over the variance that independent won-or-lost games
    would have. The estimated design effect is mixed with its worst case (all games of a deal are alike), which gets
    the weight of z**2 deals, as Wilson's interval itself adds z**2 games; so a few deals that happen to agree give no
    certainty.

    Parameters
    ----------
    total : int
        Sum of the wins over all games, in units of 1 / ``whole``.
    deal_squares : int
        Sum over deals of the square of the deal's sum of wins.
    n_deals : int
        Deals, at least 1, each with the same number of games.
    n_games : int
        Games (of one seat; where a strategy sits in several seats, each counts).
    whole : int
        What a whole win counts.
    quantile : float
        Half-width in standard errors; by default that of a 95 % interval.

    Returns
    -------
    Estimate
        In [0, 1], 95 % unless another quantile is given.

    References
    ----------
    Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927) 209-212.
    Kish, Survey Sampling (1965), section 8.2 (design effect); Dean and Pagano, Evaluating confidence interval methods
    for binomial proportions in clustered surveys, J. Survey Statistics and Methodology 3 (2015) 484-503 (Wilson with
    the effective sample size).
    """
    share = total / (whole * n_games)
    z = quantile
    size = n_games / _design_effect(total, deal_squares, n_deals, n_games, whole, z)
    centre = (share + z * z / (2 * size)) / (1 + z * z / size)
    half = z / (1 + z * z / size) * math.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    # at 0 and at 1 the bound is exact, whatever rounding says
    low = 0.0 if share == 0 else max(0.0, min(centre - half, share))
    high = 1.0 if share == 1 else min(1.0, max(centre + half, share))
    return Estimate(share, low, high)


def likelihood_above(share: float, total: int, deal_squares: int, n_deals: int, n_games: int, whole: int = 1) -> float:
    """Return how likely a proportion is above ``share``: the normal probability of Wilson's score statistic.

    It is above 97.5 % exactly if the interval of `proportion` lies above ``share``, below 2.5 % exactly if it lies
    below: both use the same effective number of games.

    Parameters
    ----------
    share : float
        In (0, 1).
    total, deal_squares, n_deals, n_games, whole : int
        As for `proportion`.

    Returns
    -------
    float
        In [0, 1]. One minus it is the one-sided p-value of the hypothesis that the proportion is ``share``.
    """
    size = n_games / _design_effect(total, deal_squares, n_deals, n_games, whole, Z)
    return NormalDist().cdf((total / (whole * n_games) - share) / math.sqrt(share * (1 - share) / size))


def _design_effect(total: int, deal_squares: int, n_deals: int, n_games: int, whole: int, z: float) -> float:
    """Return the variance between deals over that of independent games, mixed with z**2 deals of the worst case."""
    worst = n_games / n_deals
    as_independent = n_deals * total * (whole * n_games - total)
    if as_independent == 0 or n_deals == 1:
        return worst
    between_deals = (n_deals * deal_squares - total * total) * n_games
    return (n_deals * (between_deals / as_independent) + z * z * worst) / (n_deals + z * z)


def mean(total: int, deal_squares: int, n_deals: int, n_games: int, quantile: float = Z) -> Estimate:
    """Estimate a mean with a cluster-robust t interval, deals being the clusters.

    Parameters
    ----------
    total : int
        Sum over all games.
    deal_squares : int
        Sum over deals of the square of the deal's sum.
    n_deals : int
        Deals, at least 1, each with the same number of games.
    n_games : int
        Games.
    quantile : float
        Half-width in standard errors for very many deals; by default that of a 95 % interval.

    Returns
    -------
    Estimate
        95 % unless another quantile is given; the bounds are NaN for a single deal, from which no spread can be told.

    References
    ----------
    Cameron and Miller, A practitioner's guide to cluster-robust inference, J. Human Resources 50 (2015) 317-372; with
    clusters of equal size it is Student's interval for the mean of the deals' means.
    """
    value = total / n_games
    if n_deals == 1:
        return Estimate(value, math.nan, math.nan)
    squares = n_deals * deal_squares - total * total  # n_deals times the sum of squares about the mean, exactly
    error = math.sqrt(squares / (n_deals - 1)) / n_games
    half = student(n_deals - 1) * (quantile / Z) * error
    return Estimate(value, value - half, value + half)


def student(freedom: int) -> float:
    """Return the two-sided 95 % quantile of Student's t with ``freedom`` degrees of freedom, at least 1.

    scipy knows it; where an expansion about the normal quantile is as good it is used instead, because scipy.special
    takes a tenth of a second to import.

    References
    ----------
    Abramowitz and Stegun, Handbook of Mathematical Functions (1964), formula 26.7.5.
    """
    if freedom < EXPANSION_FROM:
        from scipy.special import stdtrit

        return float(stdtrit(freedom, (1 + LEVEL) / 2))
    odd_powers = Z, Z**3, Z**5, Z**7, Z**9
    terms = ((1, 1), 4), ((3, 16, 5), 96), ((-15, 17, 19, 3), 384), ((-945, -1920, 1482, 776, 79), 92160)
    quantile = Z
    for order, (factors, divisor) in enumerate(terms, start=1):
        polynomial = math.fsum(factor * power for factor, power in zip(factors, odd_powers, strict=False))
        quantile += polynomial / divisor / freedom**order
    return quantile


def any_time_quantile(n_deals: int, best_at: int) -> float:
    """Return the half-width, in standard errors, of intervals that hold for all numbers of deals at once.

    An interval that is looked at after every deal, or at a moment that the results chose, needs this instead of the
    normal quantile: all intervals of the sequence cover together with 95 %, for large numbers of deals.

    Parameters
    ----------
    n_deals : int
        Deals so far, at least 1.
    best_at : int
        Number of deals, fixed beforehand, for which the sequence is about as narrow as it can be.

    References
    ----------
    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and asymptotic confidence
    sequences, Annals of Statistics 52 (2024) 2613-2640 (theorem 2.2, and the choice of rho); the boundary is Robbins's
    normal mixture: Robbins, Statistical methods related to the law of the iterated logarithm, Annals of
    Mathematical Statistics 41 (1970) 1397-1409.
    """
    double = -2 * math.log(1 - LEVEL)
    spread = (double + math.log(double + 1)) * n_deals / best_at  # rho squared times the number of deals
    return math.sqrt(2 * (spread + 1) / spread * math.log(math.sqrt(spread + 1) / (1 - LEVEL)))


def deviation(total: int, squares: int, n_games: int) -> float:
    """Return the standard deviation between single games (denominator n - 1), NaN for one game."""
    if n_games == 1:
        return math.nan
    return math.sqrt((n_games * squares - total * total) / (n_games * (n_games - 1)))
