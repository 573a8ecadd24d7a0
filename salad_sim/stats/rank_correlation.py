"""How alike two rankings are, from estimates with noise: Spearman's rank correlation of the true values."""

from __future__ import annotations

import math

import numpy as np

from salad_sim.jit.typing import Floats
from salad_sim.stats.intervals import LEVEL, UNKNOWN, Estimate
from salad_sim.stats.normal_noise import known_estimates, noise_root, normal_draws

N_RESAMPLES = 100
"""How often the spread of the true values is estimated anew."""

DRAWS_OF_EACH = 20
"""Draws of the true values with each of these spreads."""

FEWEST = 4
"""Cards of which both values are known, at least."""

LEAST_PART = 1e-3
"""Part of the estimates' variance that the true values have at least, in resamples that find none."""

RIDGE = 1e-10
"""Part of the variances that is added to them, so that estimates without noise can be weighed too."""


def rank_correlation(
    values_a: Floats, covariance_a: Floats, values_b: Floats, covariance_b: Floats, seed: int = 0
) -> Estimate:
    """Estimate Spearman's rank correlation between two sets of true values, of the same cards.

    That of the estimates is too near 0: noise upsets both orders. And a bootstrap that adds noise to the estimates
    would count it twice. So the pairs of true values are taken for normal, with means, spreads and a correlation that
    are estimated beyond noise; given these and the estimates, true values are drawn (so they are shrunken) and ranked.
    What the spreads and the correlation are is uncertain itself: they are estimated again from each of many samples of
    new true values with new noise (parametric bootstrap).

    Only cards of which both values are known count. The noise of the two sets is taken for independent: where both come
    from the same deals and noise moves them alike, the correlation comes out too high. In simulations of 20 to 50 cards
    whose noise is a quarter to a half of their spread, intervals cover 90 to 95 % and the value is 0.01 to 0.02 high.

    Parameters
    ----------
    values_a, values_b : ndarray of float64, shape [p]
    covariance_a, covariance_b : ndarray of float64, shape [p, p]
    seed : int
        Of the draws.

    Returns
    -------
    Estimate
        Mean and 95 % interval over the draws, for the noise of the estimates: it is about these cards. If one of the
        sets does not vary beyond noise, the value is NaN and the interval -1 to 1; all NaN for fewer than four cards.

    Raises
    ------
    InputError
        If the shapes do not fit.

    References
    ----------
    Laird and Louis, Empirical Bayes confidence intervals based on bootstrap samples, JASA 82 (1987) 739-750; Spearman,
    The proof and measurement of association between two things, American J. Psychology 15 (1904) 72-101 (the
    correlation and how noise weakens it).
    """
    known = known_estimates(values_a, covariance_a) & known_estimates(values_b, covariance_b)
    k = int(known.sum())
    if k < FEWEST:
        return UNKNOWN
    x = np.array([values_a[known], values_b[known]])
    noise = np.array([each[np.ix_(known, known)] for each in (covariance_a, covariance_b)])
    own = np.array([(np.trace(each) - each.sum() / k) / (k - 1) for each in noise])
    if (x.var(axis=1, ddof=1) <= own).any():
        return Estimate(math.nan, -1.0, 1.0)
    spread = _spread(x, own)
    roots = [noise_root(each) for each in noise]
    draws = np.concatenate([_resample(x, noise, roots, own, spread, seed, part) for part in range(N_RESAMPLES)])
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(float(draws.mean()), float(low), float(high))


def _spread(x: Floats, own: Floats) -> Floats:
    """Return the covariance of pairs of true values, shape [2, 2]: that of the estimates less that of their noise."""
    of_estimates = np.cov(x)
    variances = np.maximum(np.diag(of_estimates) - own, LEAST_PART * np.diag(of_estimates))
    most = math.sqrt(variances[0] * variances[1])
    shared = min(max(float(of_estimates[0, 1]), -most), most)
    return np.array([[variances[0], shared], [shared, variances[1]]])


def _resample(
    x: Floats, noise: Floats, roots: list[Floats], own: Floats, spread: Floats, seed: int, part: int
) -> Floats:
    """Return rank correlations of true values drawn with one spread from the bootstrap, shape [DRAWS_OF_EACH]."""
    k = x.shape[1]
    normal = normal_draws(4, k * (DRAWS_OF_EACH + 1), seed, part).reshape(2, 2, DRAWS_OF_EACH + 1, k)
    disturbed = np.array([normal[1, side] @ roots[side].T for side in range(2)])
    sample = _pairs(spread, normal[0, :, 0]) + disturbed[:, 0]
    drawn = _spread(sample, own)
    # true values and estimates of the same spread, moved so that the estimates become those that were found
    true = _pairs(drawn, normal[0, :, 1:])
    total = np.kron(drawn, np.eye(k))
    for side in range(2):
        place = slice(side * k, (side + 1) * k)
        total[place, place] += noise[side]
    total += RIDGE * np.diag(total).max() * np.eye(2 * k)
    missing = x[:, None] - x.mean(axis=1)[:, None, None] - true - disturbed[:, 1:]
    weighed = np.linalg.solve(total, missing.swapaxes(0, 1).reshape(DRAWS_OF_EACH, 2 * k).T)
    true = true + np.einsum("ab,bkd->adk", drawn, weighed.reshape(2, k, DRAWS_OF_EACH))
    ranks = true.argsort(axis=2).argsort(axis=2)
    gaps = ((ranks[0] - ranks[1]) ** 2).sum(axis=1)
    found: Floats = 1 - 6 * gaps / (k * (k * k - 1))
    return found


def _pairs(spread: Floats, normal: Floats) -> Floats:
    """Return pairs of numbers of this covariance from independent ones, by the first axis."""
    found: Floats = np.tensordot(noise_root(spread), normal, axes=1)
    return found
