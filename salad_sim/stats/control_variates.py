"""Luck adjustment: take from the results what the cards gave, where one knows exactly what they give on average.

A control is a number that chance makes and no player can choose, less its exact expectation: it is 0 on average by
construction. What the results owe to it is estimated by least squares and taken away. What is left has the same
expectation and varies less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from salad_sim.jit.typing import Floats
from salad_sim.stats.deal_sums import DealSums, add_up
from salad_sim.stats.efficiency import BlockMoments, Factor, ratio_of
from salad_sim.stats.intervals import Estimate
from salad_sim.stats.simultaneous import SMALLEST, joint_quantile

FOLDS = 10
"""Parts into which the deals are divided, at most."""

DEALS_FOR_A_CONTROL = 20
"""Deals that each control takes at least; fewer could fit anything."""


@dataclass(frozen=True)
class Adjusted:
    """Results with the luck of the controls taken away.

    Attributes
    ----------
    estimates, plain : list of Estimate
        Mean of each outcome in a game, adjusted and as played. Intervals are t intervals between deals that hold for
        all outcomes at once; infinite for a single deal.
    chosen : list of float, length m
        For each control, in what part of the folds it was used.
    slopes : ndarray of float64, shape [m, k]
        By control and outcome: what a unit of the control brings, on average over the folds; 0 for a control left out.
    factors : list of Factor
        For each outcome: its variance as played over its adjusted variance, which is how many times as many games
        would have to be played without adjustment.
    """

    estimates: list[Estimate]
    plain: list[Estimate]
    chosen: list[float]
    slopes: Floats
    factors: list[Factor]


def adjust_for_luck(
    blocks: Sequence[DealSums], n_outcomes: int, unit: float = 1, choose: bool = True, quantile: float | None = None
) -> Adjusted:
    """Adjust the means of some outcomes for luck.

    Slopes that were estimated from the same deals would bias the adjusted mean, by an amount that falls with the
    number of deals. So the blocks are dealt out to folds, and each fold is adjusted with controls and slopes that come
    from the other folds alone: given those, its controls have expectation 0, and the estimate is unbiased exactly, for
    any number of deals.

    Parameters
    ----------
    blocks : sequence of DealSums
        Fixed beforehand, of disjoint deals; each of the k outcomes, then the m controls, by deal. A single block is
        left as played: there are no others to learn from.
    n_outcomes : int
        k, at least 1.
    unit : float
        What outcomes are divided by.
    choose : bool
        Whether only those controls are used that help, by Schwarz's criterion, one after the other; else all.
    quantile : float, optional
        Half-width of the intervals in standard errors.

    Returns
    -------
    Adjusted

    References
    ----------
    Burch, Schmid, Moravcik, Morrill and Bowling, AIVAT: a new variance reduction technique for agent evaluation in
    imperfect information games, AAAI (2018) (chance and known decisions as controls that keep the mean); Lavenberg and
    Welch, A perspective on the use of control variables to increase the efficiency of Monte Carlo simulations,
    Management Science 27 (1981) 322-335; Avramidis and Wilson, A splitting scheme for control variates, Operations
    Research Letters 14 (1993) 187-198 (slopes from other parts); Schwarz, Estimating the dimension of a model, Annals
    of Statistics 6 (1978) 461-464.
    """
    whole = add_up(blocks)
    k, m = n_outcomes, len(whole) - n_outcomes
    n_folds = min(FOLDS, len(blocks))
    slopes = np.zeros((n_folds, m, k))
    if n_folds > 1:
        for fold in range(n_folds):
            others = add_up(block for number, block in enumerate(blocks) if number % n_folds != fold)
            slopes[fold] = fit_slopes(others, k, choose)
    scale = unit * whole.games_per_deal
    moments = BlockMoments.of_residuals(blocks, slopes, k, scale)
    before = BlockMoments.of_residuals(blocks, np.zeros((1, m, k)), k, scale)
    return Adjusted(
        estimates=_estimates(moments, quantile),
        plain=_estimates(before, quantile),
        chosen=(slopes != 0).any(axis=2).mean(axis=0).tolist(),
        slopes=slopes.mean(axis=0) / unit,
        factors=[ratio_of(before.only(outcome), moments.only(outcome)) for outcome in range(k)],
    )


def _estimates(moments: BlockMoments, quantile: float | None) -> list[Estimate]:
    """Return the means with t intervals; a single deal tells no spread, and its bounds are infinite."""
    n = int(moments.n_deals.sum())
    values = moments.total.sum(axis=0) / n
    if n == 1:
        return [Estimate(float(value), -math.inf, math.inf) for value in values]
    covariance = moments.covariance() / n
    chosen = joint_quantile(covariance, n - 1) if quantile is None else quantile
    halves = chosen * np.sqrt(np.diag(covariance))
    return [
        Estimate(float(value), float(value - half), float(value + half))
        for value, half in zip(values, halves, strict=True)
    ]


def fit_slopes(sums: DealSums, n_outcomes: int, choose: bool = True) -> Floats:
    """Return the least-squares slopes of the outcomes on the controls, shape [m, k]; 0 for controls left out.

    Controls enter one after the other, each time the one that takes most from the variance of the outcomes together,
    relative to the variance of each. With ``choose`` they stop when the best would not pay for its slopes.
    """
    k, n = n_outcomes, sums.n_deals
    m = len(sums) - k
    slopes = np.zeros((m, k))
    scatter = sums.scatter()
    deviations = np.sqrt(np.diag(scatter))
    scale = np.where(deviations > 0, deviations, 1)
    left = scatter / np.outer(scale, scale)  # correlations; where nothing varies 0
    worth = np.diag(left)[:k].sum()
    entered: list[int] = []
    while len(entered) < min(m, n // DEALS_FOR_A_CONTROL) and worth > 0:
        pivots = np.diag(left)[k:]
        usable = pivots > SMALLEST  # what is left of a control that the others do not say already
        usable[entered] = False
        if not usable.any():
            break
        gains = np.where(usable, (left[k:, :k] ** 2).sum(axis=1) / np.where(usable, pivots, 1), -1)
        best = int(gains.argmax())
        if choose and gains[best] < worth * -math.expm1(-math.log(n) / n):
            break
        entered.append(best)
        column = left[:, k + best].copy()
        left = left - np.outer(column, column) / column[k + best]
        worth = max(float(np.diag(left)[:k].sum()), 0.0)
    if entered:
        index = np.array(entered) + k
        standard = scatter / np.outer(scale, scale)
        found = np.linalg.lstsq(standard[np.ix_(index, index)], standard[index, :k], rcond=None)[0]
        slopes[entered] = found * scale[None, :k] / scale[index, None]
    return slopes
