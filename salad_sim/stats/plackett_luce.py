"""Ratings: the Plackett-Luce model of finishing orders, its fit, and how sure the ratings and the ranking are.

Each strategy has a strength; of those who are left in a game, each finishes next with a chance proportional to its
strength. With two players this is the Bradley-Terry model behind Elo ratings. Source: Luce, Individual Choice Behavior
(1959); Plackett, The analysis of permutations, Applied Statistics 24 (1975) 193-202.

The likelihood knows the games only by how often who was first of which set, so a few thousand numbers stand for any
number of games. It is maximised by iterated Luce spectral ranking: Maystre and Grossglauser, Fast and accurate
inference of Plackett-Luce models, NIPS 28 (2015) 172-180. Each step is one of `choix`.

Regularisation: each strategy has played one more deal against a phantom of average strength, of which half was won and
half was lost. So the rating of one that has won everything is finite, and so is its interval.

Errors: the games of a deal are a cluster. With H the information and g the gradient of a deal, the covariance is
H^-1 (sum of g g') H^-1, which holds also where the model is only an approximation: White, Maximum likelihood estimation
of misspecified models, Econometrica 50 (1982) 1-25; Cameron and Miller, A practitioner's guide to cluster-robust
inference, J. Human Resources 50 (2015) 317-372.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from salad_sim.jit.typing import Floats, Ints
from salad_sim.stats.finishing_orders import Finishes, choices_of
from salad_sim.stats.intervals import LEVEL

PHANTOM_DEALS = 1.0
"""Deals that each strategy is taken to have played against the phantom."""

PRECISION = 1e-10
MOST_STEPS = 10_000


@dataclass(frozen=True)
class Choices:
    """How often who finished first of whom.

    Attributes
    ----------
    members : ndarray of int64, shape [n_sets, n_players]
        The strategies in each place of a table.
    present : ndarray of bool, shape [n_sets, n_players]
        Which of these places are in the set.
    first : ndarray of float64, shape [n_sets, n_players]
        How often this place finished first of the set; the order of ties counts in parts.
    """

    members: Ints
    present: npt.NDArray[np.bool_]
    first: Floats


@dataclass(frozen=True)
class Ratings:
    """Fitted ratings.

    Attributes
    ----------
    strength : ndarray of float64, shape [n_strategies]
        Logarithms of the strengths; their mean is 0.
    covariance : ndarray of float64, shape [n_strategies, n_strategies]
        Of these, deals being the clusters.
    deals : ndarray of int64, shape [n_strategies]
        Deals that each strategy played.
    """

    strength: Floats
    covariance: Floats
    deals: Ints

    def difference(self, one: int, other: int) -> tuple[float, float, int]:
        """Return by how much ``one`` is above ``other``, the standard error, and the degrees of freedom."""
        variance = self.covariance[one, one] + self.covariance[other, other] - 2 * self.covariance[one, other]
        freedom = max(int(min(self.deals[one], self.deals[other])) - 1, 1)
        return float(self.strength[one] - self.strength[other]), float(np.sqrt(max(variance, 0.0))), freedom

    def superiority(self, one: int, other: int) -> float:
        """Return how likely ``one`` is stronger than ``other``: Student's probability of the difference; in [0, 1].

        One minus it is the one-sided p-value of the hypothesis that it is not.
        """
        from scipy.special import stdtr

        value, error, freedom = self.difference(one, other)
        return float(stdtr(freedom, value / error)) if error > 0 else 0.5


def count_choices(finishes: Finishes) -> Choices:
    """Count who finished first of whom."""
    orders, order_of = finishes.orders
    seatings, seating_of = finishes.seatings
    n_players = finishes.n_players
    games = np.zeros((len(seatings), len(orders)))
    np.add.at(games, (seating_of[:, None], order_of), 1)
    parts = np.array([choices_of(each) for each in orders]).reshape(len(orders), -1)
    first = (games @ parts).reshape(-1, n_players)
    sets = np.arange(2**n_players)[:, None] >> np.arange(n_players) & 1 == 1
    seen = first.any(axis=1)
    return Choices(
        members=np.repeat(seatings, len(sets), axis=0)[seen],
        present=np.tile(sets, (len(seatings), 1))[seen],
        first=first[seen],
    )


def fit(choices: Choices, n_strategies: int, phantom_games: float) -> Floats:
    """Return the logarithms of the most likely strengths, that of the phantom being the last.

    Parameters
    ----------
    choices : Choices
    n_strategies : int
    phantom_games : float
        Games of each strategy against the phantom, half of them won; above 0.

    Raises
    ------
    ArithmeticError
        If it does not converge, which is not known to happen.
    """
    from choix import lsr_pairwise_dense

    n_items = n_strategies + 1
    size = n_items * n_items
    # a pair of places in a set: the first one is who finished first of it, the other one is beaten
    pairs = choices.present[:, :, None] & choices.present[:, None, :]
    rows, winners, losers = np.nonzero(pairs & (choices.first[:, :, None] > 0))
    weights = choices.first[rows, winners]
    winners, losers = choices.members[rows, winners], choices.members[rows, losers]
    strength = np.zeros(n_items)
    for _ in range(MOST_STEPS):
        worth = np.exp(strength)
        of_set = np.where(choices.present, worth[choices.members], 0).sum(axis=1)
        # a step for pairs divides by the worth of the two; one for sets must divide by the worth of the whole set
        flow = weights * (worth[winners] + worth[losers]) / of_set[rows]
        beaten: Floats = (
            np.bincount(winners * n_items + losers, flow, size).astype(np.float64).reshape(n_items, n_items)
        )
        np.fill_diagonal(beaten, 0)
        beaten[:-1, -1] += phantom_games / 2
        beaten[-1, :-1] += phantom_games / 2
        before, strength = strength, lsr_pairwise_dense(beaten, initial_params=strength)
        if np.abs(strength - before).max() < PRECISION:
            found: Floats = strength - strength[:-1].mean()
            return found
    raise ArithmeticError(f"the ratings do not converge in {MOST_STEPS} steps")


def information(choices: Choices, strength: Floats, phantom_games: float) -> Floats:
    """Return the information: minus the second derivatives of the log-likelihood, the phantom being the last."""
    n_items = len(strength)
    worth = np.where(choices.present, np.exp(strength)[choices.members], 0)
    chance = worth / worth.sum(axis=1, keepdims=True)
    times = choices.first.sum(axis=1)
    products = times[:, None, None] * chance[:, :, None] * chance[:, None, :]
    keys = choices.members[:, :, None] * n_items + choices.members[:, None, :]
    found: Floats = (
        -np.bincount(keys.ravel(), products.ravel(), n_items**2).astype(np.float64).reshape(n_items, n_items)
    )
    found[np.diag_indices(n_items)] += np.bincount(choices.members.ravel(), (times[:, None] * chance).ravel(), n_items)
    for item, chance_to_win in enumerate(_against_phantom(strength)):
        weight = phantom_games * chance_to_win * (1 - chance_to_win)
        found[np.ix_([item, -1], [item, -1])] += weight * np.array([[1, -1], [-1, 1]])
    return found


def _against_phantom(strength: Floats) -> Floats:
    """Return the chance of each strategy to finish above the phantom."""
    chances: Floats = 1 / (1 + np.exp(strength[-1] - strength[:-1]))
    return chances


def deal_gradients(finishes: Finishes, strength: Floats) -> Floats:
    """Return the gradient of each deal's log-likelihood by place of its line-up, shape [n_deals, n_players]."""
    orders, order_of = finishes.orders
    seatings, seating_of = finishes.seatings
    n_players = finishes.n_players
    sets = (np.arange(2**n_players)[:, None] >> np.arange(n_players) & 1).astype(float)
    parts = np.array([choices_of(each) for each in orders])
    firsts, times = parts.sum(axis=1), parts.sum(axis=2)
    found = np.zeros((finishes.n_deals, n_players))
    for number, seating in enumerate(seatings):
        worth = np.exp(strength[seating])
        deals = np.flatnonzero(seating_of == number)
        seen, which = np.unique(order_of[deals], return_inverse=True)
        of_set = np.maximum(sets @ worth, worth.min())  # the empty set is never left
        by_order = firsts[seen] - (times[seen] / of_set) @ sets * worth
        found[deals] = by_order[which.reshape(len(deals), -1)].sum(axis=1)
    return found


def _scatter(finishes: Finishes, gradients: Floats, n_items: int) -> Floats:
    """Return the sum over deals of g g', by strategy."""
    found = np.zeros(n_items * n_items)
    for one in range(finishes.n_players):
        for other in range(finishes.n_players):
            keys = finishes.who[:, one] * n_items + finishes.who[:, other]
            found += np.bincount(keys, gradients[:, one] * gradients[:, other], n_items * n_items)
    return found.reshape(n_items, n_items)


def rate(finishes: Finishes) -> Ratings:
    """Fit the ratings of a league.

    Parameters
    ----------
    finishes : Finishes
        At least one deal.
    """
    n_strategies = finishes.n_strategies
    n_items = n_strategies + 1
    phantom_games = PHANTOM_DEALS * finishes.wins.shape[1]
    choices = count_choices(finishes)
    strength = fit(choices, n_strategies, phantom_games)
    spread = _scatter(finishes, deal_gradients(finishes, strength), n_items)
    spread *= finishes.n_deals / max(finishes.n_deals - 1, 1)
    for item, chance in enumerate(_against_phantom(strength)):
        # half a deal of which every game was won, and half a deal of which every game was lost
        square = phantom_games**2 / PHANTOM_DEALS * (chance**2 + (1 - chance) ** 2) / 2
        spread[np.ix_([item, -1], [item, -1])] += square * np.array([[1, -1], [-1, 1]])
    inverse = np.linalg.pinv(information(choices, strength, phantom_games), hermitian=True)
    centred = np.eye(n_strategies, n_items) - np.append(np.full(n_strategies, 1 / n_strategies), 0)
    half = centred @ inverse
    return Ratings(
        strength=strength[:-1],
        covariance=half @ spread @ half.T,
        deals=deals_of_each(finishes),
    )


def deals_of_each(finishes: Finishes) -> Ints:
    """Return how many deals each strategy played."""
    seatings, seating_of = finishes.seatings
    found = np.zeros(finishes.n_strategies, dtype=np.int64)
    for seating, n_deals in zip(seatings, np.bincount(seating_of, minlength=len(seatings)), strict=True):
        found[np.unique(seating)] += n_deals
    return found


def holm(p_values: Floats) -> Floats:
    """Return p-values corrected for their number, so that the chance of any false finding is kept.

    References
    ----------
    Holm, A simple sequentially rejective multiple test procedure, Scandinavian J. Statistics 6 (1979) 65-70.
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(1, np.maximum.accumulate(p_values[order] * factors))
    return corrected


@dataclass(frozen=True)
class RatingGaps:
    """Every two strategies compared by their ratings.

    Attributes
    ----------
    p_value, p_holm : ndarray of float64, shape [n_strategies, n_strategies]
        Two-sided, of the hypothesis that both are equally strong; as it is, and corrected for all pairs.
    superiority : ndarray of float64, shape [n_strategies, n_strategies]
        How likely the row is stronger than the column.
    """

    p_value: Floats
    p_holm: Floats
    superiority: Floats

    def ranks(self, strength: Floats, level: float = LEVEL) -> list[tuple[int, int]]:
        """Return the first and the last rank that each strategy may have, all of them at once with ``level``.

        A strategy stands below those that are surely stronger and above those that are surely weaker, the correction
        being for all pairs.

        References
        ----------
        Mogstad, Romano, Shaikh and Wilhelm, Inference for ranks, Review of Economic Studies 91 (2024) 476-518.
        """
        certain = self.p_holm <= 1 - level
        higher = strength[:, None] > strength[None, :]
        n_stronger = (certain & higher.T).sum(axis=1)
        n_weaker = (certain & higher).sum(axis=1)
        return [(1 + int(up), len(strength) - int(down)) for up, down in zip(n_stronger, n_weaker, strict=True)]


def compare(ratings: Ratings) -> RatingGaps:
    """Compare every two strategies by their ratings."""
    n_strategies = len(ratings.strength)
    superiority = np.full((n_strategies, n_strategies), 0.5)
    upper = np.triu_indices(n_strategies, 1)
    for one, other in zip(*upper, strict=True):
        # both ways round: one minus a chance of nearly one would be rounded to zero
        superiority[one, other] = ratings.superiority(int(one), int(other))
        superiority[other, one] = ratings.superiority(int(other), int(one))
    p_value = 2 * np.minimum(superiority, superiority.T)
    p_holm = np.ones_like(p_value)
    p_holm[upper] = holm(p_value[upper])
    return RatingGaps(p_value, np.minimum(p_holm, p_holm.T), superiority)
