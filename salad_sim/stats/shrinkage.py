"""Values of cards seen with those of their families: shrunken values, and whether the members of a family differ.

The best of many estimates is, on average, also the luckiest. Shrinking takes that back: each estimate is drawn toward
what the cards like it are worth, the more so the noisier it is and the less such cards differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from salad_sim.jit.typing import Flags, Floats
from salad_sim.stats.groups import Group
from salad_sim.stats.heterogeneity import Contrasts, contrasts_of, helmert
from salad_sim.stats.intervals import UNKNOWN, Estimate, Z
from salad_sim.stats.normal_noise import known_estimates
from salad_sim.stats.plackett_luce import holm

STEP = 1e-4
"""Part of the variances by which one is moved to see what that does."""

RIDGE = 1e-10
"""Part of the variances that is added to them, so that estimates without noise, or copies, can be weighed too."""


@dataclass(frozen=True)
class Shrunken:
    """Values shrunken toward those of their families.

    Attributes
    ----------
    value, low, high : ndarray of float64, shape [p]
        With 95 % intervals, each for itself; NaN where the estimate is not known.
    within, between : float
        Standard deviations of the true values: between members of a family, and between families.
    """

    value: Floats
    low: Floats
    high: Floats
    within: float
    between: float


def shrink(values: Floats, covariance: Floats, families: Sequence[Group]) -> Shrunken:
    """Shrink values toward their family's mean, and the means of families toward the mean of all.

    A true value is the mean of all, plus what the family brings, plus what the member brings; the last two are normal.
    Their variances are estimated, that within families from all families together (one of six cards tells little), that
    between them from the families' means. A family of one is drawn toward the mean of all; a large one stays about
    where its members are. Intervals include the uncertainty of the means and, to first order, that of the variances.

    Parameters
    ----------
    values : ndarray of float64, shape [p]
    covariance : ndarray of float64, shape [p, p]
        Of the estimates; all of it is used.
    families : sequence of Group
        Each card is in one of them.

    Raises
    ------
    InputError
        If the shapes do not fit.

    References
    ----------
    Efron and Morris, Stein's estimation rule and its competitors - an empirical Bayes approach, JASA 68 (1973) 117-130,
    and Data analysis using Stein's estimator and its generalizations, JASA 70 (1975) 311-319; Morris, Parametric
    empirical Bayes inference: theory and applications, JASA 78 (1983) 47-55 (intervals); Robinson, That BLUP is a good
    thing, Statistical Science 6 (1991) 15-32 (correlated noise, two levels); Prasad and Rao, The estimation of the
    mean squared error of small-area estimators, JASA 85 (1990) 163-171 (the uncertainty of the variances, counted
    twice); the variances by `salad_sim.stats.heterogeneity`.
    """
    known = known_estimates(values, covariance)
    value, low, high = np.full((3, len(values)), np.nan)
    if not known.any():
        return Shrunken(value, low, high, math.nan, math.nan)
    x, noise = values[known], covariance[np.ix_(known, known)]
    of_family = _family_indicators(families, known)
    same = of_family @ of_family.T
    contrasts = contrasts_of(x, noise, _within(of_family))
    within = contrasts.variance()
    means = _family_contrasts(x, noise + within * np.eye(len(x)), of_family)
    between = means.variance()

    def prior(within: float, between: float) -> Floats:
        found: Floats = within * np.eye(len(x)) + between * same
        return found

    best, variance = _predict(x, noise, prior(within, between))
    step = STEP * (within + between + float(np.diag(noise).mean()))
    for error, moved in (
        (contrasts.error(within), prior(within + step, between)),
        (means.error(between), prior(within, between + step)),
    ):
        slope = (_predict(x, noise, moved)[0] - best) / step if step else np.zeros(len(x))
        variance = variance + 2 * slope**2 * error  # once for the prediction, once as the variance itself comes out low
    half = Z * np.sqrt(variance)
    value[known], low[known], high[known] = best, best - half, best + half
    return Shrunken(value, low, high, math.sqrt(within), math.sqrt(between))


def _predict(x: Floats, noise: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """Return the best linear unbiased prediction of true values of this covariance about a mean, and its variance."""
    total = noise + prior
    if not total.any():
        return x, np.zeros(len(x))
    inverse = _inverse(total)
    of_mean = inverse.sum(axis=0)
    mean = float(of_mean @ x) / float(of_mean.sum())
    gain = prior @ inverse
    rest = 1 - gain.sum(axis=1)
    variance = np.diag(prior) - (gain * prior).sum(axis=1) + rest**2 / of_mean.sum()
    return mean + gain @ (x - mean), np.maximum(variance, 0)


def _family_indicators(families: Sequence[Group], known: Flags) -> Floats:
    """Return which known card is in which family that has any, as 0 and 1: shape [k, n_families]."""
    place = np.full(len(known), -1)
    place[known] = np.arange(known.sum())
    found = np.zeros((int(known.sum()), len(families)))
    for number, family in enumerate(families):
        members = place[list(family.members)]
        found[members[members >= 0], number] = 1
    return found[:, found.any(axis=0)]


def _within(of_family: Floats) -> Floats:
    """Return orthonormal contrasts within families, shape [k - n_families, k]."""
    blocks = [np.zeros((0, len(of_family)))]
    for family in of_family.T:
        members = np.flatnonzero(family)
        block = np.zeros((len(members) - 1, len(of_family)))
        block[:, members] = helmert(len(members))
        blocks.append(block)
    return np.vstack(blocks)


def _family_contrasts(x: Floats, covariance: Floats, of_family: Floats) -> Contrasts:
    """Return contrasts between the means of families, each weighted by least squares."""
    weights = of_family.T @ _inverse(covariance)
    of_means = _inverse(weights @ of_family)
    return contrasts_of(of_means @ (weights @ x), of_means, helmert(of_family.shape[1]))


def _inverse(covariance: Floats) -> Floats:
    ridge = RIDGE * float(np.diag(covariance).max()) or 1.0  # where nothing varies all count the same
    return np.asarray(np.linalg.inv(covariance + ridge * np.eye(len(covariance))), dtype=np.float64)


@dataclass(frozen=True)
class FamilyTest:
    """One family: its mean, and whether its members differ.

    Attributes
    ----------
    name : str
    n_members : int
        Of known value.
    mean : Estimate
        Of these members, each counted the same; 95 % for the noise of the estimates. It is about these cards.
    spread : Estimate
        Standard deviation between true values of members, that is beyond noise; the interval takes them for normal.
    statistic, freedom, p_value : float, int, float
        Wald's test that all members are worth the same: chi-square, degrees of freedom, p-value; NaN for one member.
    p_holm : float
        Corrected for all families of two or more (Holm).
    """

    name: str
    n_members: int
    mean: Estimate
    spread: Estimate
    statistic: float
    freedom: int
    p_value: float
    p_holm: float


def family_tests(values: Floats, covariance: Floats, families: Sequence[Group]) -> list[FamilyTest]:
    """Return for each family its mean, the spread of its members, and whether they differ beyond chance.

    Members that are copies up to names should be worth the same; all noise that they share is in the covariance, so
    the test holds for estimates from the same deals, too.

    Parameters
    ----------
    values : ndarray of float64, shape [p]
    covariance : ndarray of float64, shape [p, p]
    families : sequence of Group

    Raises
    ------
    InputError
        If the shapes do not fit.
    """
    known = known_estimates(values, covariance)
    found = []
    for family in families:
        members = [card for card in family.members if known[card]]
        x, noise = values[members], covariance[np.ix_(members, members)]
        contrasts = contrasts_of(x, noise, helmert(len(members)))
        statistic = contrasts.statistic() if contrasts.freedom else math.nan
        numbers = statistic, contrasts.freedom, contrasts.p_value(), math.nan
        found.append(FamilyTest(family.name, len(members), _mean(x, noise), contrasts.deviation(), *numbers))
    tested = [number for number, each in enumerate(found) if each.freedom]
    for number, p_holm in zip(tested, holm(np.array([found[each].p_value for each in tested])), strict=True):
        found[number] = replace(found[number], p_holm=float(p_holm))
    return found


def _mean(values: Floats, covariance: Floats) -> Estimate:
    if not len(values):
        return UNKNOWN
    mean = float(values.mean())
    half = Z * math.sqrt(max(float(covariance.sum()), 0.0)) / len(values)
    return Estimate(mean, mean - half, mean + half)
