"""What each game of a seat study counts, and the estimates that come from it; all by deal, as integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from salad_sim.jit.typing import Ints
from salad_sim.run.outcomes import Outcomes
from salad_sim.stats.named_sums import NamedSums


def at_seats(by_place: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return by seat what is given by place in the line-up.

    Parameters
    ----------
    by_place : ndarray, shape [n_deals, n_rotations, n_players]
        Place p sits at seat (p + rotation) modulo n_players.
    """
    n_rotations, n_players = by_place.shape[1:]
    rotation, seat = np.arange(n_rotations)[:, None], np.arange(n_players)[None, :]
    return np.take_along_axis(by_place, ((seat - rotation) % n_players)[None], axis=2)


def count_seats(games: Outcomes) -> NamedSums:
    """Count what a seat study needs of some games, which were followed (`trace.FOLLOWED`).

    Returns
    -------
    NamedSums
        By seat: ``wins`` in sixtieths, ``scores``, ``margins`` (points less those of the best other seat),
        ``last_turn`` (games in which it took the last turn). By place but the last: ``gaps`` (points of the first less
        those of the second, of the second less the third, ...). Of the game: ``turns``; ``lead_changes``; ``half_led``
        (games in which one seat was ahead when half of the cards were gone) and ``half_leader_wins`` in sixtieths;
        ``one_card`` (games that one card decided: the winner's lead is less than the points of its best card, or the
        top totals are equal); ``tied`` (games with equal top totals).
    """
    wins, scores = at_seats(games.wins), at_seats(games.scores)
    n_players = scores.shape[2]
    course = games.course
    ordered = -np.sort(-scores, axis=2)
    first, second = ordered[..., :1], ordered[..., 1:2]
    leader = course["half_leader"]
    winner = wins.argmax(axis=2)[..., None]
    lead = (first - second)[..., 0]
    best = np.take_along_axis(course["best_card"], winner, axis=2)[..., 0]
    led = leader >= 0
    leader_wins = np.take_along_axis(wins, np.maximum(leader, 0)[..., None], axis=2)[..., 0] * led
    of_games = {
        "wins": wins,
        "scores": scores,
        "margins": scores - np.where(scores == first, second, first),
        "last_turn": course["last_seat"][..., None] == np.arange(n_players),
        "gaps": ordered[..., :-1] - ordered[..., 1:],
        "turns": course["turns"][..., None],
        "lead_changes": course["lead_changes"][..., None],
        "half_led": led[..., None],
        "half_leader_wins": leader_wins[..., None],
        "one_card": ((lead < best) | (lead == 0))[..., None],
        "tied": (lead == 0)[..., None],
    }
    deals = {name: values.astype(np.int64).sum(axis=1) for name, values in of_games.items()}
    return NamedSums.from_deals(deals, games.wins.shape[1])


def first_games(games: Outcomes, n_deals: int) -> Ints:
    """Return the exact counts of the first deals, by seat: wins in sixtieths, points and last turns.

    Returns
    -------
    ndarray of int64, shape [n_players, 3]
    """
    sums = [at_seats(values[:n_deals]).sum(axis=(0, 1)) for values in (games.wins, games.scores)]
    last = games.course["last_seat"][:n_deals].ravel()
    return np.column_stack([*sums, np.bincount(last, minlength=games.wins.shape[2])]).astype(np.int64)
