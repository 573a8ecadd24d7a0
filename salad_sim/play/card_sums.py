"""What the card kernels count, as integers, and how two counts add.

A seat's *deviation* in a game is n times its score less the sum of all n scores: a whole number, and its margin over
the mean of the others is the deviation divided by n - 1. Wins are in sixtieths, see `engine.WHOLE_WIN`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from salad_sim.game.state import MAX_PLAYERS, N_VEGETABLES
from salad_sim.jit.records import record_dtype
from salad_sim.jit.typing import Ints

MOST_CARDS = 400
"""Cards of a set, at most: what is counted of pairs grows with the square."""

LEAST_BIN = -40
N_BINS = 128
"""Points of a kept card are counted one by one from LEAST_BIN on; the first and the last bin hold those beyond, too."""

CARD = record_dtype(
    [
        # games in which the card was in the deck; lay on top of a pile when a seat was to move; was taken for its
        # points; was kept to the end; was flipped; came to the market as a vegetable
        ("dealt", "i8"),
        ("seen", "i8"),
        ("taken", "i8"),
        ("kept", "i8"),
        ("flipped", "i8"),
        ("market", "i8"),
        # turns at which it could be taken for its points; sums over games of their square, and over those it was taken
        ("looks", "i8"),
        ("looks_squared", "i8"),
        ("taken_looks", "i8"),
        # the seat's own turn, from 1, at which it was taken and (games seen) at which it could last be taken
        ("taken_at", "i8"),
        ("taken_at_squared", "i8"),
        ("last_seen", "i8"),
        ("last_seen_squared", "i8"),
        # what it scored when kept
        ("points", "i8"),
        ("points_squared", "i8"),
        ("zero", "i8"),
        ("negative", "i8"),
        # wins in sixtieths of who kept it, who took it, and of the seats that could take it and did not
        ("wins_kept", "i8"),
        ("wins_kept_squared", "i8"),
        ("wins_taken", "i8"),
        ("wins_taken_squared", "i8"),
        ("left", "i8"),
        ("left_squared", "i8"),
        ("wins_left", "i8"),
        ("wins_left_squared", "i8"),
        ("left_wins", "i8"),
        # deviation of who kept it
        ("dev", "i8"),
        ("dev_squared", "i8"),
        ("dev_wins", "i8"),
        ("kept_at", "i8", (MAX_PLAYERS,)),
        ("points_at", "i8", (N_BINS,)),
    ]
)
"""Sums over games, of one card."""

PAIR = record_dtype(
    [
        # games in which one seat kept both; in which both were kept, by whomever
        ("same", "i8"),
        ("both", "i8"),
        # sum over games in which one seat kept both, of the seat's deviation, less what its cards are worth if known
        ("dev", "i8"),
    ]
)
"""Sums over games, of two cards c < d, at place ``d (d - 1) / 2 + c``."""

WORTH_UNITS = 1024
"""Where the worth of cards is known (`effect` of the job), deviations of pairs are in units of 1 / 1024."""

N_PHASES = 4
PHASE_TURNS = 3
"""Own turns of a seat in a phase of the game; the last phase has all later ones."""

N_LAYERS = 1 + N_PHASES
"""All trials together, then those of each phase."""

TRIAL = record_dtype(
    [
        # pairs of games that differ in one thing: with a gift and without, a card taken and left
        ("pairs", "i8"),
        # differences, with less without, of the seat's deviation, wins (sixtieths) and own score
        ("dev", "i8"),
        ("dev_squared", "i8"),
        ("wins", "i8"),
        ("wins_squared", "i8"),
        ("own", "i8"),
        ("own_squared", "i8"),
        # pairs in which the deviation was higher with it, counted twice, and those in which it was the same
        ("better", "i8"),
        # gifts: games in which it was kept to the end, and what it then scored
        ("kept", "i8"),
        ("points", "i8"),
    ]
)
"""Sums over pairs of games, of one card."""

CROSS = record_dtype([("deals", "i8"), ("dev", "i8"), ("wins", "i8"), ("dev_dev", "i8"), ("wins_wins", "i8")])
"""Sums over every two trials of a deal, of cards c and d, at [c, d]: how many; the differences of c; the products of
the differences of c and d. A trial goes with itself, too."""


def n_pairs(n_cards: int) -> int:
    """Return how many pairs there are."""
    return n_cards * (n_cards - 1) // 2


@cache
def pair_cards(n_cards: int) -> tuple[Ints, Ints]:
    """Return the two cards of each pair, by place: int64 [n_pairs], first < second."""
    second, first = np.tril_indices(n_cards, -1)
    return first.astype(np.int64), second.astype(np.int64)


@dataclass(frozen=True)
class CardSums:
    """What was counted of a line-up, in blocks of deals of equal size (a stop may leave the last one short).

    Attributes
    ----------
    n_players : int
    n_games : ndarray of int64, shape [n_blocks]
        Each deal is one game.
    cards : ndarray of dtype CARD, shape [n_blocks, n_cards]
    pairs : ndarray of dtype PAIR, shape [n_blocks, n_pairs]
    seat_dev, seat_wins : ndarray of int64, shape [n_blocks, n_players]
        Sums over games of each seat's deviation, and of its wins in sixtieths.
    dev_squared, wins_squared : ndarray of int64, shape [n_blocks]
        Sums over games and seats of the squares of the deviation, and of n times the seat's wins less 60.
    dev_extra, extra_squared : ndarray of int64, shape [n_blocks], optional
        Sums over games and seats of the deviation times what pairs of cards say of it, and of the square of that.
    """

    n_players: int
    n_games: Ints
    cards: npt.NDArray[np.void]
    pairs: npt.NDArray[np.void]
    seat_dev: Ints
    seat_wins: Ints
    dev_squared: Ints
    wins_squared: Ints
    dev_extra: Ints | None = None
    extra_squared: Ints | None = None

    @property
    def n_cards(self) -> int:
        """Cards of the set."""
        return int(self.cards.shape[1])


@dataclass(frozen=True)
class TrialSums:
    """What trials of cards did: gifts of them, or taking them.

    Attributes
    ----------
    n_players : int
    n_deals : int
    n_games : int
        Games that were played, parts of games counted as whole.
    trials : ndarray of dtype TRIAL, shape [N_LAYERS, n_cards + 6]
        By layer: all, then by phase (of gifts only all). The last six are blank cards, by their back.
    cross : ndarray of dtype CROSS, shape [N_LAYERS, n_cards + 6, n_cards + 6]
    """

    n_players: int
    n_deals: int
    n_games: int
    trials: npt.NDArray[np.void]
    cross: npt.NDArray[np.void]


def total(records: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """Return the sum over the first axis of records whose fields are integers."""
    found = np.zeros(records.shape[1:], dtype=records.dtype)
    for name in records.dtype.names or ():
        found[name] = records[name].sum(axis=0)
    return found


def add_trials(one: TrialSums, other: TrialSums) -> TrialSums:
    """Return the sums over the deals of both, which must be different ones."""
    trials, cross = (total(np.stack([getattr(one, name), getattr(other, name)])) for name in ("trials", "cross"))
    return TrialSums(one.n_players, one.n_deals + other.n_deals, one.n_games + other.n_games, trials, cross)


def no_trials(n_players: int, n_cards: int) -> TrialSums:
    """Return the sums of no deals."""
    n = n_cards + N_VEGETABLES
    return TrialSums(n_players, 0, 0, np.zeros((N_LAYERS, n), TRIAL), np.zeros((N_LAYERS, n, n), CROSS))
