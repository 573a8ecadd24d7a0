"""What a run counts, as integers, and how two tallies add.

All fields are int64 (a shared win counts in sixtieths), so adding tallies is exactly associative: the result of a run
does not depend on threads, shards, machines or interruption.
"""

from __future__ import annotations

import numpy as np

from salad_sim.game.rules import MOST_ROUNDS
from salad_sim.game.state import MAX_PLAYERS
from salad_sim.jit.kernel import kernel
from salad_sim.jit.records import new_record, record_dtype

BY_SEAT = (MAX_PLAYERS,)
BY_GROUP_AND_SEAT = (MAX_PLAYERS, MAX_PLAYERS)
BY_ROUND_AND_SEAT = (MOST_ROUNDS, MAX_PLAYERS)

TALLY = record_dtype(
    [
        ("games", "i8"),
        ("deals", "i8"),
        ("turns", "i8"),
        ("ties", "i8"),
        # by group of equal strategies and by seat; sums over games
        ("seat_games", "i8", BY_GROUP_AND_SEAT),
        ("wins", "i8", BY_GROUP_AND_SEAT),
        ("score", "i8", BY_GROUP_AND_SEAT),
        ("score_squared", "i8", BY_GROUP_AND_SEAT),
        ("kept", "i8", BY_GROUP_AND_SEAT),
        ("flipped", "i8", BY_GROUP_AND_SEAT),
        ("seat_turns", "i8", BY_GROUP_AND_SEAT),
        # matches of several rounds: by round and by seat; sums over games
        ("round_wins", "i8", BY_ROUND_AND_SEAT),
        ("round_wins_squared", "i8", BY_ROUND_AND_SEAT),
        ("round_score", "i8", BY_ROUND_AND_SEAT),
        ("round_score_squared", "i8", BY_ROUND_AND_SEAT),
        ("round_starts", "i8", BY_ROUND_AND_SEAT),
        ("round_turns", "i8", (MOST_ROUNDS,)),
        # sums over deals of the square of a deal's sum: the deal is the unit of a paired design
        ("deal_wins_squared_by_seat", "i8", BY_SEAT),
        ("deal_score_squared_by_seat", "i8", BY_SEAT),
        ("deal_wins_squared_by_group", "i8", BY_SEAT),
        ("deal_score_squared_by_group", "i8", BY_SEAT),
    ]
)

DEAL_SUMS = record_dtype(
    [
        ("wins_by_seat", "i8", BY_SEAT),
        ("score_by_seat", "i8", BY_SEAT),
        ("wins_by_group", "i8", BY_SEAT),
        ("score_by_group", "i8", BY_SEAT),
    ]
)


@kernel
def count_seat(work, group, seat):
    """Count one seat's part in the game that a workspace holds, for the group of its place in the line-up."""
    tally, sums = work.tally, work.sums
    win, score = work.wins[seat], work.scores[seat]
    tally.seat_games[group, seat] += 1
    tally.wins[group, seat] += win
    tally.score[group, seat] += score
    tally.score_squared[group, seat] += score * score
    tally.kept[group, seat] += work.kept[seat]
    tally.flipped[group, seat] += work.flipped[seat]
    tally.seat_turns[group, seat] += work.turns[seat]
    sums.wins_by_seat[seat] += win
    sums.score_by_seat[seat] += score
    sums.wins_by_group[group] += win
    sums.score_by_group[group] += score


@kernel
def count_round(tally, view, scores, wins):
    """Count one round of a match, by the scores and wins of that round alone."""
    number = view.round_number
    tally.round_starts[number, view.start] += 1
    tally.round_turns[number] += view.turn
    for seat in range(view.n_players):
        tally.round_wins[number, seat] += wins[seat]
        tally.round_wins_squared[number, seat] += wins[seat] * wins[seat]
        tally.round_score[number, seat] += scores[seat]
        tally.round_score_squared[number, seat] += scores[seat] * scores[seat]


@kernel
def close_deal(tally, sums, n_players):
    """Count a deal whose games are all played, and clear its sums."""
    tally.deals += 1
    for index in range(n_players):
        tally.deal_wins_squared_by_seat[index] += sums.wins_by_seat[index] ** 2
        tally.deal_score_squared_by_seat[index] += sums.score_by_seat[index] ** 2
        tally.deal_wins_squared_by_group[index] += sums.wins_by_group[index] ** 2
        tally.deal_score_squared_by_group[index] += sums.score_by_group[index] ** 2
        sums.wins_by_seat[index] = 0
        sums.score_by_seat[index] = 0
        sums.wins_by_group[index] = 0
        sums.score_by_group[index] = 0


def new_tally() -> np.record:
    """Return an empty tally."""
    return new_record(TALLY)


def add_tally(total: np.record, part: np.record) -> None:
    """Add ``part`` to ``total``, field by field."""
    for name in TALLY.names or ():
        total[name] += part[name]


def merged_tallies(one: np.record, other: np.record) -> np.record:
    """Return ``one`` with ``other`` added."""
    add_tally(one, other)
    return one
