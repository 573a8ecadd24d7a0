"""Win shares of the seats, all at once: intervals, differences from a fair share, a test, the spread, paired changes.

Quantities of a `DealSums` are here the wins of the seats, in order, in parts of a whole win.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from salad_sim.jit.typing import Floats
from salad_sim.stats.deal_sums import WHOLE, DealSums
from salad_sim.stats.intervals import Estimate, Z, proportion
from salad_sim.stats.simultaneous import bonferroni_quantile, joint_quantile, share_intervals

USUAL_MOVE = 0.5
"""Part of a win that changes hands where conditions differ in a rare event, mostly."""

SURE = 30.0
"""Quantiles beyond, which come from a handful of deals, are as good as this one where rare events are concerned."""


def seat_shares(sums: DealSums, whole: int = WHOLE, quantile: float | None = None) -> list[Estimate]:
    """Estimate the win shares of all seats, with intervals that hold all at once.

    For independent games that one seat wins whole these are Goodman's simultaneous intervals for multinomial shares.
    Where wins are shared or a deal is used more than once, the number of games of each seat is divided by its design
    effect, as in `intervals.proportion`: Goodman's interval of one share is Wilson's with another quantile, and a
    share of clustered games has the variance of that many fewer independent ones. Two seats have one unknown share,
    and get Wilson's interval itself.

    Parameters
    ----------
    sums : DealSums
        Wins by seat, at least two seats.
    whole : int
        What a whole win counts.
    quantile : float, optional
        Half-width in standard errors instead: of a sequential method, or `Z` for intervals that hold one by one.

    Returns
    -------
    list of Estimate
        One a seat, in [0, 1].

    References
    ----------
    Goodman, On simultaneous confidence intervals for multinomial proportions, Technometrics 7 (1965) 247-254;
    Kish, Survey Sampling (1965), section 8.2.
    """
    k = len(sums)
    chosen = bonferroni_quantile(share_intervals(k)) if quantile is None else quantile
    return [
        proportion(int(sums.total[seat]), int(sums.products[seat, seat]), sums.n_deals, sums.n_games, whole, chosen)
        for seat in range(k)
    ]


def are_single_wins(sums: DealSums, whole: int = WHOLE) -> bool:
    """Return whether every deal is one game that one seat wins whole: independent draws of the winner."""
    plain = np.array_equal(sums.products, np.diag(sums.total * whole))
    return sums.games_per_deal == 1 and plain and int(sums.total.sum()) == sums.n_deals * whole


def from_fair(shares: list[Estimate]) -> list[Estimate]:
    """Return how far the shares of n seats are from 1/n, with the same intervals, moved."""
    fair = 1 / len(shares)
    return [Estimate(*(bound - fair for bound in share)) for share in shares]


@dataclass(frozen=True)
class EqualityTest:
    """A test of the hypothesis that all seats win equally often.

    Attributes
    ----------
    method : str
        "Pearson chi-square" for independent single wins, else "Hotelling T squared over deals".
    statistic : float
        Chi-square, or the F statistic; NaN if there are too few deals, see ``enough``.
    numerator : int
        Degrees of freedom.
    denominator : int
        Those of the F statistic; 0 for chi-square.
    p_value : float
        NaN if there are too few deals.
    enough : bool
        Whether there are at least as many deals as seats, which the second method needs.
    """

    method: str
    statistic: float
    numerator: int
    denominator: int
    p_value: float
    enough: bool = True


def seats_equal(sums: DealSums, whole: int = WHOLE) -> EqualityTest:
    """Test whether all seats win equally often.

    Shares sum to 1, so their covariance is singular; the test lives in the k - 1 directions that are left. The
    covariance between deals is mixed with that of its worst case under the hypothesis, all games of a deal won by
    one seat, which gets the weight of z**2 deals as in `intervals.proportion`: deals that happen to agree give no
    certainty, and no direction is without variance.

    References
    ----------
    Pearson, On the criterion that a given system of deviations ..., Philosophical Magazine 50 (1900) 157-175;
    Hotelling, The generalization of Student's ratio, Annals of Mathematical Statistics 2 (1931) 360-378; Cameron and
    Miller, A practitioner's guide to cluster-robust inference, J. Human Resources 50 (2015) 317-372, section VII.
    """
    from scipy.special import chdtrc, fdtrc

    k, n = len(sums), sums.n_deals
    if are_single_wins(sums, whole):
        wins, expected = sums.total / whole, n / k
        statistic = float(((wins - expected) ** 2).sum() / expected)
        return EqualityTest("Pearson chi-square", statistic, k - 1, 0, float(chdtrc(k - 1, statistic)))
    method = "Hotelling T squared over deals"
    if n < k:
        return EqualityTest(method, float("nan"), k - 1, max(n - k + 1, 0), float("nan"), enough=False)
    difference = sums.means / whole - 1 / k
    between = sums.covariance() / whole**2 * n
    worst = np.eye(k) / k - 1 / k**2
    # the direction of the sum, in which nothing can differ, gets variance 1 so that the matrix can be inverted
    mixed = _centred((n * between + Z * Z * worst) / (n + Z * Z)) + np.full((k, k), 1 / k)
    squared = n * float(difference @ np.linalg.solve(mixed, difference))
    statistic = squared * (n - k + 1) / ((k - 1) * (n - 1))
    p_value = float(fdtrc(k - 1, n - k + 1, statistic))
    return EqualityTest(method, statistic, k - 1, n - k + 1, p_value)


def _centred(matrix: Floats) -> Floats:
    centring = np.eye(len(matrix)) - 1 / len(matrix)
    found: Floats = centring @ matrix @ centring
    return found


def contrasts(
    sums: DealSums, weights: npt.ArrayLike, whole: int = WHOLE, quantile: float | None = None
) -> list[Estimate]:
    """Estimate differences of win shares, with intervals that hold all at once.

    They are t intervals between deals, as wide as the correlation of the differences asks for (`joint_quantile`), with
    two terms for what is rare, as equal totals are; many deals make both small. For a quantile q and n deals, as in
    Wilson's interval, q**2 / (4 n**2) is added to the variance, for events that move half a win. And no interval is
    narrower than to hold what so many deals may well not have shown at all: an event of frequency -log(alpha) / n is
    missed with probability alpha, that of the quantile.

    Parameters
    ----------
    sums : DealSums
    weights : array of int, shape [n_differences, k]
        Of -1, 0 and 1, such that a difference lies in [-1, 1].
    whole : int
        What a whole win counts.
    quantile : float, optional
        Half-width in standard errors instead.

    Returns
    -------
    list of Estimate
        In [-1, 1]; a single deal gives [-1, 1].
    """
    combined = sums.combine(weights)
    covariance = combined.covariance() / whole**2
    chosen = joint_quantile(covariance, max(sums.n_deals - 1, 1)) if quantile is None else quantile
    missed = math.erfc(min(chosen, SURE) / math.sqrt(2))  # of a normal variable beyond the quantile
    variances = np.diag(covariance) + (USUAL_MOVE * chosen / 2 / sums.n_deals) ** 2
    halves = np.maximum(chosen * np.sqrt(variances), -math.log(missed) / sums.n_deals)
    if sums.n_deals == 1:
        halves[:] = 2
    values = combined.means / whole
    return [
        Estimate(float(value), max(float(value - half), -1.0), min(float(value + half), 1.0))
        for value, half in zip(values, halves, strict=True)
    ]


@dataclass(frozen=True)
class Spread:
    """How far apart the best and the worst seat are.

    Attributes
    ----------
    estimate : Estimate
        Difference of the largest and the smallest win share. The value errs upwards, more so the less the seats
        differ; the interval allows for the choice of the two seats.
    best, worst : int
        The seats with the largest and the smallest share in these games, from 0.
    pairs : dict of (int, int) to Estimate
        For each two seats i < j the share of i less that of j; these intervals hold all at once.
    """

    estimate: Estimate
    best: int
    worst: int
    pairs: dict[tuple[int, int], Estimate]


def spread(sums: DealSums, whole: int = WHOLE, quantile: float | None = None) -> Spread:
    """Estimate the difference between the best and the worst seat, and those of all pairs of seats.

    If the intervals of all pairs hold at once, the true spread, which is the largest of all true differences, is at
    least the largest lower bound and at most the largest upper bound.

    Parameters
    ----------
    sums, whole, quantile
        As in `contrasts`.

    References
    ----------
    Tukey's method of all pairwise comparisons, for correlated shares of unequal variance: Hochberg and Tamhane,
    Multiple Comparison Procedures (1987), chapter 3; Hothorn, Bretz and Westfall, Biometrical J. 50 (2008) 346-363.
    """
    pairs = list(combinations(range(len(sums)), 2))
    weights = np.zeros((len(pairs), len(sums)), dtype=np.int64)
    for row, (first, second) in enumerate(pairs):
        weights[row, first], weights[row, second] = 1, -1
    found = contrasts(sums, weights, whole, quantile)
    both_ways = [*found, *(Estimate(-each.value, -each.high, -each.low) for each in found)]
    best, worst = int(sums.total.argmax()), int(sums.total.argmin())
    value = float(sums.means[best] - sums.means[worst]) / whole
    low, high = max(0.0, *(each.low for each in both_ways)), max(each.high for each in both_ways)
    return Spread(Estimate(value, low, high), best, worst, dict(zip(pairs, found, strict=True)))


def paired_changes(sums: DealSums, whole: int = WHOLE, quantile: float | None = None) -> list[Estimate]:
    """Estimate how the win share of each seat changes from one condition to another on the same deals.

    Parameters
    ----------
    sums : DealSums
        Of 2k quantities: the wins of the k seats under the first condition, then under the second.
    whole, quantile
        As in `contrasts`.

    Returns
    -------
    list of Estimate
        Second less first, one a seat, with intervals that hold all at once.
    """
    k = len(sums) // 2
    return contrasts(sums, np.hstack([-np.eye(k, dtype=np.int64), np.eye(k, dtype=np.int64)]), whole, quantile)
