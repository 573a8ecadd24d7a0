"""Every tie-break rule at once: who would have won the same finished games under each, and which seats tied."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.game.rules import CHOICES, EARLIER, FEWER_CARDS, LAST_TURN, SHARED
from salad_sim.jit.typing import Flags, Ints

RULES = CHOICES["tie_break"]
"""The tie-break rules, the official one first."""


def top_seats(scores: Ints) -> Flags:
    """Return which seats have the highest total of their game.

    Parameters
    ----------
    scores : ndarray of int64, shape [..., n_players]
        By seat.
    """
    found: Flags = scores == scores.max(axis=-1, keepdims=True)
    return found


def tie_ranks(rule: str, kept: Ints, last_seat: Ints) -> Ints:
    """Return the numbers by which a rule orders seats of equal total, the highest winning; as `engine.tie_rank`.

    Parameters
    ----------
    rule : str
        One of `RULES`.
    kept : ndarray of int64, shape [..., n_players]
        Point cards in front of each seat at the end. Seat 0 has begun.
    last_seat : ndarray of int64, shape [...]
        The seat that took the last turn.

    Returns
    -------
    ndarray of int64, shape [..., n_players]
    """
    n_players = kept.shape[-1]
    order = np.broadcast_to(np.arange(n_players), kept.shape)
    code = RULES.index(rule)
    ranks: Ints = order
    if code == EARLIER:
        ranks = -order
    elif code == LAST_TURN:
        ranks = -((last_seat[..., None] - order) % n_players)
    elif code == FEWER_CARDS:
        ranks = order - n_players * kept
    elif code == SHARED:
        ranks = np.zeros_like(kept)
    return ranks


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
    top = top_seats(scores)
    ranks = np.where(top, tie_ranks(rule, kept, last_seat), np.iinfo(np.int64).min)
    winners = top & (ranks == ranks.max(axis=-1, keepdims=True))
    found: Ints = winners * (WHOLE_WIN // winners.sum(axis=-1, keepdims=True))
    return found


def tied_pairs(scores: Ints) -> Ints:
    """Return for each two seats whether both have the highest total, 0 or 1.

    Parameters
    ----------
    scores : ndarray of int64, shape [..., n_players]

    Returns
    -------
    ndarray of int64, shape [..., n_players * (n_players - 1) / 2]
        In the order of `seat_pairs`.
    """
    top = top_seats(scores)
    pairs = seat_pairs(scores.shape[-1])
    found: Ints = np.stack([top[..., i] & top[..., j] for i, j in pairs], axis=-1).astype(np.int64)
    return found


def seat_pairs(n_players: int) -> Sequence[tuple[int, int]]:
    """Return each two seats i < j."""
    return list(combinations(range(n_players), 2))
