"""How sure a ranking is: which differences are certain, the ranks that each card may have, and tiers.

Given are p estimates and their covariance, from so many deals that their noise is normal. Everything here holds for all
cards at once: with 95 %, nothing that is called certain is wrong, for whatever true values, equal ones too.

Source: Mogstad, Romano, Shaikh and Wilhelm, Inference for ranks with applications to mobility across neighbourhoods and
academic achievement across countries, Review of Economic Studies 91 (2024) 476-518; the steps are those of Romano and
Wolf, Exact and approximate stepdown methods for multiple hypothesis testing, JASA 100 (2005) 94-108.

An estimate that is not known (NaN, or of a variance that is not finite) is never certain of anything.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from salad_sim.jit.typing import Flags, Floats, Ints
from salad_sim.stats.intervals import LEVEL
from salad_sim.stats.normal_noise import SMALLEST, known_estimates, noise_root, normal_draws

N_DRAWS = 20_000
"""Draws of the noise for a critical value; it is then good to about 0.01 standard errors."""

BATCH = 1_000
"""Draws at a time: those of all cards fit into a processor's own memory."""

SAME = 1e-9
"""Estimates that differ by a smaller part of their size are equal, if their difference has no noise."""


def certain_order(
    values: Floats, covariance: Floats, level: float = LEVEL, n_draws: int = N_DRAWS, seed: int = 0
) -> Flags:
    """Return which cards are certainly better than which: with ``level``, none of these statements is wrong.

    One-sided tests of all ordered pairs in steps: differences beyond the critical value are certain; the next critical
    value is that of the pairs that are left, and so on. If i is better than j and j better than k, then i is better
    than k by these tests too: standard errors of differences obey the triangle inequality.

    Parameters
    ----------
    values : ndarray of float64, shape [p]
    covariance : ndarray of float64, shape [p, p]
        Of the estimates. It may be singular: a difference without noise is certain if it is not 0.
    level : float
        In (0, 1).
    n_draws, seed : int
        Draws of the noise, and their stream.

    Returns
    -------
    ndarray of bool, shape [p, p]
        At [i, j] whether i is better than j: a strict partial order.

    Raises
    ------
    InputError
        If the shapes do not fit, or the covariance of two known estimates is not finite.
    """
    known = np.flatnonzero(known_estimates(values, covariance))
    # from the best to the worst: then only the first of two can be certainly better, and the draws of a card do not
    # depend on where it stood
    order = known[np.argsort(-values[known], kind="stable")]
    better = np.zeros((len(values), len(values)), dtype=np.bool_)
    better[np.ix_(order, order)] = _step_down(values[order], covariance[np.ix_(order, order)], level, n_draws, seed)
    return better


def _step_down(values: Floats, covariance: Floats, level: float, n_draws: int, seed: int) -> Flags:
    """Return the certain order of estimates that fall."""
    root = noise_root(covariance)
    errors = _errors(root)
    ahead = values[:, None] - values[None, :]
    size = np.abs(values)
    differs = np.triu(ahead > SAME * np.maximum(size[:, None], size[None, :]))
    better: Flags = differs & (errors == 0)
    left = np.triu(errors > 0)
    statistic = np.where(left, ahead / np.where(left, errors, 1), 0)
    # that the lower one of two is better is never certain: these hypotheses stay to the end
    normal = normal_draws(len(root), n_draws, seed)
    upward, downward = _largest(root, errors, left, normal)
    # so no critical value is below theirs: of draws that are below it already, further steps need no exact value
    near = np.maximum(upward, downward) > _quantile(downward, level)
    while True:
        found = left & (statistic > _quantile(np.maximum(upward, downward), level))
        if not found.any():
            break
        better |= found
        left &= ~found
        upward[near], _ = _largest(root, errors, left, normal[:, near])
    return better


def _errors(root: Floats) -> Floats:
    """Return the standard errors of all differences, shape [k, k]; 0 where only rounding is left."""
    products = root @ root.T
    variances = np.diag(products)
    of_both = variances[:, None] + variances[None, :]
    squares = of_both - 2 * products
    found: Floats = np.sqrt(np.where(squares > SMALLEST * of_both, squares, 0))
    return found


def _largest(root: Floats, errors: Floats, pairs: Flags, normal: Floats) -> tuple[Floats, Floats]:
    """Return for each draw of the noise the largest (z_i - z_j) / se and (z_j - z_i) / se of some pairs i < j.

    Parameters
    ----------
    root, errors : ndarray of float64, shape [k, k]
    pairs : ndarray of bool, shape [k, k]
    normal : ndarray of float64, shape [k, n_draws]
        Standard normal numbers, which the root makes the noise of.

    Returns
    -------
    upward, downward : ndarray of float64, shape [n_draws]
        At least 0.
    """
    n_draws = normal.shape[1]
    upward, downward = np.zeros((2, n_draws))
    rows = [(i, np.flatnonzero(pairs[i])) for i in range(len(root)) if pairs[i].any()]
    inverse = 1 / np.where(errors > 0, errors, 1)
    for start in range(0, n_draws, BATCH):
        part = slice(start, start + BATCH)
        noise = root @ normal[:, part]
        for i, others in rows:
            ratios = noise[i] - noise[others]
            ratios *= inverse[i, others, None]
            np.maximum(upward[part], ratios.max(axis=0), out=upward[part])
            np.minimum(downward[part], ratios.min(axis=0), out=downward[part])
    return upward, -downward


def _quantile(draws: Floats, level: float) -> float:
    """Return the order statistic that a further draw exceeds with 1 - level."""
    place = min(math.ceil(level * (len(draws) + 1)), len(draws)) - 1
    return float(np.partition(draws, place)[place])


def rank_intervals(certain: Flags) -> tuple[Ints, Ints]:
    """Return the best and the worst rank that each card may have, for all cards at once.

    From 1 + the number of cards that are certainly better, to p - the number that are certainly worse. Where true
    values are equal this holds for each order in which they may be put. A card that is not known has the ranks 1 to p,
    and may stand above or below every other one.

    Parameters
    ----------
    certain : ndarray of bool, shape [p, p]
        From `certain_order`.

    Returns
    -------
    low, high : ndarray of int64, shape [p]
        Rank 1 is the highest value.
    """
    return 1 + certain.sum(axis=0, dtype=np.int64), len(certain) - certain.sum(axis=1, dtype=np.int64)


def tiers(values: Floats, certain: Flags) -> Ints:
    """Return the tier of each card, from 1: the borders that are certain.

    Between two tiers every card above the border is certainly better than every card below it. Within a tier there is
    no such border; still, some of its cards may be certainly better than others. With many cards that lie close there
    may be one tier only; see `leaders`.

    Parameters
    ----------
    values : ndarray of float64, shape [p]
        NaN where the value or its variance is not known.
    certain : ndarray of bool, shape [p, p]
        From `certain_order`.

    Returns
    -------
    ndarray of int64, shape [p]
        0 for a card of unknown value.
    """
    order = _ranked(values)
    found = np.zeros(len(values), dtype=np.int64)
    sorted_ = certain[np.ix_(order, order)]
    borders = [bool(sorted_[:below, below:].all()) for below in range(1, len(order))]
    found[order] = 1 + np.append(0, np.cumsum(borders, dtype=np.int64))[: len(order)]
    return found


def leaders(values: Floats, certain: Flags) -> Ints:
    """Return the group of each card, from 1: each is led by a card that is certainly worse than the leader above.

    The best card leads group 1. Going down by value, the first card that is certainly worse than the leader of the
    group leads the next one. So leaders differ for certain, each from all leaders above; the last card of one group
    and the leader of the next one need not, nor a card with a wide interval from the leader of a group above.

    Parameters
    ----------
    values : ndarray of float64, shape [p]
        NaN where the value or its variance is not known.
    certain : ndarray of bool, shape [p, p]
        From `certain_order`.

    Returns
    -------
    ndarray of int64, shape [p]
        0 for a card of unknown value.
    """
    order = _ranked(values)
    found = np.zeros(len(values), dtype=np.int64)
    group, leader = 0, -1
    for card in order:
        if leader < 0 or certain[leader, card]:
            group, leader = group + 1, int(card)
        found[card] = group
    return found


def _ranked(values: Floats) -> npt.NDArray[np.intp]:
    """Return the cards of known value, from the highest to the lowest; equal ones as they stand."""
    order = np.argsort(-values, kind="stable")
    return order[np.isfinite(values[order])]
