"""Sums over deals of quantities that have names: what a study counts, added block by block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from salad_sim.jit.typing import Ints
from salad_sim.stats.deal_sums import DealSums
from salad_sim.stats.intervals import Estimate, Z, mean, proportion


@dataclass(frozen=True)
class NamedSums:
    """A `DealSums` whose quantities are found by name.

    Attributes
    ----------
    sums : DealSums
    places : dict of str to slice
        Where the quantities of each name are.
    """

    sums: DealSums
    places: dict[str, slice]

    @classmethod
    def from_deals(cls, deals: Mapping[str, Ints], games_per_deal: int = 1) -> NamedSums:
        """Sum up what each deal counted.

        Parameters
        ----------
        deals : mapping of str to ndarray of int64, shape [n_deals, m]
            Each already summed over the games of its deal; m may differ from name to name.
        games_per_deal : int
        """
        places, start = {}, 0
        for name, values in deals.items():
            places[name] = slice(start, start + values.shape[1])
            start += values.shape[1]
        return cls(DealSums.from_deals(np.concatenate(list(deals.values()), axis=1), games_per_deal), places)

    def __add__(self, other: NamedSums) -> NamedSums:
        if self.places != other.places:
            raise ValueError("only sums of the same quantities add up")
        return NamedSums(self.sums + other.sums, self.places)

    @property
    def n_deals(self) -> int:
        """Deals that were counted."""
        return self.sums.n_deals

    @property
    def n_games(self) -> int:
        """Games of all deals."""
        return self.sums.n_games

    def of(self, *names: str) -> DealSums:
        """Return the sums of the quantities of some names, one after the other."""
        every = np.arange(len(self.sums))
        return self.sums.part([int(index) for name in names for index in every[self.places[name]]])

    def total(self, name: str) -> Ints:
        """Return the totals of a name, shape [m]."""
        found: Ints = self.sums.total[self.places[name]]
        return found

    def means(self, name: str, quantile: float = Z, unit: float = 1) -> list[Estimate]:
        """Estimate the mean of each quantity of a name in a game, divided by ``unit``."""
        part = self.of(name)
        counted = part.n_deals, part.n_games, quantile
        found = [mean(int(part.total[i]), int(part.products[i, i]), *counted) for i in range(len(part))]
        return [Estimate(*(bound / unit for bound in each)) for each in found]

    def rates(self, name: str, quantile: float = Z, whole: int = 1) -> list[Estimate]:
        """Estimate in what share of the games each quantity of a name happens; each interval for itself."""
        part = self.of(name)
        counted = part.n_deals, part.n_games, whole, quantile
        return [proportion(int(part.total[i]), int(part.products[i, i]), *counted) for i in range(len(part))]

    def rate_among(self, name: str, among: str, quantile: float = Z, whole: int = 1) -> Estimate:
        """Estimate in what share of those games that have one thing another happens too.

        Wilson's interval, the deal being the unit: the residuals of the ratio vary between deals. Deals that have
        more of such games than others count for fewer deals of equal size (Kish's effective number).

        Parameters
        ----------
        name, among : str
            What happens, in parts of ``whole``, and which games count: single quantities.
        quantile : float
            Half-width in standard errors.

        Returns
        -------
        Estimate
            NaN if there is no such game.

        References
        ----------
        Cochran, Sampling Techniques (1977), section 6.3 (variance of a ratio); Kish, Survey Sampling (1965), section
        11.7 (effective number).
        """
        both = self.of(name, among).combine([[1, 0], [0, whole]])
        happened, counted = (int(each) for each in both.total)
        if counted == 0:
            return Estimate(float("nan"), float("nan"), float("nan"))
        n_games, share = counted // whole, happened / counted
        # as many deals with equal numbers of such games: what the games of a deal have in common is not lost
        n_deals = counted * counted // int(both.products[1, 1])
        residual = float(both.products[0, 0] - 2 * share * both.products[0, 1] + share**2 * both.products[1, 1])
        squares = round(residual + happened * happened / n_deals)
        return proportion(happened, squares, n_deals, n_games, whole, quantile)
