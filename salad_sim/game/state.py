"""The state record: one aligned numpy dtype for a table, with all that is public nested in it.

A nested record passes to a kernel by pointer, so a strategy is handed ``table.public`` without a copy and cannot see
what lies outside it: the order of the piles, and which cards were left out of the deck. One record is one memcpy, which
is what rollouts need.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import numpy as np

from salad_sim.game.moves import MOST_DRAFTS, N_PILES, N_SLOTS
from salad_sim.game.rules import CHOICES
from salad_sim.jit.records import record_dtype
from salad_sim.jit.rng import RNG

MAX_PLAYERS = 6
N_VEGETABLES = 6
CAPACITY = 108
"""Cards that the standard record has room for; larger decks take a larger record, see `layout`."""

N_CURVE = 32
"""Numbers of one vegetable, 0..31, for which the standard record keeps what a card is worth in a table."""

NO_VEGETABLE = N_VEGETABLES
"""Where a card asks about fewer than MOST_ASKED vegetables: hands hold a great number of it."""

MOST_ASKED = 3
"""Vegetables that a card of the one-formula kind asks about, see `marginal_value.value_in_hand`."""

N_PARAMS = 32
N_MEMORY = 32
N_SCRATCH = 256

# Where a card is, as every player knows it (view.place). POINTS + seat and VEGETABLE + seat name the owner; a card that
# was seen in an earlier round of a match is not in the deck of this one.
HIDDEN = 0
TOP = 1
MARKET = 2
EARLIER_ROUND = 3
POINTS = 8
VEGETABLE = 16

NONE = -1
"""No card: an empty pile top or market slot."""


Dtype: TypeAlias = np.dtype[np.record]


def _cards(capacity: int, n_curve: int) -> Dtype:
    """The facts of a card set, worked out for the scoring kernels; see `cards.fill_facts`."""
    return record_dtype(
        [
            ("n_cards", "i8"),
            ("n_terms", "i8"),
            ("n_counts", "i8"),
            ("back", "i1", (capacity,)),
            ("kind", "i1", (capacity,)),
            ("veg", "i1", (capacity,)),
            ("only_gains", "i1", (capacity,)),
            ("next_term", "i2", (capacity,)),
            ("linear", "i2", (capacity, N_VEGETABLES)),
            ("needs", "i2", (capacity, N_VEGETABLES)),
            ("asked", "i1", (capacity, MOST_ASKED)),
            ("each", "i2", (capacity, MOST_ASKED)),
            ("set_points", "i2", (capacity,)),
            ("most_points", "i2", (capacity,)),
            ("fewest_points", "i2", (capacity,)),
            ("one_formula", "i1", (capacity,)),
            ("curve", "i4", (capacity, n_curve)),
            ("points", "i2", (capacity,)),
            ("even_points", "i2", (capacity,)),
            ("odd_points", "i2", (capacity,)),
            ("zero_points", "i2", (capacity,)),
            ("most_sets", "i2", (capacity,)),
            ("least", "i2", (capacity,)),
            ("pool", "i2", (capacity,)),
            ("pool_start", "i2", (N_VEGETABLES + 1,)),
        ]
    )


def _tableau(n_held: int) -> Dtype:
    """What lies in front of a seat."""
    return record_dtype(
        [
            ("counts", "i2", (N_VEGETABLES,)),
            ("n_held", "i2"),
            ("n_flipped", "i2"),
            ("held", "i2", (n_held,)),
        ]
    )


def _hand(tableau: Dtype, n_curve: int, n_held: int) -> Dtype:
    """Point cards added up, and what vegetables would add to them; see `gains`."""
    return record_dtype(
        [
            ("mine", tableau),
            ("counts", "i2", (N_VEGETABLES + 1,)),
            ("most_others", "i2", (N_VEGETABLES + 1,)),
            ("fewest_others", "i2", (N_VEGETABLES + 1,)),
            # what the point cards in it add up to; valid for the cards listed in ``held``
            ("n_held", "i2"),
            ("held", "i2", (n_held,)),
            ("linear", "i4", (N_VEGETABLES,)),
            ("curve", "i4", (N_VEGETABLES, n_curve)),
            ("most", "i4", (N_VEGETABLES,)),
            ("fewest", "i4", (N_VEGETABLES,)),
            ("most_total", "i4"),
            ("fewest_total", "i4"),
            ("n_sets", "i2"),
            ("sets", "i2", (n_held,)),
            # what vegetables would add
            ("first_step", "i4", (N_VEGETABLES,)),
            ("second_step", "i4", (N_VEGETABLES,)),
            ("plus_one", "i4", (N_VEGETABLES,)),
            ("together", "i4", (N_VEGETABLES, N_VEGETABLES)),
        ]
    )


def _public(capacity: int, rules: Dtype, tableau: Dtype, cards: Dtype) -> Dtype:
    """All that a careful player knows."""
    return record_dtype(
        [
            ("n_players", "i8"),
            ("n_cards", "i8"),
            ("n_left", "i8"),
            ("n_rounds", "i8"),
            ("round_number", "i8"),
            ("start", "i8"),
            ("turn", "i8"),
            ("seat", "i8"),
            ("rules", rules),
            ("drawn", "i8", (N_VEGETABLES,)),
            ("bonus", "i8", (MAX_PLAYERS,)),
            ("top", "i2", (N_PILES,)),
            ("pile_size", "i2", (N_PILES,)),
            ("n_market", "i8"),
            ("market_card", "i2", (N_SLOTS,)),
            ("market", "i1", (N_SLOTS,)),
            ("tableau", tableau, (MAX_PLAYERS,)),
            ("place", "i1", (capacity,)),
            ("n_moves", "i8"),
            ("history", "i4", (capacity,)),
            ("cards", cards),
        ]
    )


def _table(capacity: int, public: Dtype) -> Dtype:
    """The whole table: what is public, the order of the piles and the stream that deals."""
    return record_dtype(
        [
            ("public", public),
            ("low", "i8", (N_PILES,)),
            ("high", "i8", (N_PILES,)),
            ("first_drawn", "i8", (N_VEGETABLES,)),
            ("rng", RNG),
            ("deck", "i2", (capacity,)),
            ("pool", "i2", (capacity,)),
        ]
    )


def _own(capacity: int, hand: Dtype) -> Dtype:
    """What a player needs to choose a move: parameters, memory that lasts a game, scratch space.

    A strategy that wants more memory declares it. It lies beside this record, ``memory_at`` bytes behind its start.
    """
    return record_dtype(
        [
            ("params", "f8", (N_PARAMS,)),
            ("memory_at", "i8"),
            ("memory_size", "i8"),
            ("memory", "i8", (N_MEMORY,)),
            ("n_drafts", "i8"),
            ("drafts", "i8", (MOST_DRAFTS,)),
            ("gains", "i8", (MOST_DRAFTS,)),
            ("equal", "i8", (capacity,)),
            ("hand", hand),
            ("scratch", "f8", (N_SCRATCH,)),
        ]
    )


class Layout:
    """The record dtypes for decks of up to ``capacity`` cards and terms."""

    def __init__(self, capacity: int) -> None:
        n_curve = N_CURVE if capacity == CAPACITY else capacity + 4
        n_held = capacity // 2 + 2  # others take a card whenever one seat does, so no seat can hold more
        self.capacity = capacity
        self.most_of_one = n_curve - 4  # cards of one vegetable: strategies ask about up to three more than are owned
        self.rules = record_dtype([(name, "i8") for name in CHOICES])
        self.cards = _cards(capacity, n_curve)
        self.tableau = _tableau(n_held)
        self.hand = _hand(self.tableau, n_curve, n_held)
        self.public = _public(capacity, self.rules, self.tableau, self.cards)
        self.table = _table(capacity, self.public)
        self.own = _own(capacity, self.hand)


@cache
def layout(capacity: int = CAPACITY) -> Layout:
    """Return the record dtypes with room for ``capacity`` cards (one object for each capacity).

    Room is made for a multiple of four, so that each number stands at a multiple of its size.
    """
    return Layout(-(-capacity // 4) * 4)
