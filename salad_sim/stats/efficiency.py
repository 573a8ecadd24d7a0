"""What a way of spending games is worth: the variance for each game of one design over that of another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from salad_sim.jit.typing import Floats
from salad_sim.stats.deal_sums import DealSums
from salad_sim.stats.intervals import student


@dataclass(frozen=True)
class Factor:
    """How many times as many games the plain design needs for the same precision.

    Attributes
    ----------
    value : float
        Variance for each game of the plain design over that of the other; 1 if neither varies, infinite if only the
        plain one does.
    low, high : float
        95 % interval; 0 and infinite where there are too few blocks to tell.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class BlockMoments:
    """Sums by block of k quantities and of their products, as floats.

    Attributes
    ----------
    n_deals : ndarray of float64, shape [n_blocks]
    total : ndarray of float64, shape [n_blocks, k]
    products : ndarray of float64, shape [n_blocks, k, k]
        About zero.
    games_per_deal : int
    """

    n_deals: Floats
    total: Floats
    products: Floats
    games_per_deal: int

    @classmethod
    def of(cls, blocks: Sequence[DealSums]) -> BlockMoments:
        """Return the moments of all quantities."""
        return cls.of_residuals(blocks, np.zeros((1, 0, len(blocks[0]))), len(blocks[0]), 1)

    @classmethod
    def of_residuals(cls, blocks: Sequence[DealSums], slopes: Floats, n_outcomes: int, unit: float) -> BlockMoments:
        """Return the moments of the first quantities less slopes times the rest.

        Parameters
        ----------
        blocks : sequence of DealSums
        slopes : ndarray of float64, shape [n_folds, m, k]
            Block b has those of fold b modulo n_folds.
        n_outcomes : int
            k; the m quantities after them are the controls.
        unit : float
            What they are divided by.
        """
        weights = [np.hstack([np.eye(n_outcomes), -fold.T]) / unit for fold in slopes]
        of_block = [weights[number % len(weights)] for number in range(len(blocks))]
        return cls(
            np.array([block.n_deals for block in blocks], dtype=np.float64),
            np.array([w @ block.total for w, block in zip(of_block, blocks, strict=True)]),
            np.array([w @ block.products @ w.T for w, block in zip(of_block, blocks, strict=True)]),
            blocks[0].games_per_deal,
        )

    def only(self, index: int) -> BlockMoments:
        """Return the moments of one quantity."""
        part = slice(index, index + 1)
        return BlockMoments(self.n_deals, self.total[:, part], self.products[:, part, part], self.games_per_deal)

    def combine(self, weights: Floats) -> BlockMoments:
        """Return the moments of combinations of the quantities, one a row of ``weights``."""
        return BlockMoments(
            self.n_deals, self.total @ weights.T, weights @ self.products @ weights.T, self.games_per_deal
        )

    def covariance(self) -> Floats:
        """Return the covariance between the deals of all blocks, shape [k, k]."""
        n, total = self.n_deals.sum(), self.total.sum(axis=0)
        found: Floats = (self.products.sum(axis=0) - np.outer(total, total) / n) / max(n - 1, 1)
        # rounding must not leave a variance where there is none
        small = 1e-13 * np.abs(np.diag(self.products.sum(axis=0))) / max(n - 1, 1)
        found[np.diag(found) <= small, :] = 0
        found[:, np.diag(found) == 0] = 0
        return found

    def variances(self) -> Floats:
        """Return the sum over quantities of the variance for each game: of all blocks, then without each in turn."""
        squares = np.trace(self.products, axis1=1, axis2=2)
        n = np.append(0, self.n_deals)
        total = np.vstack([np.zeros((1, self.total.shape[1])), self.total])
        n_left = n.sum() - n
        total_left = total.sum(axis=0) - total
        squares_left = squares.sum() - np.append(0, squares)
        about_mean = squares_left - (total_left**2).sum(axis=1) / np.maximum(n_left, 1)
        about_mean[about_mean <= 1e-13 * squares_left] = 0
        found: Floats = about_mean / np.maximum(n_left - 1, 1) * self.games_per_deal
        return found


def variance_factor(plain: Sequence[DealSums], other: Sequence[DealSums]) -> Factor:
    """Compare two ways to estimate the same means: the variance for each game of ``plain`` over that of ``other``.

    The variance is that of the means of all quantities together, times the number of games. Each design has blocks of
    its own; if both have as many, those of one number may be of the same deals.

    Parameters
    ----------
    plain, other : sequence of DealSums
        Blocks of disjoint deals, of about equal size, of the same quantities.

    See Also
    --------
    ratio_of : the interval.
    """
    return ratio_of(_per_game(BlockMoments.of(plain)), _per_game(BlockMoments.of(other)))


def _per_game(moments: BlockMoments) -> BlockMoments:
    games = moments.games_per_deal
    return moments.combine(np.eye(moments.total.shape[1]) / games)


def pairing_factor(blocks: Sequence[DealSums]) -> Factor:
    """Return what it is worth to compare two conditions on the same deals instead of each on deals of its own.

    Parameters
    ----------
    blocks : sequence of DealSums
        Of 2k quantities: k under the first condition, then k under the second.

    Returns
    -------
    Factor
        Variance of the differences if the conditions were independent, over the variance of the paired differences.
    """
    k = len(blocks[0]) // 2
    both = BlockMoments.of(blocks)
    return ratio_of(both, both.combine(np.hstack([-np.eye(k), np.eye(k)])))


def ratio_of(plain: BlockMoments, other: BlockMoments) -> Factor:
    """Return the ratio of two variances with its interval: jackknife of its logarithm, leaving out block by block.

    Blocks of one number are left out together, so designs that were played on the same deals keep their correlation;
    for designs with different numbers of blocks the two parts of the variance are added.

    References
    ----------
    Miller, The jackknife - a review, Biometrika 61 (1974) 1-15 (of the logarithm of a variance).
    """
    a, b = plain.variances(), other.variances()
    if a[0] == 0 or b[0] == 0:
        value = 1.0 if a[0] == b[0] else math.inf if b[0] == 0 else 0.0
        return Factor(value, 0.0, math.inf)
    value = float(a[0] / b[0])
    fewest = min(len(a), len(b)) - 1
    if fewest < 2 or a.min() <= 0 or b.min() <= 0:
        return Factor(value, 0.0, math.inf)
    if len(a) == len(b):
        squared = _jackknife(np.log(a[1:]) - np.log(b[1:]))
    else:
        squared = _jackknife(np.log(a[1:])) + _jackknife(np.log(b[1:]))
    half = student(fewest - 1) * math.sqrt(squared)
    return Factor(value, value * math.exp(-half), value * math.exp(half))


def _jackknife(without: Floats) -> float:
    """Return the variance of an estimate from its values without each block."""
    n = len(without)
    return float(((without - without.mean()) ** 2).sum() * (n - 1) / n)
