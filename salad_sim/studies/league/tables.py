"""The tables of a league as plain rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from salad_sim.jit.typing import Floats, Row
from salad_sim.stats.cross_table import Cross, Cycle
from salad_sim.stats.elo import SCALE, share_of_elo
from salad_sim.stats.finishing_orders import Finishes
from salad_sim.stats.intervals import LEVEL, UNKNOWN, Estimate, columns, student
from salad_sim.stats.plackett_luce import RatingGaps, Ratings, holm
from salad_sim.studies.league.seat_effects import SeatSums, sum_seats

ELO = SCALE / np.log(10)
"""Elo points of one unit of log strength."""

CYCLE_LINKS = ("first_above_second", "second_above_third", "third_above_first")
CYCLE_COLUMNS = (
    *("first", "second", "third"),
    *(f"{link}{end}" for link in CYCLE_LINKS for end in ("", "_low", "_high")),
    *("p_value", "p_holm", "certain"),
)


def rating_difference(ratings: Ratings, one: int, other: int) -> Estimate:
    """Return by how many Elo points ``one`` is above ``other``."""
    value, error, freedom = ratings.difference(one, other)
    half = student(freedom) * error
    return Estimate(*(float(ELO * each) for each in (value, value - half, value + half)))


def rating(ratings: Ratings, strategy: int, anchor: int | None) -> Estimate:
    """Return a rating on the Elo scale, above the anchor's, or above the mean of all if there is none."""
    if anchor is not None:
        return rating_difference(ratings, strategy, anchor)
    half = student(max(int(ratings.deals[strategy]) - 1, 1)) * np.sqrt(max(ratings.covariance[strategy, strategy], 0))
    value = ratings.strength[strategy]
    return Estimate(*(float(ELO * each) for each in (value, value - half, value + half)))


def ranking(ratings: Ratings) -> list[int]:
    """Return the strategies from the best to the worst; equal ones in the order they were given."""
    return [int(each) for each in np.argsort(-ratings.strength, kind="stable")]


def points_of(n_players: int) -> str:
    """Return what ratings are called: with two players Elo; with more they are about finishing above one another."""
    return "Elo points" if n_players == 2 else "points (of finishing above one another, on the Elo scale)"


def model_shares(ratings: Ratings, finishes: Finishes) -> Floats:
    """Return the win share of each strategy that the ratings expect in the games that it played, shape [n_strategies].

    In the model the first of a table is each with a chance in proportion to its strength.
    """
    strength = np.exp(ratings.strength)[finishes.who]
    chance = strength / strength.sum(axis=1, keepdims=True)
    won, seats = np.zeros((2, finishes.n_strategies))
    np.add.at(won, finishes.who, chance)
    np.add.at(seats, finishes.who, 1.0)
    found: Floats = won / np.maximum(seats, 1.0)
    return found


def rating_rows(
    labels: Sequence[str],
    ratings: Ratings,
    pairs: RatingGaps,
    sums: SeatSums,
    anchor: int | None,
    expected: Floats,
) -> list[Row]:
    """Return the ranking: one row for each strategy, the best first.

    ``rank_low`` to ``rank_high`` are the ranks it may have, all at once with 95 %. The columns from ``next`` on compare
    it with the one below it: by how many points it is ahead, how likely it is really ahead (``superiority``), and the
    two-sided p-value that it is not, as it is and corrected for all such pairs of neighbours (``p_holm``).
    ``model_win_share`` is the win share that the ratings expect, ``expected`` by strategy.
    """
    order = ranking(ratings)
    ranks = pairs.ranks(ratings.strength)
    n_seats = sums.total.shape[1]
    corrected = [*holm(np.array([pairs.p_value[a, b] for a, b in pairwise(order)])), np.nan]
    rows = []
    for rank, strategy in enumerate(order, start=1):
        below = order[rank] if rank < len(order) else None
        ahead = UNKNOWN if below is None else rating_difference(ratings, strategy, below)
        told = below is not None
        rows.append(
            {
                "rank": rank,
                "strategy": labels[strategy],
                **columns("rating", rating(ratings, strategy, anchor)),
                "rank_low": ranks[strategy][0],
                "rank_high": ranks[strategy][1],
                **columns("win_share", sums.win_share(strategy)),
                "model_win_share": float(expected[strategy]),
                **columns("mean_score", sums.mean_score(strategy)),
                "deals": int(sums.deals[strategy]),
                "games": int(sums.deals[strategy]) * n_seats,
                "next": "" if below is None else labels[below],
                **columns("ahead", ahead),
                "superiority": float(pairs.superiority[strategy, below]) if told else float("nan"),
                "p_value": float(pairs.p_value[strategy, below]) if told else float("nan"),
                "p_holm": float(corrected[rank - 1]),
            }
        )
    return rows


def cross_rows(labels: Sequence[str], ratings: Ratings, pairs: RatingGaps, cross: Cross) -> list[Row]:
    """Return the cross-table: one row for each ordered pair, in the order of the ranking.

    ``share`` is the share of games in which the strategy finished above the opponent, ties being halves, where both sat
    at the table; ``expected_share`` what the ratings make of it. ``p_value`` and ``p_holm`` are of the ratings.
    """
    order = ranking(ratings)
    rows = []
    for one in order:
        for other in order:
            if one != other:
                difference = rating_difference(ratings, one, other)
                rows.append(
                    {
                        "strategy": labels[one],
                        "opponent": labels[other],
                        "deals": int(cross.deals[one, other]),
                        "games": int(cross.deals[one, other]) * cross.n_rotations,
                        **columns("share", cross.share(one, other)),
                        "expected_share": share_of_elo(difference.value),
                        **columns("rating_difference", difference),
                        "superiority": float(pairs.superiority[one, other]),
                        "p_value": float(pairs.p_value[one, other]),
                        "p_holm": float(pairs.p_holm[one, other]),
                    }
                )
    return rows


def seat_rows(labels: Sequence[str], order: Sequence[int], sums: SeatSums) -> list[Row]:
    """Return one row for each strategy and seat: its win share there, and how far that is from its mean."""
    return [
        {
            "strategy": labels[strategy],
            "seat": seat + 1,
            "deals": int(sums.deals[strategy]),
            "games": int(sums.deals[strategy]),
            **columns("win_share", sums.at_seat(strategy, seat)),
            **columns("effect", sums.effect(strategy, seat)),
        }
        for strategy in order
        for seat in range(sums.total.shape[1])
    ]


def lineup_rows(labels: Sequence[str], finishes: Finishes) -> list[Row]:
    """Return one row for each line-up and strategy in it: how many games they played, and who won how often."""
    tables, table_of = np.unique(np.sort(finishes.who, axis=1), axis=0, return_inverse=True)
    rows = []
    for number, table in enumerate(tables):
        deals = np.flatnonzero(table_of.reshape(-1) == number)
        members, places = np.unique(table, return_counts=True)
        # numbered within the line-up: most of a league's strategies are not in it
        local = np.searchsorted(members, finishes.who[deals])
        sums = sum_seats(Finishes(len(members), local, finishes.wins[deals], finishes.scores[deals]))
        rows += [
            {
                "line_up": number + 1,
                "strategy": labels[member],
                "places": int(n_places),
                "deals": len(deals),
                "games": len(deals) * finishes.n_players,
                **columns("win_share", sums.win_share(index)),
                **columns("mean_score", sums.mean_score(index)),
            }
            for index, (member, n_places) in enumerate(zip(members, places, strict=True))
        ]
    return rows


def cycle_rows(labels: Sequence[str], cycles: Sequence[Cycle]) -> list[Row]:
    """Return one row for each cycle of three, the most certain first; columns as in `CYCLE_COLUMNS`."""
    rows = []
    for cycle in cycles:
        row: Row = {}
        for name, strategy in zip(("first", "second", "third"), cycle.strategies, strict=True):
            row[name] = labels[strategy]
        for link, share in zip(CYCLE_LINKS, cycle.shares, strict=True):
            row |= columns(link, share)
        rows.append(row | {"p_value": cycle.p_value, "p_holm": cycle.p_holm, "certain": cycle.p_holm <= 1 - LEVEL})
    return rows
