"""Means over several line-ups that count alike: each is a stratum with deals of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence

from salad_sim.jit.typing import Ints
from salad_sim.stats.intervals import Estimate, student


def mean_of_means(strata: Sequence[Ints], units: Sequence[int]) -> Estimate:
    """Estimate the plain average of the means of some strata, with a t interval.

    Parameters
    ----------
    strata : sequence of ndarray of int64, shape [n_deals]
        The deals of each stratum, at least one; sums of their squares must fit into 64 bits.
    units : sequence of int
        What the integers of each stratum are divided by.

    Returns
    -------
    Estimate
        95 %; the bounds are NaN where a stratum has a single deal. The degrees of freedom are Satterthwaite's,
        rounded down.

    References
    ----------
    Satterthwaite, An approximate distribution of estimates of variance components, Biometrics Bulletin 2 (1946)
    110-114; Cochran, Sampling Techniques (1977), section 5.4.
    """
    value = math.fsum(int(each.sum()) / (len(each) * unit) for each, unit in zip(strata, units, strict=True))
    value /= len(strata)
    if min(map(len, strata)) < 2:
        return Estimate(value, math.nan, math.nan)
    parts = [_error_squared(each) / (unit * len(strata)) ** 2 for each, unit in zip(strata, units, strict=True)]
    total = math.fsum(parts)
    if total == 0:
        return Estimate(value, value, value)
    within = math.fsum(part * part / (len(each) - 1) for part, each in zip(parts, strata, strict=True))
    # rounding must not take a whole degree from a single stratum
    freedom = max(1, math.floor(total * total / within * (1 + 1e-12)))
    half = student(freedom) * math.sqrt(total)
    return Estimate(value, value - half, value + half)


def _error_squared(deals: Ints) -> float:
    """Return the square of the standard error of the mean of some integers."""
    n = len(deals)
    squares = n * int((deals * deals).sum()) - int(deals.sum()) ** 2  # exactly n times the sum about the mean
    return squares / (n * n * (n - 1))
