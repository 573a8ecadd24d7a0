"""Finished games under every tie-break rule: who would have won, by the engine's own order of equal totals."""

from __future__ import annotations

import numpy as np

from salad_sim.game.engine import WHOLE_WIN, tie_order
from salad_sim.game.rules import CHOICES
from salad_sim.jit.kernel import kernel
from salad_sim.jit.typing import Ints

RULES = CHOICES["tie_break"]
"""The tie-break rules, the official one first."""


@kernel
def rank_games(rule, kept, last_seat, ranks):
    """Write the ranks of the seats of each game into ``ranks``; see `tie_ranks`."""
    n_players = kept.shape[1]
    for game in range(kept.shape[0]):
        for seat in range(n_players):
            back = last_seat[game] - seat
            if back < 0:
                back += n_players
            ranks[game, seat] = tie_order(rule, seat, back, kept[game, seat], n_players)


def tie_ranks(rule: str, kept: Ints, last_seat: Ints) -> Ints:
    """Return the numbers by which a rule orders seats of equal total, the highest winning.

    Parameters
    ----------
    rule : str
        One of `RULES`.
    kept : ndarray of int, shape [..., n_players]
        Point cards in front of each seat at the end. Seat 0 has begun.
    last_seat : ndarray of int, shape [...]
        The seat that took the last turn.

    Returns
    -------
    ndarray of int64, shape [..., n_players]
    """
    n_players = kept.shape[-1]
    by_game = np.ascontiguousarray(kept, dtype=np.int64).reshape(-1, n_players)
    lasts = np.ascontiguousarray(np.broadcast_to(last_seat, kept.shape[:-1]), dtype=np.int64).reshape(-1)
    ranks = np.empty_like(by_game)
    rank_games(RULES.index(rule), by_game, lasts, ranks)
    return ranks.reshape(kept.shape)


def wins_under(rule: str, scores: Ints, kept: Ints, last_seat: Ints) -> Ints:
    """Return what each seat wins under a tie-break rule, in sixtieths of a win; as `engine.share_win`.

    Parameters
    ----------
    rule : str
        One of `RULES`.
    scores : ndarray of int64, shape [..., n_players]
        Totals by seat.
    kept, last_seat
        As in `tie_ranks`.

    Returns
    -------
    ndarray of int64, shape [..., n_players]
        Each game's wins add up to 60.
    """
    top = scores == scores.max(axis=-1, keepdims=True)
    ranks = np.where(top, tie_ranks(rule, kept, last_seat), np.iinfo(np.int64).min)
    winners = top & (ranks == ranks.max(axis=-1, keepdims=True))
    found: Ints = winners * (WHOLE_WIN // winners.sum(axis=-1, keepdims=True))
    return found
