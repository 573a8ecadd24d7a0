"""How seat and strategy interact: win shares by strategy and seat, and whether a seat is worth the same to all."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm, nan

import numpy as np

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Floats, Ints
from salad_sim.stats.finishing_orders import Finishes
from salad_sim.stats.intervals import Estimate, mean, proportion

BLOCK_DEALS = 5_000
"""Deals whose numbers are spread out over all strategies and seats at a time."""

SMALLEST = 1e-9
"""Directions whose variance is below this part of the largest are fixed by the design: no game can tell them."""


@dataclass(frozen=True)
class Interaction:
    """A test of whether the seat matters as much to one strategy as to another.

    Attributes
    ----------
    statistic : float
        Hotelling's T squared, scaled to an F statistic; NaN where the games cannot tell.
    numerator, denominator : int
        Its degrees of freedom.
    p_value : float
        Of the hypothesis that every seat moves the win share of all strategies alike.
    """

    statistic: float
    numerator: int
    denominator: int
    p_value: float


@dataclass(frozen=True)
class SeatSums:
    """Wins by strategy and seat, summed by deal.

    A deal counts, for each strategy in it, what one of its places won at each seat, on average over its places.

    Attributes
    ----------
    total : ndarray of int64, shape [n_strategies, n_seats]
        In units of 1 / ``whole`` wins.
    products : ndarray of int64, shape [n_strategies * n_seats, n_strategies * n_seats]
        Sums over deals of the products.
    scores, score_squares : ndarray of int64, shape [n_strategies]
        Sum over deals of the points of all rotations, and of its square; in units of 1 / ``score_unit`` points.
    deals : ndarray of int64, shape [n_strategies]
    shared : ndarray of int64, shape [n_strategies, n_strategies]
        Deals in which both sit.
    with_deals : ndarray of int64, shape [n_strategies * n_seats, n_strategies]
        Sums of the wins of a strategy at a seat over the deals in which another one sits.
    whole : int
        What a whole win counts.
    score_unit : int
        What a point counts.
    """

    total: Ints
    products: Ints
    scores: Ints
    score_squares: Ints
    deals: Ints
    shared: Ints
    with_deals: Ints
    whole: int
    score_unit: int

    def win_share(self, strategy: int) -> Estimate:
        """Return the win share of a strategy over all seats; NaN without a game."""
        n_seats = self.total.shape[1]
        squares = self._square(strategy, np.ones(n_seats, dtype=np.int64))
        n_deals = int(self.deals[strategy])
        if n_deals == 0:
            return Estimate(nan, nan, nan)
        return proportion(int(self.total[strategy].sum()), squares, n_deals, n_deals * n_seats, self.whole)

    def at_seat(self, strategy: int, seat: int) -> Estimate:
        """Return the win share of a strategy at a seat; NaN without a game."""
        n_deals = int(self.deals[strategy])
        if n_deals == 0:
            return Estimate(nan, nan, nan)
        only = np.zeros(self.total.shape[1], dtype=np.int64)
        only[seat] = 1
        total = int(self.total[strategy, seat])
        return proportion(total, self._square(strategy, only), n_deals, n_deals, self.whole)

    def mean_score(self, strategy: int) -> Estimate:
        """Return the mean points of a strategy in a game; NaN without a game."""
        n_deals = int(self.deals[strategy])
        if n_deals == 0:
            return Estimate(nan, nan, nan)
        n_games = n_deals * self.total.shape[1]
        found = mean(int(self.scores[strategy]), int(self.score_squares[strategy]), n_deals, n_games)
        return Estimate(*(bound / self.score_unit for bound in found))

    def effect(self, strategy: int, seat: int) -> Estimate:
        """Return the win share at a seat minus the mean over all seats; NaN without a game."""
        n_seats, n_deals = self.total.shape[1], int(self.deals[strategy])
        if n_deals == 0:
            return Estimate(nan, nan, nan)
        contrast = np.full(n_seats, -1, dtype=np.int64)
        contrast[seat] += n_seats
        total = int(contrast @ self.total[strategy])
        found = mean(total, self._square(strategy, contrast), n_deals, n_deals)
        return Estimate(*(bound / (n_seats * self.whole) for bound in found))

    def _square(self, strategy: int, contrast: Ints) -> int:
        """Return the sum over deals of the square of a combination of the seats."""
        n_seats = self.total.shape[1]
        part = slice(strategy * n_seats, (strategy + 1) * n_seats)
        return int(contrast @ self.products[part, part] @ contrast)


def sum_seats(finishes: Finishes) -> SeatSums:
    """Sum up what every strategy won at every seat."""
    n_strategies, n_players = finishes.n_strategies, finishes.n_players
    size = n_strategies * n_players
    multiple = _places_multiple(finishes)
    total, products = np.zeros(size, dtype=np.int64), np.zeros((size, size), dtype=np.int64)
    scores, score_squares = np.zeros((2, n_strategies), dtype=np.int64)
    shared, with_deals = np.zeros((n_strategies, n_strategies), dtype=np.int64), np.zeros((size, n_strategies))
    for start in range(0, finishes.n_deals, BLOCK_DEALS):
        wins, points, present = _spread_out(finishes, slice(start, start + BLOCK_DEALS), multiple)
        # products of floats are exact here, far below 2**53, and much faster than those of integers
        flat, there = wins.reshape(len(wins), size).astype(np.float64), present.astype(np.float64)
        total += flat.sum(axis=0).astype(np.int64)
        products += (flat.T @ flat).astype(np.int64)
        scores += points.sum(axis=0)
        score_squares += (points * points).sum(axis=0)
        shared += (there.T @ there).astype(np.int64)
        with_deals += flat.T @ there
    return SeatSums(
        total=total.reshape(n_strategies, n_players),
        products=products,
        scores=scores,
        score_squares=score_squares,
        deals=np.diag(shared).copy(),
        shared=shared,
        with_deals=with_deals.astype(np.int64),
        whole=WHOLE_WIN * multiple,
        score_unit=multiple,
    )


def _places_multiple(finishes: Finishes) -> int:
    """Return a number that the places of any strategy divide, in every line-up."""
    numbers = {int(places) for seating in finishes.seatings[0] for places in np.unique(seating, return_counts=True)[1]}
    return lcm(*numbers)


def _spread_out(finishes: Finishes, part: slice, multiple: int) -> tuple[Ints, Ints, Ints]:
    """Return wins by deal, strategy and seat; points by deal and strategy; and who sits in each deal (0 or 1).

    Wins and points are ``multiple`` times the mean over the places of a strategy.
    """
    who, wins = finishes.who[part], finishes.wins[part].astype(np.int64)
    points_of_place = finishes.scores[part].astype(np.int64).sum(axis=1)
    n_deals, n_players = who.shape
    by_seat = np.zeros((n_deals, finishes.n_strategies, n_players), dtype=np.int64)
    points, places = np.zeros((2, n_deals, finishes.n_strategies), dtype=np.int64)
    rows = np.arange(n_deals)
    for place in range(n_players):
        strategy = who[:, place]
        places[rows, strategy] += 1
        points[rows, strategy] += points_of_place[:, place]
        for seat in range(n_players):
            by_seat[rows, strategy, seat] += wins[:, (seat - place) % n_players, place]
    weight = multiple // np.maximum(places, 1)
    return by_seat * weight[:, :, None], points * weight, np.minimum(places, 1)


def check_interaction(sums: SeatSums) -> Interaction:
    """Test whether the seats move the win shares of all strategies alike.

    A Wald test of all interactions at once, with the covariance between deals; as few deals make it too eager it is
    taken for Hotelling's T squared of as many deals as the strategy with the fewest has.

    References
    ----------
    Hotelling, The generalization of Student's ratio, Annals of Mathematical Statistics 2 (1931) 360-378.
    """
    played = np.flatnonzero(sums.deals)
    n_seats = sums.total.shape[1]
    means = (sums.total[played] / sums.deals[played, None]).ravel()
    both = np.kron(_centring(len(played)), _centring(n_seats))
    covariance = both @ _covariance(sums, played) @ both
    contrast = both @ means
    values, vectors = np.linalg.eigh(covariance)
    told = values > SMALLEST * max(float(np.diag(_covariance(sums, played)).max()), 1e-300)
    numerator = int(told.sum())
    denominator = int(sums.deals[played].min()) - numerator
    if numerator == 0 or denominator < 1:
        return Interaction(nan, numerator, max(denominator, 0), nan)
    from scipy.special import fdtrc

    squared = float((((vectors[:, told].T @ contrast) ** 2) / values[told]).sum())
    n_deals = denominator + numerator
    statistic = squared * denominator / (numerator * (n_deals - 1))
    return Interaction(statistic, numerator, denominator, float(fdtrc(numerator, denominator, statistic)))


def _centring(size: int) -> Floats:
    return np.eye(size) - 1 / size


def _covariance(sums: SeatSums, played: Ints) -> Floats:
    """Return the covariance of the mean wins by strategy and seat, deals being the clusters."""
    n_seats = sums.total.shape[1]
    index = (played[:, None] * n_seats + np.arange(n_seats)).ravel()
    owner = np.repeat(played, n_seats)
    n_deals = sums.deals[owner].astype(np.float64)
    means = sums.total.ravel()[index] / n_deals
    mixed = sums.with_deals[np.ix_(index, owner)] * means[None, :]
    products = (
        sums.products[np.ix_(index, index)]
        - mixed
        - mixed.T
        + sums.shared[np.ix_(owner, owner)] * np.outer(means, means)
    )
    found: Floats = products / np.outer(n_deals, n_deals) * (n_deals / np.maximum(n_deals - 1, 1))[:, None]
    return (found + found.T) / 2
