"""The cross-table: every strategy against every other one; and cycles, where A beats B, B beats C and C beats A."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import lcm, nan

import numpy as np

from salad_sim.jit.typing import Ints
from salad_sim.stats.finishing_orders import Finishes
from salad_sim.stats.intervals import Estimate, likelihood_above, proportion
from salad_sim.stats.plackett_luce import holm

HALF = 0.5
BLOCK_DEALS = 20_000
"""Deals whose numbers are spread out over all strategies at a time."""


@dataclass(frozen=True)
class Cross:
    """Who finished above whom, summed by deal.

    Attributes
    ----------
    total, squares : ndarray of int64, shape [n_strategies, n_strategies]
        Sum over the deals in which both sit of how often the row finished above the column, and of its square; in units
        of 1 / ``whole`` games. Where a strategy has several places, all pairs of places of a game count alike.
    deals : ndarray of int64, shape [n_strategies, n_strategies]
        Deals in which both sit.
    n_rotations : int
        Games of a deal.
    whole : int
        What a game counts.
    """

    total: Ints
    squares: Ints
    deals: Ints
    n_rotations: int
    whole: int

    def share(self, row: int, column: int) -> Estimate:
        """Return the share of games in which ``row`` finished above ``column``; ties are halves; NaN without a game."""
        sums = self._sums(row, column)
        return Estimate(nan, nan, nan) if sums is None else proportion(*sums, whole=self.whole)

    def superiority(self, row: int, column: int) -> float:
        """Return how likely the share is above one half; one minus it is the one-sided p-value that it is not."""
        sums = self._sums(row, column)
        return HALF if sums is None else likelihood_above(HALF, *sums, whole=self.whole)

    def _sums(self, row: int, column: int) -> tuple[int, int, int, int] | None:
        n_deals = int(self.deals[row, column])
        if row == column or n_deals == 0:
            return None
        total, squares = int(self.total[row, column]), int(self.squares[row, column])
        return total, squares, n_deals, n_deals * self.n_rotations


@dataclass(frozen=True)
class Cycle:
    """Three strategies of which each finished above the next, and the last above the first.

    Attributes
    ----------
    strategies : tuple of int
        In this order; the best rated is not necessarily the first.
    shares : tuple of Estimate
        Of the first against the second, the second against the third, and the third against the first.
    p_value : float
        Of the hypothesis that at least one of the three does not hold: the largest of the three one-sided p-values, as
        in an intersection-union test.
    p_holm : float
        Corrected for the number of triples.
    """

    strategies: tuple[int, int, int]
    shares: tuple[Estimate, Estimate, Estimate]
    p_value: float
    p_holm: float


def cross_table(finishes: Finishes) -> Cross:
    """Sum up who finished above whom."""
    size = finishes.n_strategies
    sums = np.zeros((3, size * size), dtype=np.int64)
    multiple = _meetings_multiple(finishes)
    for start in range(0, finishes.n_deals, BLOCK_DEALS):
        part = slice(start, start + BLOCK_DEALS)
        keys, meetings, halves = _duels(finishes, part)
        counts = halves * (multiple // meetings)
        for row, weights in zip(sums, (counts, counts * counts, np.ones_like(counts)), strict=True):
            np.add.at(row, keys, weights)
    total, squares, deals = sums.reshape(3, size, size)
    return Cross(total, squares, deals, n_rotations=finishes.wins.shape[1], whole=2 * multiple)


def _meetings_multiple(finishes: Finishes) -> int:
    """Return a number that the pairs of places of any two strategies divide, in every line-up."""
    numbers = {1}
    for seating in finishes.seatings[0]:
        _, places = np.unique(seating, return_counts=True)
        numbers |= {int(one * other) for one, other in combinations(places, 2)}
    return lcm(*numbers)


def _duels(finishes: Finishes, part: slice) -> tuple[Ints, Ints, Ints]:
    """Return, for each deal and ordered pair of strategies in it: the pair, its pairs of places, and its half games."""
    who, above = finishes.who[part], finishes.above[part]
    size, n_players = finishes.n_strategies, finishes.n_players
    deals = np.arange(len(who), dtype=np.int64)
    keys, halves = [], []
    for one in range(n_players):
        for other in range(n_players):
            if one != other:
                first, second = above[:, :, one], above[:, :, other]
                keys.append((deals * size + who[:, one]) * size + who[:, other])
                halves.append((2 * (first < second) + (first == second)).sum(axis=1))
    pairs, where = np.unique(np.concatenate(keys), return_inverse=True)
    meetings = np.bincount(where)
    won = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(won, where, np.concatenate(halves))
    different = pairs // size % size != pairs % size
    return pairs[different] % (size * size), meetings[different], won[different]


def find_cycles(cross: Cross) -> list[Cycle]:
    """Return the cycles of three among the shares of the cross-table, the most certain first.

    A cycle is claimed only if each of its three links is: Berger, Multiparameter hypothesis testing and acceptance
    sampling, Technometrics 24 (1982) 295-300 (intersection-union test). All triples are looked at, so p-values are
    corrected for their number (Holm).
    """
    n_strategies = len(cross.total)
    triples = list(combinations(range(n_strategies), 3))
    above = np.array([[cross.superiority(a, b) for b in range(n_strategies)] for a in range(n_strategies)])
    found = []
    p_values = np.ones(len(triples))
    for number, (a, b, c) in enumerate(triples):
        for around in ((a, b, c), (a, c, b)):
            links = [(around[0], around[1]), (around[1], around[2]), (around[2], around[0])]
            if all(above[link] > HALF for link in links):
                p_values[number] = 1 - min(above[link] for link in links)
                found.append((number, around, links))
    corrected = holm(p_values)
    cycles = [
        Cycle(
            around,
            tuple(cross.share(*link) for link in links),  # type: ignore[arg-type]
            float(p_values[number]),
            float(corrected[number]),
        )
        for number, around, links in found
    ]
    return sorted(cycles, key=lambda cycle: (cycle.p_value, cycle.strategies))
