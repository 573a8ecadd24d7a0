"""Whether a card is out of line: outside the range that others, of its family or of all cards, predict for one more.

Assumed is that true values of such cards are normal, about one mean and equally spread, and that the card is one more
of them. In the range are the spread between cards, the uncertainty of their mean, and the noise of all estimates, the
card's own too: it is to be compared with the card's estimate. A family is close to that; all cards together are of many
forms, and their range is a rough one.

A range is about one card. Of many cards that are in line, one in twenty lies outside by chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from salad_sim.jit.typing import Floats
from salad_sim.stats.groups import Group
from salad_sim.stats.intervals import UNKNOWN, Estimate, student
from salad_sim.stats.normal_noise import known_estimates

FEWEST_OTHERS = 3
"""Other cards from which a range is told; from fewer it would be too wide to mean anything."""


@dataclass(frozen=True)
class OutOfLine:
    """One card beside those like it, and beside all others.

    Attributes
    ----------
    card : int
        Its id.
    family : str
    value : float
        Its estimate.
    family_range, all_range : Estimate
        Mean of the other members and of all other cards, with the 95 % range predicted for the estimate of this one;
        NaN where there are fewer than three others.
    outside_family, outside_all : bool or None
        Whether the estimate lies outside; None where it or the range is not known.
    """

    card: int
    family: str
    value: float
    family_range: Estimate
    all_range: Estimate
    outside_family: bool | None
    outside_all: bool | None


def prediction_range(values: Floats, covariance: Floats, members: Sequence[int], of: int) -> Estimate:
    """Return the range in which the estimate of one card lies with 95 %, told from the other members.

    Mean of the k others, less and plus the t quantile with k - 1 degrees of freedom times the root of
    t2 (1 + 1/k) + v: t2 is the variance between the others beyond their noise, v the variance of the noise of the
    difference between the card and their mean. Where all noise is equal and independent this is the exact range for one
    more observation; if the others differ by less than their noise does, it is too wide rather than too narrow.

    Parameters
    ----------
    values : ndarray of float64, shape [p]
    covariance : ndarray of float64, shape [p, p]
    members : sequence of int
        Cards like it; the card itself may be among them and does not count.
    of : int
        The card. Its own value is not used.

    Returns
    -------
    Estimate
        The mean of the others is the value. NaN if the card's variance is not known, or fewer than two others are.

    Raises
    ------
    InputError
        If the shapes do not fit.

    References
    ----------
    Higgins, Thompson and Spiegelhalter, A re-evaluation of random-effects meta-analysis, J. Royal Statistical Society A
    172 (2009) 137-159 (prediction of a further one); Cochran, The combination of estimates from different experiments,
    Biometrics 10 (1954) 101-129 (the variance between).
    """
    known = known_estimates(values, covariance)
    others = [card for card in members if card != of and known[card]]
    if len(others) < 2 or not known[of]:
        return UNKNOWN
    n_others = len(others)
    noise = covariance[np.ix_(others, others)]
    mean = float(values[others].mean())
    own_noise = float(np.trace(noise) - noise.sum() / n_others) / (n_others - 1)
    between = max(float(values[others].var(ddof=1)) - own_noise, 0.0)
    weights = np.append(np.full(n_others, -1 / n_others), 1)
    both = [*others, of]
    difference = max(float(weights @ covariance[np.ix_(both, both)] @ weights), 0.0)
    half = student(n_others - 1) * math.sqrt(between * (1 + 1 / n_others) + difference)
    return Estimate(mean, mean - half, mean + half)


def out_of_line(
    values: Floats, covariance: Floats, families: Sequence[Group], among: Sequence[int] | None = None
) -> list[OutOfLine]:
    """Return for every card whether its estimate is out of line with its family and with all cards, in order of ids.

    Parameters
    ----------
    values : ndarray of float64, shape [p]
    covariance : ndarray of float64, shape [p, p]
    families : sequence of Group
        Each card is in one of them.
    among : sequence of int, optional
        The cards that ranges are told from; by default all. So a designer's new cards do not vouch for each other.

    Raises
    ------
    InputError
        If the shapes do not fit.
    """
    known = known_estimates(values, covariance)
    if among is not None:
        known &= np.isin(np.arange(len(values)), among)
    family_of = {card: family for family in families for card in family.members}

    def told(members: Sequence[int], card: int) -> Estimate:
        told_from = [other for other in members if known[other] and other != card]
        enough = len(told_from) >= FEWEST_OTHERS
        return prediction_range(values, covariance, told_from, card) if enough else UNKNOWN

    found = []
    for card, value in enumerate(values.tolist()):
        family = family_of[card]
        of_family, of_all = told(family.members, card), told(range(len(values)), card)
        found.append(
            OutOfLine(card, family.name, value, of_family, of_all, _outside(value, of_family), _outside(value, of_all))
        )
    return found


def _outside(value: float, range_: Estimate) -> bool | None:
    known = math.isfinite(value) and math.isfinite(range_.low)
    return value < range_.low or value > range_.high if known else None
