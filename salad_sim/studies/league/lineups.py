"""Line-ups of a league: who meets whom, so that every strategy and every pair of strategies plays equally often."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from math import comb

import numpy as np

from salad_sim.jit.records import new_record
from salad_sim.jit.rng import RNG, seed_stream, shuffle_tail

LineUp = tuple[int, ...]
"""The strategies of one table by their numbers, ascending; a strategy may sit in several places."""

MOST_LINEUPS = 300
"""Above so many possible line-ups of three or more a selection is played."""

TRIES = 200
"""Base line-ups that are looked at for every one that a selection takes."""

LINEUP_STREAM = 1000
"""Purpose of the streams that choose and seat line-ups; a deal and its seats use 0 to 6."""


class Draws:
    """Random orders for a schedule, from a stream of their own: the n-th is the same whenever it is drawn."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.n_drawn = 0
        self.stream = new_record(RNG)

    def order(self, n_items: int) -> list[int]:
        """Return the numbers 0..n_items-1 in a uniformly drawn order."""
        items = np.arange(n_items, dtype=np.int64)
        seed_stream(self.stream, self.seed, self.n_drawn, LINEUP_STREAM)
        shuffle_tail(self.stream, items, n_items, n_items)
        self.n_drawn += 1
        return [int(item) for item in items]


def balanced_lineups(n_strategies: int, n_players: int, draws: Draws) -> list[LineUp]:
    """Return the line-ups of one round of a league; every strategy sits in equally many places of them.

    - With no more players than strategies: every subset, where there are at most `MOST_LINEUPS` or the players are two.
      Every pair then meets equally often too.
    - Where there are more, whole orbits of a cyclic design (a base line-up, shifted through all strategies): the base
      line-ups are those of many random ones that bring the numbers of meetings of all pairs closest together.
    - With fewer strategies than players: everyone sits in n_players // n_strategies places, and the places that are
      left go to every subset in turn; every pair meets equally often.

    Parameters
    ----------
    n_strategies : int
        At least 2.
    n_players : int
        2..6.
    draws : Draws

    References
    ----------
    John and Williams, Cyclic and Computer Generated Designs (1995), chapters 2 and 3.
    """
    if n_strategies < n_players:
        base, n_left = divmod(n_players, n_strategies)
        everyone = tuple(range(n_strategies)) * base
        return [tuple(sorted(everyone + extra)) for extra in combinations(range(n_strategies), n_left)]
    if n_players == 2 or comb(n_strategies, n_players) <= MOST_LINEUPS:
        return list(combinations(range(n_strategies), n_players))
    return _cyclic_selection(n_strategies, n_players, draws)


def _cyclic_selection(n_strategies: int, n_players: int, draws: Draws) -> list[LineUp]:
    chosen: list[LineUp] = []
    meetings = np.zeros(n_strategies, dtype=np.int64)  # of two strategies so many numbers apart
    best: list[LineUp] = []
    least_spread = np.inf
    while len(chosen) + n_strategies <= MOST_LINEUPS or not chosen:
        candidates = [tuple(sorted(draws.order(n_strategies)[:n_players])) for _ in range(TRIES)]
        fresh = [each for each in candidates if _is_new_orbit(each, n_strategies, chosen)]
        base = min(fresh, key=lambda each: _spread(meetings + _distances(each, n_strategies)))
        meetings += _distances(base, n_strategies)
        chosen += _orbit(base, n_strategies)
        spread = _spread(meetings) * n_strategies / len(chosen)
        if spread < least_spread:
            best, least_spread = list(chosen), spread
        if spread == 0:
            break
    return best


def _orbit(base: LineUp, n_strategies: int) -> list[LineUp]:
    shifts = range(n_strategies)
    return [tuple(sorted((each + shift) % n_strategies for each in base)) for shift in shifts]


def _is_new_orbit(base: LineUp, n_strategies: int, chosen: list[LineUp]) -> bool:
    """Return whether all shifts of a line-up differ, and none is chosen yet."""
    orbit = set(_orbit(base, n_strategies))
    return len(orbit) == n_strategies and not orbit.intersection(chosen)


def _distances(base: LineUp, n_strategies: int) -> np.ndarray:
    """Count how often two of a line-up are 0, 1, 2, ... numbers apart, both ways round."""
    counts = np.zeros(n_strategies, dtype=np.int64)
    for one, other in permutations(base, 2):
        counts[(one - other) % n_strategies] += 1
    return counts


def _spread(meetings: np.ndarray) -> int:
    """Return how far the numbers of meetings of two pairs are apart at most."""
    return int(meetings[1:].max() - meetings[1:].min())


def seatings(lineup: LineUp, draws: Draws) -> Iterator[LineUp]:
    """Yield the different orders in which a line-up can sit around the table, in a random order, again and again.

    Rotations bring every place to every seat, so orders that are rotations of each other count as one. (Where a
    strategy has several places some orders look alike; each still comes as often as chance would have it.)
    """
    ways = list(permutations(range(1, len(lineup))))
    while True:
        for index in draws.order(len(ways)):
            yield tuple(lineup[place] for place in (0, *ways[index]))
