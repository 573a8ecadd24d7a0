"""The spread of true values beyond the noise of their estimates.

Estimates x are true values plus normal noise of known covariance V. Contrasts of them, C x, are free of the mean that
the true values have in common; turned so that their noise is independent, the k-th has variance ``noise[k]`` plus that
of the true values, t. So the sum of squares[k] / (noise[k] + t) is chi-square, and falls with t: where it equals its
degrees of freedom is the estimate of t, and where it equals two quantiles is its interval.

Source: Paule and Mandel, Consensus values and weighting factors, J. Research of the National Bureau of Standards 87
(1982) 377-385, here for noise that is correlated; DerSimonian and Kacker, Random-effects model for meta-analysis of
clinical trials: an update, Contemporary Clinical Trials 28 (2007) 105-114; Viechtbauer, Confidence intervals for the
amount of heterogeneity in meta-analysis, Statistics in Medicine 26 (2007) 37-52 (the interval).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from salad_sim.jit.typing import Floats
from salad_sim.stats.intervals import LEVEL, UNKNOWN, Estimate
from salad_sim.stats.normal_noise import SMALLEST

EXACT, SMALLEST_ROOT = 1e-14, 1e-300
"""How exact solutions are: to nearly the last digit, however small they are."""

HUGE = 1e300


@dataclass(frozen=True)
class Contrasts:
    """Contrasts of estimates whose noise is independent.

    Attributes
    ----------
    squares : ndarray of float64, shape [m]
        Squares of the contrasts.
    noise : ndarray of float64, shape [m]
        Variances of their noise, at least 0.
    """

    squares: Floats
    noise: Floats

    @property
    def freedom(self) -> int:
        """Contrasts that can vary: those that have noise or are not 0."""
        return int(((self.noise > 0) | (self.squares > 0)).sum())

    def statistic(self, variance: float = 0.0) -> float:
        """Return the sum of squares over variances if the true values have this variance; it falls with it."""
        total = self.noise + variance
        if (self.squares[total == 0] > 0).any():
            return math.inf
        return float((self.squares[total > 0] / total[total > 0]).sum())

    def solve(self, target: float) -> float:
        """Return the variance of the true values at which the statistic has a value above 0; 0 if it never has."""
        if self.statistic() <= target:
            return 0.0
        from scipy.optimize import brentq

        most = float(self.squares.sum()) / target
        return float(brentq(self._excess, 0.0, most, args=(target,), xtol=SMALLEST_ROOT, rtol=EXACT))

    def _excess(self, variance: float, target: float) -> float:
        """Return by how much the statistic is above a target; where it is infinite, a number that is."""
        return min(self.statistic(variance), HUGE) - target

    def variance(self) -> float:
        """Return the estimate of the variance of the true values; 0 without a contrast that can vary."""
        return self.solve(self.freedom) if self.freedom else 0.0

    def error(self, variance: float) -> float:
        """Return the variance of that estimate, for normal true values of this variance."""
        total = self.noise + variance
        slope = float((1 / total[total > 0]).sum())
        return 2 * self.freedom / slope**2 if slope else 0.0

    def deviation(self) -> Estimate:
        """Return the standard deviation of the true values, with its 95 % interval; NaN without a contrast."""
        if not self.freedom:
            return UNKNOWN
        from scipy.special import chdtri

        tail = (1 - LEVEL) / 2
        bounds = (self.solve(float(chdtri(self.freedom, upper))) for upper in (tail, 1 - tail))
        return Estimate(math.sqrt(self.variance()), *map(math.sqrt, bounds))

    def p_value(self) -> float:
        """Return the p-value of the hypothesis that the true values are equal (Wald's test); NaN without a contrast."""
        if not self.freedom:
            return math.nan
        from scipy.special import chdtrc

        return float(chdtrc(self.freedom, self.statistic()))


def contrasts_of(values: Floats, covariance: Floats, weights: Floats) -> Contrasts:
    """Return contrasts of estimates.

    Parameters
    ----------
    values : ndarray of float64, shape [k]
    covariance : ndarray of float64, shape [k, k]
        Of their noise.
    weights : ndarray of float64, shape [m, k]
        The contrasts, orthonormal; m may be 0.
    """
    noise, vectors = np.linalg.eigh(weights @ covariance @ weights.T)
    squares = (vectors.T @ (weights @ values)) ** 2
    noise = np.where(noise > SMALLEST * np.diag(covariance).max(initial=0), noise, 0)
    rounding = (math.sqrt(SMALLEST) * np.abs(values).max(initial=0)) ** 2
    return Contrasts(np.where((noise > 0) | (squares > rounding), squares, 0), noise)


def helmert(n_values: int) -> Floats:
    """Return n - 1 orthonormal contrasts of n values, shape [n - 1, n]: each value against the mean of those before."""
    from scipy.linalg import helmert as contrasts

    found: Floats = contrasts(n_values) if n_values > 1 else np.zeros((max(n_values - 1, 0), n_values))
    return found
