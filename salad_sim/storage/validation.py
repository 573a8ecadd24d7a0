"""Whether a tally can be one: its numbers agree with each other, so that everything computed from them makes sense.

A seal shows that a file is as it was written, not who wrote it. What is checked holds for every set of games: how often
seats play, that each game has one win, and that no mean of squares is below the square of the mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.game.state import MAX_PLAYERS
from salad_sim.play.tally import TALLY

MAY_BE_NEGATIVE = ("score", "round_score")

LARGEST_SUM = 2.0**62
"""Far from where a sum of 64 bits would turn negative."""


def contradiction(tally: np.record) -> str:
    """Return what in a tally contradicts itself, in a few words; empty if nothing does."""
    # Python's integers: products of what a hostile file says do not fit into 64 bits
    numbers = {name: np.array(tally[name].tolist(), dtype=object) for name in TALLY.names or ()}
    games, deals = int(tally.games), int(tally.deals)
    if any((value < 0).any() for name, value in numbers.items() if name not in MAY_BE_NEGATIVE):
        return "a count is negative"
    if (games, deals) == (0, 0):
        return "something is counted of no games" if any(value.any() for value in numbers.values()) else ""
    if not deals or games % deals or games // deals > MAX_PLAYERS:
        return f"{games} games are none of {deals} deals"
    by_seat = numbers["seat_games"].sum(axis=0).tolist()
    n_players = by_seat.count(games)
    if n_players < 2 or by_seat != [games] * n_players + [0] * (MAX_PLAYERS - n_players):
        return "seats have other numbers of games"
    if numbers["wins"].sum() != WHOLE_WIN * games or int(tally.ties) > games:
        return "wins are more or fewer than games"
    return _of_squares(numbers, deals)


def is_too_large(tallies: Sequence[np.record]) -> bool:
    """Return whether tallies say of so much that they cannot be added."""
    sizes = [sum(np.abs(tally[name].astype(float)) for tally in tallies) for name in TALLY.names or ()]
    return any(np.max(size) > LARGEST_SUM for size in sizes)


def _of_squares(numbers: dict[str, npt.NDArray[Any]], deals: int) -> str:
    """Compare sums of squares with squares of sums: n times the one is never below the other (Cauchy-Schwarz)."""
    rounds = numbers["round_starts"].sum(axis=1)[:, np.newaxis]
    sums: list[Any] = [(numbers["score"], numbers["score_squared"], numbers["seat_games"])]
    sums += [(numbers[name], numbers[f"{name}_squared"], rounds) for name in ("round_wins", "round_score")]
    for axis, which in enumerate(("seat", "group")):
        sums += [
            (numbers[name].sum(axis=axis), numbers[f"deal_{name}_squared_by_{which}"], deals)
            for name in ("wins", "score")
        ]
    agree = all((n * squares >= total * total).all() for total, squares, n in sums)
    return "" if agree else "squares are smaller than they can be"
