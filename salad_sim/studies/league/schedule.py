"""The schedule of a league: which line-up plays which deals, in which order; and where an adaptive one plays next.

Every line-up plays deals of its own. Within a deal each strategy sits in every seat, so the luck of the seat cancels.
What is left is how a deal suits a strategy, and that averages out over many deals, not over many opponents on the same
deal: sharing deals between line-ups would leave the ratings with fewer, larger accidents (docs/league.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from salad_sim.stats.finishing_orders import Finishes
from salad_sim.stats.plackett_luce import rate
from salad_sim.studies.league.config import LeagueTask
from salad_sim.studies.league.lineups import Draws, LineUp, balanced_lineups, seatings

MOST_PASSES = 6
"""Times that an even schedule goes through all line-ups, each with a new order around the table."""

MOST_BLOCKS = 60
"""About so many blocks an even schedule has at most, if there are fewer line-ups: each costs some milliseconds."""

ADAPTIVE_SHARE = 0.5
"""What an adaptive league plays after an even start."""

ROUNDS = 10
"""Rounds of the adaptive part, of equal size; the ranking is looked at before each."""

MOST_TABLES = 6
"""Line-ups among which a round's games of two neighbours are spread."""


@dataclass(frozen=True)
class SeatingBlock:
    """Deals that are played with one seating.

    Attributes
    ----------
    seating : tuple of int
        The strategy in each place.
    first_deal, n_deals : int
    """

    seating: LineUp
    first_deal: int
    n_deals: int


class Schedule:
    """The blocks of a league in the order in which they are played; deals are numbered in this order from 0.

    Attributes
    ----------
    lineups : list of tuples of int
    even_deals : int
        Deals of each line-up in the even part.
    adaptive_deals : int
        Deals of the adaptive part in all.
    """

    def __init__(self, task: LeagueTask) -> None:
        draws = Draws(task.seed)
        self.task = task
        self.lineups = balanced_lineups(task.n_strategies, task.players, draws)
        self._orders = [seatings(lineup, draws) for lineup in self.lineups]
        wanted = -(-task.n_asked // task.players)
        even = wanted - int(wanted * ADAPTIVE_SHARE) if task.adaptive else wanted
        self.even_deals = -(-even // len(self.lineups))
        self.adaptive_deals = max(wanted - self.even_deals * len(self.lineups), 0) if task.adaptive else 0
        self._played = np.zeros(len(self.lineups), dtype=np.int64)
        self._draws = draws

    @property
    def n_deals(self) -> int:
        """Deals of the league."""
        return self.even_deals * len(self.lineups) + self.adaptive_deals

    @property
    def n_games(self) -> int:
        """Games of the league."""
        return self.n_deals * self.task.players

    def notes(self) -> list[str]:
        """Return what the user should know before it is played, a sentence each."""
        notes = []
        if self.n_games != self.task.n_asked:
            notes.append(
                f"{self.task.n_asked:,} games are no whole number of deals, each in {self.task.players} rotations, for "
                f"each of {len(self.lineups):,} line-ups; playing {self.n_games:,} games"
            )
        if self.task.adaptive and self.adaptive_deals < ROUNDS:
            notes.append("so few games leave no more than a round or two to place where the ranking is least certain")
        return notes

    def blocks(self, played: Played) -> Iterator[SeatingBlock]:
        """Yield the blocks; every deal of a block must be in ``played`` before the next one is asked for."""
        yield from self._even()
        n_rounds = min(ROUNDS, self.adaptive_deals)
        for number in range(n_rounds):
            first = played.n_deals
            size = _part(self.adaptive_deals, n_rounds, number)
            for seating, n_deals in self._round(played.finishes(), size):
                yield SeatingBlock(seating, first, n_deals)
                first += n_deals

    def _even(self) -> Iterator[SeatingBlock]:
        n_passes = min(self.even_deals, max(1, min(MOST_PASSES, MOST_BLOCKS // len(self.lineups))))
        first = 0
        for number in range(n_passes):
            n_deals = _part(self.even_deals, n_passes, number)
            for index, order in enumerate(self._orders):
                yield SeatingBlock(next(order), first, n_deals)
                self._played[index] += n_deals
                first += n_deals

    def _round(self, finishes: Finishes, size: int) -> Iterator[tuple[LineUp, int]]:
        """Share out the deals of a round among the neighbours of the ranking, the least certain getting the most."""
        pairs, doubts = least_certain(finishes)
        for pair, n_deals in zip(pairs, share_out(size, doubts), strict=True):
            if n_deals:
                yield from self._tables_of(pair, n_deals)

    def _tables_of(self, pair: tuple[int, int], n_deals: int) -> Iterator[tuple[LineUp, int]]:
        """Spread deals over the line-ups in which two strategies meet, those that played least coming first."""
        tables = [index for index, lineup in enumerate(self.lineups) if set(pair) <= set(lineup)]
        if not tables:
            tables = [self._new_table(pair)]
        tables.sort(key=lambda index: (self._played[index], index))
        tables = tables[: min(MOST_TABLES, n_deals)]
        for number, index in enumerate(tables):
            part = _part(n_deals, len(tables), number)
            self._played[index] += part
            yield next(self._orders[index]), part

    def _new_table(self, pair: tuple[int, int]) -> int:
        """Add a line-up with two strategies that no line-up has yet, and others at random."""
        others = [each for each in self._draws.order(self.task.n_strategies) if each not in pair]
        lineup = tuple(sorted((*pair, *others[: self.task.players - 2])))
        self.lineups.append(lineup)
        self._orders.append(seatings(lineup, self._draws))
        self._played = np.append(self._played, 0)
        return len(self.lineups) - 1


def least_certain(finishes: Finishes) -> tuple[list[tuple[int, int]], list[float]]:
    """Return the neighbours in the ranking, and how likely each two of them stand in the wrong order."""
    ratings = rate(finishes)
    order = [int(each) for each in np.argsort(-ratings.strength, kind="stable")]
    pairs = [(min(pair), max(pair)) for pair in pairwise(order)]
    # rounded, so that the last digits of a floating-point library do not decide who plays
    return pairs, [round(1 - ratings.superiority(*pair), 6) for pair in pairwise(order)]


def share_out(size: int, weights: list[float]) -> list[int]:
    """Share out ``size`` deals in proportion to weights, by the largest remainders; all alike if no weight is left."""
    total = sum(weights)
    exact = [size * weight / total if total > 0 else size / len(weights) for weight in weights]
    parts = [int(each) for each in exact]
    by_remainder = sorted(range(len(exact)), key=lambda index: (parts[index] - exact[index], index))
    for index in by_remainder[: size - sum(parts)]:
        parts[index] += 1
    return parts


def _part(whole: int, n_parts: int, number: int) -> int:
    """Return the size of one of ``n_parts`` nearly equal parts."""
    return whole * (number + 1) // n_parts - whole * number // n_parts


class Played:
    """The games of a league that have been played, deal by deal in the order of the schedule.

    Attributes
    ----------
    n_strategies : int
    n_deals : int
        Deals whose seating is known and whose games are here.
    wins : ndarray of uint8, shape [n_deals of the league, n_players, n_players]
        By deal, rotation and place in sixtieths, as in `Outcomes`; up to ``n_deals`` they are filled.
    scores : ndarray of int32, likewise
    """

    def __init__(self, n_strategies: int, n_players: int, n_deals: int) -> None:
        self.n_strategies = n_strategies
        self.n_deals = 0
        self.who = np.zeros((n_deals, n_players), dtype=np.int64)
        self.wins: npt.NDArray[np.uint8] = np.zeros((n_deals, n_players, n_players), dtype=np.uint8)
        self.scores: npt.NDArray[np.int32] = np.zeros((n_deals, n_players, n_players), dtype=np.int32)

    def seat(self, block: SeatingBlock, n_deals: int) -> None:
        """Count the next ``n_deals`` deals, whose games are here, as played by a block."""
        self.who[self.n_deals : self.n_deals + n_deals] = block.seating
        self.n_deals += n_deals

    def finishes(self) -> Finishes:
        """Return the games so far for the analysis."""
        n_deals = self.n_deals
        return Finishes(self.n_strategies, self.who[:n_deals], self.wins[:n_deals], self.scores[:n_deals])
