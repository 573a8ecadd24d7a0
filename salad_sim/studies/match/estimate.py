"""Pairs of games: every deal played twice with the seats of A and B swapped, and what the pairs say.

In the first game of a pair A sits at seats 1, 3, 5 and B at seats 2, 4, 6; in the second they change places. Each seat
is A's in one of the two games, and cards and seats' random streams are the same in both: what a deal gives to a seat,
it gives to A once and to B once. The pair is the unit of every interval here. At two players this is a rotated plan.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Ints, Row
from salad_sim.run.outcomes import Outcomes
from salad_sim.stats.intervals import Estimate, Z, columns, likelihood_above, mean, proportion
from salad_sim.stats.sprt import WHOLE_PAIR, count_results

GAMES = 2
"""Games of a pair."""

EVEN = 0.5
"""A's share of the wins if neither is better, at any number of players."""

USUAL_RESULTS = range(0, WHOLE_PAIR + 1, WHOLE_WIN // 2)
"""Results of a pair that are always listed: won 0, 1/2, 1, 3/2 and 2 games."""


@dataclass(frozen=True)
class Pairs:
    """Pairs one by one.

    Attributes
    ----------
    wins : ndarray of int64, shape [n_pairs, 2, n_players]
        By deal, game of the pair and seat, in sixtieths of a win. A sits at seat s of game g if s + g is even.
    scores : ndarray of int64, shape [n_pairs, 2, n_players]
        Points, likewise.
    """

    wins: Ints
    scores: Ints

    def __len__(self) -> int:
        return len(self.wins)

    def part(self, start: int, stop: int) -> Pairs:
        """Return those from number ``start`` up to, not including, ``stop``."""
        return Pairs(self.wins[start:stop], self.scores[start:stop])

    @property
    def seats_of_a(self) -> npt.NDArray[np.bool_]:
        """Whether A sits there, shape [2, n_players]."""
        game, seat = np.indices(self.wins.shape[1:])
        mask: npt.NDArray[np.bool_] = (seat + game) % 2 == 0
        return mask

    @property
    def results(self) -> Ints:
        """What A won of each pair, in sixtieths of a game: 0..120; shape [n_pairs]."""
        won: Ints = (self.wins * self.seats_of_a).sum(axis=(1, 2))
        return won


def pairs_of(*played: Outcomes) -> Pairs:
    """Return the pairs of games that were played.

    Parameters
    ----------
    *played : Outcomes
        For two players one, of a rotated plan with the line-up A, B. For more players two, of plans that are not
        rotated, with the line-ups A, B, A, ... and B, A, B, ..., on the same deals.

    Raises
    ------
    ValueError
        If they are of another shape.
    """
    shapes = {each.wins.shape[1:] for each in played}
    starts = {(each.first_deal, each.n_deals) for each in played}
    if len(played) == 1 and shapes == {(2, 2)}:
        by_place = played[0]
        # in the second rotation place p sits at the other seat
        return Pairs(*(np.stack([x[:, 0], x[:, 1, ::-1]], axis=1) for x in (by_place.wins, by_place.scores)))
    if len(played) == GAMES and len(shapes) == len(starts) == 1 and next(iter(shapes))[0] == 1:
        return Pairs(
            np.concatenate([each.wins for each in played], axis=1),
            np.concatenate([each.scores for each in played], axis=1),
        )
    raise ValueError(f"pairs are one rotated run of two players, or two runs of the same deals, not of shapes {shapes}")


@dataclass(frozen=True)
class PairCount:
    """What was counted of some pairs, as integers: counts of disjoint pairs add exactly.

    Attributes
    ----------
    n_pairs, n_players : int
    sums : dict of str to ndarray of int64
        Sums over pairs, and over pairs of squares (``_squared``): ``results`` [121], how many pairs A won each number
        of sixtieths of; ``margin`` in units of 1 / (A's seats * B's seats) points, both games together; ``wins_a``,
        ``wins_b``, ``scores_a``, ``scores_b`` [n_players] by seat; ``orders`` [2], A's wins in each game of the pair;
        ``ties``, ``shared``: games with equal top totals, and with a shared win.
    """

    n_pairs: int
    n_players: int
    sums: dict[str, Ints]

    def __add__(self, other: PairCount) -> PairCount:
        sums = {name: value + other.sums[name] for name, value in self.sums.items()}
        return PairCount(self.n_pairs + other.n_pairs, self.n_players, sums)

    @property
    def n_games(self) -> int:
        """Games of all pairs."""
        return GAMES * self.n_pairs

    @property
    def pair_deviation(self) -> float:
        """Standard deviation, over pairs, of the share that A wins of one."""
        total, squares = _moments(self.sums["results"])
        return math.sqrt(max(0, self.n_pairs * squares - total * total)) / (self.n_pairs * GAMES * WHOLE_WIN)

    def share(self, quantile: float = Z) -> Estimate:
        """Estimate A's share of the wins, by Wilson's interval with pairs as clusters."""
        return share_of_results(self.sums["results"], quantile)

    @property
    def superiority(self) -> float:
        """How likely A's true share is above one half (LOS), from the variance between pairs; 0..1."""
        return likelihood_above(EVEN, *_moments(self.sums["results"]), self.n_pairs, self.n_games, WHOLE_WIN)

    def margin(self, quantile: float = Z) -> Estimate:
        """Estimate the points of A's seats less those of B's, each on average, in a game; t interval over pairs."""
        total, squares = int(self.sums["margin"]), int(self.sums["margin_squared"])
        unit = _margin_unit(self.n_players)
        value, low, high = mean(total, squares, self.n_pairs, self.n_games, quantile)
        return Estimate(value / unit, low / unit, high / unit)

    def rate(self, what: str, quantile: float = Z) -> Estimate:
        """Estimate a share of games: of ``ties``, in which two or more seats have the top total, or ``shared`` wins."""
        total, squares = int(self.sums[what]), int(self.sums[f"{what}_squared"])
        return proportion(total, squares, self.n_pairs, self.n_games, quantile=quantile)

    @property
    def pairing_gain(self) -> float:
        """How many times as many unpaired games would be needed for the same standard error; NaN if nothing varies.

        It is the variance that A's share would have if every game had a deal of its own, in the same seats, over the
        variance between pairs.
        """
        n = self.n_pairs
        total, squares = _moments(self.sums["results"])
        between = n * squares - total * total
        alone = sum(
            n * int(square) - int(won) ** 2
            for won, square in zip(self.sums["orders"], self.sums["orders_squared"], strict=True)
        )
        return alone / between if between else math.nan

    def seat_rows(self, quantile: float = Z) -> list[Row]:
        """Return one row for each seat: what A and B won and scored there.

        Returns
        -------
        list of dict
            ``seat`` 1-based; ``games`` that each of the two played there; ``win_share`` 0..1 and ``mean_score`` of A,
            ``win_share_b`` and ``mean_score_b`` of B, each with its interval ``_low``, ``_high``. A fair win share is
            1 / n_players.
        """
        rows = []
        n = self.n_pairs
        for seat in range(self.n_players):
            row: Row = {"seat": seat + 1, "games": n}
            for who, suffix in (("a", ""), ("b", "_b")):
                wins, wins_squared, scores, scores_squared = (
                    int(self.sums[name][seat])
                    for name in (f"wins_{who}", f"wins_{who}_squared", f"scores_{who}", f"scores_{who}_squared")
                )
                row |= columns(f"win_share{suffix}", proportion(wins, wins_squared, n, n, WHOLE_WIN, quantile))
                row |= columns(f"mean_score{suffix}", mean(scores, scores_squared, n, n, quantile))
            rows.append(row)
        return rows

    def result_rows(self, quantile: float = Z) -> list[Row]:
        """Return one row for each result of a pair, the pentanomial distribution of chess testing.

        Returns
        -------
        list of dict
            ``won``: games of the pair that A won, 0, 0.5, 1, 1.5, 2, and others if wins were shared by more than two;
            ``pairs``; ``share`` 0..1 with its interval ``_low``, ``_high``.
        """
        counts = self.sums["results"]
        listed = sorted({*USUAL_RESULTS, *np.flatnonzero(counts).tolist()})
        rows = []
        for result in listed:
            pairs = int(counts[result])
            estimate = proportion(pairs, pairs, self.n_pairs, self.n_pairs, 1, quantile)
            rows.append({"won": result / WHOLE_WIN, "pairs": pairs} | columns("share", estimate))
        return rows


def share_of_results(counts: Ints, quantile: float = Z) -> Estimate:
    """Estimate A's share of the wins from how many pairs it won 0, 1, ... 120 sixtieths of.

    Parameters
    ----------
    counts : ndarray of int64, shape [121]
        At least one pair.
    quantile : float
        As in `intervals.proportion`.
    """
    n_pairs = int(counts.sum())
    return proportion(*_moments(counts), n_pairs, GAMES * n_pairs, WHOLE_WIN, quantile)


def _moments(counts: Ints) -> tuple[int, int]:
    """Return the sum of the results of pairs, and of their squares."""
    values = np.arange(len(counts))
    return int((values * counts).sum()), int((values * values * counts).sum())


def _margin_unit(n_players: int) -> int:
    """Return A's seats times B's seats in a game."""
    return (n_players // 2) * ((n_players + 1) // 2)


def count_pairs(pairs: Pairs) -> PairCount:
    """Count pairs."""
    of_a = pairs.seats_of_a
    game, seat = np.nonzero(of_a)
    by_seat = game[np.argsort(seat)], np.arange(of_a.shape[1])  # the game in which each seat is A's
    other = 1 - by_seat[0], by_seat[1]
    n_a, n_b = of_a.sum(axis=1), (~of_a).sum(axis=1)
    a_points, b_points = (pairs.scores * of_a).sum(axis=2), (pairs.scores * ~of_a).sum(axis=2)
    tops = (pairs.scores == pairs.scores.max(axis=2, keepdims=True)).sum(axis=2)
    values: dict[str, Any] = {
        "margin": (a_points * n_b - b_points * n_a).sum(axis=1),
        "orders": (pairs.wins * of_a).sum(axis=2),
        "wins_a": pairs.wins[:, *by_seat],
        "wins_b": pairs.wins[:, *other],
        "scores_a": pairs.scores[:, *by_seat],
        "scores_b": pairs.scores[:, *other],
        "ties": (tops > 1).sum(axis=1),
        "shared": (pairs.wins.max(axis=2) < WHOLE_WIN).sum(axis=1),
    }
    sums = {name: value.sum(axis=0) for name, value in values.items()}
    sums |= {f"{name}_squared": (value * value).sum(axis=0) for name, value in values.items()}
    return PairCount(len(pairs), of_a.shape[1], {"results": count_results(pairs.results), **sums})
