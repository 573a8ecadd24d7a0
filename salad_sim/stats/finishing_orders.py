"""Who finished above whom in the games of a league: finishing orders, with their ties.

A finishing order is read from the scores; equal scores at the top are put in order by the tie-break in force, as far as
it does so. Other equal scores are ties. A tie stands for all orders of those who tie, in equal parts: of two who tie,
each is half a game above the other, and in the Plackett-Luce model each of both orders counts half.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
import numpy.typing as npt

from salad_sim.jit.typing import Floats, Ints

WINS_BELOW = 64
"""A whole win counts 60, so that score * 64 + wins sorts by score, then by win."""


@dataclass(frozen=True)
class Finishes:
    """The games of a league.

    Attributes
    ----------
    n_strategies : int
    who : ndarray of int64, shape [n_deals, n_players]
        The strategy in each place of the line-up.
    wins : ndarray of int, shape [n_deals, n_rotations, n_players]
        By place, in sixtieths of a win. Place p sits at seat (p + rotation) modulo n_players.
    scores : ndarray of int, shape [n_deals, n_rotations, n_players]
        By place.
    """

    n_strategies: int
    who: Ints
    wins: npt.NDArray[np.integer]
    scores: npt.NDArray[np.integer]

    @property
    def n_deals(self) -> int:
        """Deals that were played."""
        return len(self.wins)

    @property
    def n_players(self) -> int:
        """Players in a game."""
        return int(self.wins.shape[2])

    @property
    def n_games(self) -> int:
        """Games that were played."""
        return self.n_deals * int(self.wins.shape[1])

    @cached_property
    def above(self) -> npt.NDArray[np.int8]:
        """By deal, rotation and place: how many finished above it; equal numbers are ties."""
        key = self.scores.astype(np.int64) * WINS_BELOW + self.wins
        found = np.zeros(key.shape, dtype=np.int8)
        for place in range(self.n_players):
            found += key[:, :, place, None] > key
        return found

    @cached_property
    def orders(self) -> tuple[Ints, Ints]:
        """The different finishing orders, as rows of `above`; and of each game, which of them it had."""
        powers = self.n_players ** np.arange(self.n_players)
        codes, which = np.unique(self.above.astype(np.int64) @ powers, return_inverse=True)
        return codes[:, None] // powers % self.n_players, which.reshape(self.wins.shape[:2])

    @cached_property
    def seatings(self) -> tuple[Ints, Ints]:
        """The different rows of `who`; and of each deal, which of them it had."""
        rows, which = np.unique(self.who, axis=0, return_inverse=True)
        return rows, which.reshape(-1)


def choices_of(above: Ints) -> Floats:
    """Take a finishing order apart into choices among those who are left: who of these finished first.

    Parameters
    ----------
    above : ndarray of int64, shape [n_players]
        For each player how many finished above it; players with equal numbers tie.

    Returns
    -------
    ndarray of float64, shape [2 ** n_players, n_players]
        By set of players who are left (bit p for player p) and by player: the part of all orders the ties allow in
        which this set is left at some time and this player finishes first of it. Sets of one are left out.

    References
    ----------
    Plackett, The analysis of permutations, Applied Statistics 24 (1975) 193-202, for the choices.
    """
    n_players = len(above)
    found = np.zeros((2**n_players, n_players))
    for level in np.unique(above):
        tied = [player for player in range(n_players) if above[player] == level]
        below = sum(1 << player for player in range(n_players) if above[player] > level)
        for part in range(1, 2 ** len(tied)):
            left = [player for bit, player in enumerate(tied) if part >> bit & 1]
            members = below | sum(1 << player for player in left)
            if members.bit_count() > 1:
                # each subset of those who tie is left equally often, and each of it is then equally often the first
                found[members, left] = 1 / (comb(len(tied), len(left)) * len(left))
    return found
