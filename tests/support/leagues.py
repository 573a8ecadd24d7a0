"""Leagues made up for tests: finishing orders drawn from known strengths, without a game being played."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from salad_sim.stats.finishing_orders import Finishes


def finishes_of(who, scores, wins=None, n_strategies=None):
    """Return the games of some deals; without wins the first of the highest scores has the win."""
    who, scores = np.asarray(who, dtype=np.int64), np.asarray(scores, dtype=np.int64)
    if wins is None:
        wins = 60 * (np.arange(scores.shape[2]) == scores.argmax(axis=2)[:, :, None])
    return Finishes(n_strategies or int(who.max()) + 1, who, np.asarray(wins), scores)


def random_league(
    generator: np.random.Generator,
    strengths: Sequence[float],
    n_players: int,
    n_deals: int,
    luck: float = 0.0,
    first_seat: float | Sequence[float] = 0.0,
) -> Finishes:
    """Draw a league from the Plackett-Luce model: every line-up of different strategies plays ``n_deals`` deals.

    Parameters
    ----------
    strengths : sequence of float
        Logarithms.
    luck : float
        Standard deviation of what a deal adds to the strength of a strategy in all its rotations.
    first_seat : float or sequence of float
        What the first seat adds to the strength of every strategy, or of each.
    """
    who, points = [], []
    place, rotation = np.arange(n_players)[None, :], np.arange(n_players)[:, None]
    moves_first = (place + rotation) % n_players == 0
    for lineup in combinations(range(len(strengths)), n_players):
        seated = np.tile(lineup, (n_deals, 1))
        # Gumbel noise on the logarithms gives the orders of the model (Yellott, 1977)
        value = np.asarray(strengths, dtype=float)[seated][:, None, :]
        value = value + generator.gumbel(size=(n_deals, n_players, n_players))
        value = value + luck * generator.normal(size=(n_deals, 1, n_players))
        bonus = np.broadcast_to(first_seat, len(strengths))[seated][:, None, :]
        who.append(seated)
        points.append(np.argsort(np.argsort(value + bonus * moves_first, axis=2), axis=2))
    return finishes_of(np.concatenate(who), np.concatenate(points), n_strategies=len(strengths))


def league_of_shares(generator: np.random.Generator, shares: np.ndarray, n_deals: int) -> Finishes:
    """Draw a league of two players from a matrix of win shares, ``shares[row, column]`` being the row's."""
    who, points = [], []
    for one, other in combinations(range(len(shares)), 2):
        won = generator.random((n_deals, 2)) < shares[one, other]
        who.append(np.tile((one, other), (n_deals, 1)))
        points.append(np.stack([won, ~won], axis=2).astype(np.int64))
    return finishes_of(np.concatenate(who), np.concatenate(points), n_strategies=len(shares))
