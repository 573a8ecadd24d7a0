"""Sums and products of some quantities over deals: all that intervals need, in integers that add exactly.

A quantity is counted once a deal, over all games of it: the wins of a seat in sixtieths, say. The deal is the unit of
every interval, see `statistics`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
import numpy.typing as npt

from salad_sim.jit.typing import Floats, Ints
from salad_sim.stats.intervals import Estimate, mean

WHOLE = 60
"""What a whole share counts where shares are summed: equal shares of 1 to 6 are whole numbers of sixtieths."""

EXACT = 2**53
"""Integers below it are exact as floats, whose products are much faster."""

MOST = 2**63 - 1


@dataclass(frozen=True)
class DealSums:
    """Sums over deals of k quantities, and of their products.

    Attributes
    ----------
    n_deals : int
        At least 1.
    games_per_deal : int
        Games of each deal, at least 1.
    total : ndarray of int64, shape [k]
        Sum over deals.
    products : ndarray of int64, shape [k, k]
        Sum over deals of the product of two quantities of the same deal.
    """

    n_deals: int
    games_per_deal: int
    total: Ints
    products: Ints

    def __post_init__(self) -> None:
        k = len(self.total)
        if self.n_deals < 1 or self.games_per_deal < 1 or self.products.shape != (k, k):
            raise ValueError(
                f"sums need a deal, a game and {k} x {k} products, not {self.n_deals} deals of {self.games_per_deal} "
                f"games and products of shape {self.products.shape}"
            )

    @classmethod
    def from_deals(cls, deals: npt.ArrayLike, games_per_deal: int = 1) -> DealSums:
        """Sum up what each deal counted.

        Parameters
        ----------
        deals : array of int, shape [n_deals, k]
            Each already summed over the games of its deal.
        games_per_deal : int

        Raises
        ------
        ValueError
            If they are not whole numbers of at least one deal, or their products might not fit into 64 bits.
        """
        values = np.asarray(deals)
        if values.ndim != 2 or len(values) == 0 or not np.issubdtype(values.dtype, np.integer):
            raise ValueError(f"deals are whole numbers of shape [n_deals, k], not {values.dtype} of {values.shape}")
        values = values.astype(np.int64)
        largest = max(abs(int(values.max(initial=0))), abs(int(values.min(initial=0))))
        bound = largest * largest * len(values)
        if bound > MOST:
            raise ValueError(f"products of {len(values)} deals up to {largest} do not fit into 64 bits")
        if bound < EXACT:
            floats = values.astype(np.float64)
            products = (floats.T @ floats).astype(np.int64)
        else:
            products = values.T @ values
        return cls(len(values), games_per_deal, values.sum(axis=0), products)

    def __add__(self, other: DealSums) -> DealSums:
        if (self.games_per_deal, len(self.total)) != (other.games_per_deal, len(other.total)):
            raise ValueError("only sums of the same quantities over deals of as many games add up")
        return DealSums(
            self.n_deals + other.n_deals,
            self.games_per_deal,
            self.total + other.total,
            self.products + other.products,
        )

    def __len__(self) -> int:
        return len(self.total)

    @property
    def n_games(self) -> int:
        """Games of all deals."""
        return self.n_deals * self.games_per_deal

    @property
    def means(self) -> Floats:
        """Mean of each quantity in a game, shape [k]."""
        found: Floats = self.total / self.n_games
        return found

    def combine(self, weights: npt.ArrayLike) -> DealSums:
        """Return the sums of whole-numbered combinations of the quantities, exactly.

        Parameters
        ----------
        weights : array of int, shape [n_new, k]
            One row for each new quantity: [[1, -1]] is the difference of two.
        """
        matrix = np.asarray(weights, dtype=np.int64)
        return DealSums(self.n_deals, self.games_per_deal, matrix @ self.total, matrix @ self.products @ matrix.T)

    def part(self, which: slice | list[int]) -> DealSums:
        """Return the sums of some of the quantities."""
        return DealSums(self.n_deals, self.games_per_deal, self.total[which], self.products[which][:, which])

    def scatter(self) -> Floats:
        """Return the sums over deals of products of deviations from the mean, shape [k, k].

        They are exact before the last rounding: what does not vary has exactly 0.
        """
        total = self.total.astype(object)
        centred = self.n_deals * self.products.astype(object) - np.outer(total, total)
        return np.asarray(centred / self.n_deals, dtype=np.float64)

    def covariance(self) -> Floats:
        """Return the covariance matrix of `means`, between deals, shape [k, k]; zeros for a single deal."""
        n = self.n_deals
        found: Floats = self.scatter() / (n * max(n - 1, 1)) / self.games_per_deal**2
        return found

    def mean(self, index: int, unit: float = 1) -> Estimate:
        """Return the mean of a quantity in a game, divided by ``unit``, with its t interval between deals."""
        total, squares = int(self.total[index]), int(self.products[index, index])
        return Estimate(*(bound / unit for bound in mean(total, squares, self.n_deals, self.n_games)))


def add_up(blocks: Iterable[DealSums]) -> DealSums:
    """Return the sums of all blocks together; there must be one."""
    return reduce(add, blocks)
