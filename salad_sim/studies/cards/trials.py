"""What trials of cards say: what a card is worth to take now, and what it is worth to own from the start.

*To take it now.* At tables that come up a seat takes the card, or makes its own best move among everything else; the
difference in its margin over the mean of the others, and in its win share, is the take value.

*To own it from the start.* A gift lies in front of a seat before the first turn. What the gift of a blank card with the
same back brings, in the same deal, is taken off: owning something that may be flipped is worth points by itself.

In both games of a pair the deal, the strategies and the random streams are the same. The unit is the deal: a deal has
several trials, of which none is independent of another, and the covariance is that of their sums by deal.

References
----------
Cochran, Sampling Techniques (3rd ed., 1977), sections 2.11 and 6.19 (ratios of sums over clusters, their covariance).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from salad_sim.game.cards import CardSet
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Flags, Floats, Ints, Row
from salad_sim.play.card_sums import N_PHASES, PHASE_TURNS, TrialSums
from salad_sim.stats.intervals import Estimate, mean, proportion, student
from salad_sim.stats.ratios import UNKNOWN, columns
from salad_sim.stats.simultaneous import MANY, joint_quantile

LEAST_PAIRS = 2
"""Pairs from which a spread can be told."""

KNOWN_PAIRS = 100
"""Pairs from which means are normal enough, and their covariance known well enough, to rank and to test cards."""

PHASES = tuple(
    f"{first} to {first + PHASE_TURNS - 1}" if first < PHASE_TURNS * (N_PHASES - 1) else f"{first} and later"
    for first in range(1, PHASE_TURNS * N_PHASES, PHASE_TURNS)
)
"""Own turns of the phases of a game."""


class Means(NamedTuple):
    """Means of several cards and how they vary together; NaN where a card has too few pairs.

    Attributes
    ----------
    value : ndarray of float64, shape [n]
    covariance : ndarray of float64, shape [n, n]
        Positive semidefinite where known.
    pairs : ndarray of int64, shape [n]
    """

    value: Floats
    covariance: Floats
    pairs: Ints

    def estimate(self, card: int, quantile: float | None = None) -> Estimate:
        """Return the value of a card with its 95 % interval, or one of so many standard errors."""
        if quantile is None:
            quantile = student(max(int(self.pairs[card]) - 1, 1))
        value, half = float(self.value[card]), quantile * math.sqrt(self.covariance[card, card])
        return Estimate(value, value - half, value + half)

    @property
    def is_known(self) -> Flags:
        """Of which cards the value is known."""
        found: Flags = np.isfinite(self.value)
        return found

    def for_all(self) -> float:
        """Return the half-width, in standard errors, of intervals that hold for all known cards at once with 95 %."""
        known = self.is_known
        return joint_quantile(self.covariance[np.ix_(known, known)], 10 * MANY) if known.any() else math.nan

    def if_known(self) -> Means:
        """Return the same, without the cards of too few pairs to rank them."""
        few = self.pairs < KNOWN_PAIRS
        value, covariance = self.value.copy(), self.covariance.copy()
        value[few], covariance[few], covariance[:, few] = np.nan, np.nan, np.nan
        return Means(value, covariance, self.pairs)


def trial_means(sums: TrialSums, name: str, layer: int = 0) -> Means:
    """Return the means of one outcome, and how those of all cards and blanks vary together.

    The covariance of two means, each a ratio of sums over deals, is the sum over deals of the products of what is above
    the two means, divided by the numbers of pairs of both. Sums are whole numbers and subtracted as such; only the last
    division rounds. Each card is scaled by k / (k - 1), k its pairs.

    Parameters
    ----------
    sums : TrialSums
    name : {"dev", "wins"}
        Margin over the mean of the others in points, or win share.
    layer : int
        0 for all trials, else a phase of the game, from 1.
    """
    unit = float(WHOLE_WIN if name == "wins" else sums.n_players - 1)
    trials, cross = sums.trials[layer], sums.cross[layer]
    told = np.flatnonzero(trials["pairs"] >= LEAST_PAIRS)
    n = len(trials)
    value, covariance = np.full(n, np.nan), np.full((n, n), np.nan)
    value[told] = trials[name][told] / trials["pairs"][told] / unit
    pick = np.ix_(told, told)
    # whole numbers of any size: products of sums may exceed 64 bits
    pairs, total = trials["pairs"][told].astype(object), trials[name][told].astype(object)
    both_deals, part, product = (cross[field][pick].astype(object) for field in ("deals", name, f"{name}_{name}"))
    both = np.multiply.outer(pairs, pairs)
    about_means = (
        both * product
        - np.multiply.outer(pairs, total) * part
        - np.multiply.outer(total, pairs) * part.T
        + np.multiply.outer(total, total) * both_deals
    )
    scale = np.sqrt([k / (k - 1) for k in pairs]) / unit
    covariance[pick] = _semidefinite((about_means / (both * both)).astype(np.float64) * np.outer(scale, scale))
    return Means(value, covariance, trials["pairs"].astype(np.int64))


def _semidefinite(matrix: Floats) -> Floats:
    """Return a symmetric matrix without the eigenvalues that rounding left below zero."""
    matrix = (matrix + matrix.T) / 2
    if not matrix.size:
        return matrix
    values, vectors = np.linalg.eigh(matrix)
    found: Floats = matrix if values[0] >= 0 else (vectors * np.maximum(values, 0.0)) @ vectors.T
    return found


def first_of(means: Means, n_cards: int) -> Means:
    """Return the means of the cards alone, without those of blanks."""
    return Means(means.value[:n_cards], means.covariance[:n_cards, :n_cards], means.pairs[:n_cards])


def over_blank(gifts: Means, cards: CardSet) -> Means:
    """Return by how much a gift of each card is worth more than that of a blank card with the same back."""
    n = len(cards)
    blank = n + np.array([card.back for card in cards], dtype=np.int64)
    covariance = gifts.covariance
    between = covariance[:n, blank]
    found = covariance[:n, :n] - between - between.T + covariance[np.ix_(blank, blank)]
    known = np.isfinite(np.diag(found))
    found[np.ix_(known, known)] = _semidefinite(found[np.ix_(known, known)])
    return Means(gifts.value[:n] - gifts.value[blank], found, np.minimum(gifts.pairs[:n], gifts.pairs[blank]))


def mean_blank(gifts: Means, n_cards: int) -> Estimate:
    """Return what the gift of a blank card is worth, the mean of the backs."""
    known = n_cards + np.flatnonzero(gifts.is_known[n_cards:])
    if not len(known):
        return UNKNOWN
    weights = np.full(len(known), 1 / len(known))
    covariance = gifts.covariance[np.ix_(known, known)]
    mean_of = Means(
        np.array([gifts.value[known].mean()]),
        np.array([[max(float(weights @ covariance @ weights), 0.0)]]),
        np.array([gifts.pairs[known].min()]),
    )
    return mean_of.estimate(0)


def take_columns(sums: TrialSums, margin: Means, win: Means, card: int, layer: int = 0) -> Row:
    """Return what taking a card is worth as columns.

    ``take_pairs``; ``take_margin`` in points, ``take_win`` in win share, ``take_right``: the share of tables at which
    taking it came out better, equal ones counting half; each with its 95 % interval.
    """
    n, better = int(sums.trials["pairs"][layer, card]), int(sums.trials["better"][layer, card])
    # as if all trials of a card in one deal came out alike: too wide rather than too narrow
    alike = int(sums.cross["deals"][layer, card, card]) / max(n, 1)
    right = proportion(better, math.ceil(2 * alike * better), max(int(n / alike), 1), n, 2) if n else UNKNOWN
    return (
        {"take_pairs": n}
        | columns("take_margin", margin.estimate(card))
        | columns("take_win", win.estimate(card))
        | columns("take_right", right)
    )


def gift_columns(sums: TrialSums, margin: Means, win: Means, card: int) -> Row:
    """Return what the gift of a card, or of a blank one, brings as columns.

    ``gift_pairs``; ``gift_margin`` in points and ``gift_win`` in win share, against nothing; ``gift_own`` (own points);
    ``gift_kept`` (share of the games in which it was not flipped); ``gift_points``: its mean points if kept.
    """
    found = sums.trials[0, card]
    pairs, kept = int(found["pairs"]), int(found["kept"])
    row: Row = {"gift_pairs": pairs}
    row |= columns("gift_margin", margin.estimate(card)) | columns("gift_win", win.estimate(card))
    row |= columns("gift_own", mean(int(found["own"]), int(found["own_squared"]), pairs, pairs) if pairs else UNKNOWN)
    row |= columns("gift_kept", proportion(kept, kept, pairs, pairs) if pairs else UNKNOWN)
    return row | {"gift_points": int(found["points"]) / kept if kept else math.nan}
