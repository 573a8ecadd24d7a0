"""How wide several intervals must be to hold all at once: by Bonferroni's inequality, or from their correlation."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from salad_sim.jit.typing import Floats
from salad_sim.stats.intervals import LEVEL, student

SMALLEST = 1e-9
"""Directions whose variance is below this part of the largest do not vary: the design fixes them."""

DIRECTIONS = 11
"""Binary logarithm of the directions over which is averaged; quantiles are then good to one part in 500."""

MANY = 10_000
"""Degrees of freedom from which a t statistic is as good as normal here."""


def bonferroni_quantile(n_intervals: int, level: float = LEVEL) -> float:
    """Return the half-width, in standard errors, of intervals that hold all at once, whatever their correlation.

    Parameters
    ----------
    n_intervals : int
        At least 1.
    level : float
        Joint coverage, at least.
    """
    return NormalDist().inv_cdf(1 - (1 - level) / (2 * n_intervals))


def share_intervals(n_seats: int) -> int:
    """Return how many unknown shares there are: two seats have one, as their shares sum to 1, k > 2 seats have k.

    With two seats one interval fails exactly if the other does, and a correction for two would promise too little.
    """
    return 1 if n_seats == 2 else n_seats


def n_joint(n_players: int) -> int:
    """Return how many intervals of win shares hold at once: seats and pairs of seats; at two players all are one."""
    return 1 if n_players == 2 else n_players + n_players * (n_players - 1) // 2


def joint_quantile(covariance: Floats, freedom: int) -> float:
    """Return the quantile of the largest of some correlated t statistics, in absolute value.

    Intervals this many standard errors to each side hold all at once with 95 %: the single-step method of multiple
    comparisons. A multivariate t vector has a direction and a length that are independent; for each direction the
    probability that the length keeps all statistics below a bound is an F distribution function, and the mean over
    directions (those of a Sobol sequence, always the same) is the probability wanted.

    Parameters
    ----------
    covariance : ndarray of float64, shape [k, k]
        Of the estimates, up to a factor; it may be singular. Estimates that do not vary do not count.
    freedom : int
        Degrees of freedom of the covariance, at least 1.

    Returns
    -------
    float
        Between the quantile of a single t statistic and that of Bonferroni's inequality.

    References
    ----------
    Hothorn, Bretz and Westfall, Simultaneous inference in general parametric models, Biometrical J. 50 (2008) 346-363;
    Deak, Three digit accurate multiple normal probabilities, Numerische Mathematik 35 (1980) 369-380 (directions).
    """
    deviations = np.sqrt(np.diag(covariance))
    varies = deviations > math.sqrt(SMALLEST) * deviations.max(initial=0)
    one = student(freedom)
    if varies.sum() < 2:
        return one
    correlation = covariance[np.ix_(varies, varies)] / np.outer(deviations[varies], deviations[varies])
    values, vectors = np.linalg.eigh(correlation)
    told = values > SMALLEST * values[-1]
    rank = int(told.sum())
    if rank == 1:
        return one
    factor = vectors[:, told] * np.sqrt(values[told])
    largest = np.abs(_directions(rank) @ factor.T).max(axis=1)
    return _solve(largest, rank, freedom, one)


def _solve(largest: Floats, rank: int, freedom: int, low: float) -> float:
    """Return the bound that vectors of random length in these directions keep with 95 %."""
    from scipy.optimize import brentq
    from scipy.special import chdtr, fdtr

    squares = largest**2

    def excess(bound: float) -> float:
        # the squared length of the vector has a chi-square distribution, or over its rank an F distribution
        lengths = bound * bound / squares
        below = chdtr(rank, lengths) if freedom > MANY else fdtr(rank, float(freedom), lengths / rank)
        return float(below.mean()) - LEVEL

    high = low + 0.5
    while excess(high) < 0:
        high *= 1.5
    return float(brentq(excess, low, high, xtol=1e-6)) if excess(low) < 0 else low


@lru_cache(maxsize=8)
def _directions(rank: int) -> Floats:
    """Return directions spread evenly over the sphere, shape [2048, rank]."""
    from scipy.special import ndtri
    from scipy.stats.qmc import Sobol

    points = Sobol(rank, scramble=False).random_base2(DIRECTIONS)
    normal = ndtri(points + 0.5 / 2**DIRECTIONS)  # the sequence begins at 0, where the normal quantile has no value
    lengths = np.sqrt((normal * normal).sum(axis=1, keepdims=True))
    found: Floats = normal / np.maximum(lengths, 1e-12)
    return found
