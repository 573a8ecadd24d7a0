"""What a seat cannot see, as it may be: other tables that look the same to it, for strategies that play on in mind.

The players know which cards they have seen, how many cards lie in each pile, and how many of each vegetable the deck
was made of. All that agrees with this is equally likely: the cards left out were drawn at random and the rest shuffled.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from salad_sim.game.moves import N_PILES, N_SLOTS
from salad_sim.game.state import CAPACITY, EARLIER_ROUND, HIDDEN, MAX_PLAYERS, N_VEGETABLES, Dtype, layout
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import at, record_dtype
from salad_sim.jit.rng import RNG, next_word, shuffle_tail


@cache
def playout_dtype(capacity: int = CAPACITY) -> Dtype:
    """Return the dtype of what playing on in mind needs: a table, players who sit at it, and what came of it."""
    house = layout(capacity)
    return record_dtype(
        [
            ("table", house.table),
            ("minds", house.own, (MAX_PLAYERS,)),
            ("rng", RNG),  # of the players
            ("world", RNG),  # of the table, as it was when what is hidden was drawn
            ("scores", "i8", (MAX_PLAYERS,)),
            ("wins", "i8", (MAX_PLAYERS,)),
        ]
    )


@kernel
def copy_view(view, table):
    """Make the public part of ``table`` a copy of ``view``, the facts of the cards too."""
    table.public = view


@kernel
def copy_state(view, table):
    """Bring the public part of ``table`` back to ``view``, of which it was a copy before it was played on.

    The history is left: nothing but what was appended to it has changed.
    """
    copy = table.public
    copy.n_left = view.n_left
    copy.turn = view.turn
    copy.seat = view.seat
    copy.n_market = view.n_market
    copy.n_moves = view.n_moves
    for pile in range(N_PILES):
        copy.top[pile] = view.top[pile]
        copy.pile_size[pile] = view.pile_size[pile]
    for slot in range(N_SLOTS):
        copy.market_card[slot] = view.market_card[slot]
        copy.market[slot] = view.market[slot]
    for seat in range(view.n_players):
        copy.tableau[seat] = view.tableau[seat]
    for card in range(view.cards.n_cards):
        copy.place[card] = view.place[card]


@inline_kernel
def lay_piles(view, table):
    """Give each pile of ``table`` its window into the deck; the windows follow each other."""
    start = np.int64(0)
    for pile in range(N_PILES):
        table.low[pile] = start
        start += view.pile_size[pile]
        table.high[pile] = start


@kernel
def draw_hidden(view, table, rng):
    """Lay piles that look like those of ``view``: seen tops on unseen cards, drawn uniformly from all that may be.

    Parameters
    ----------
    view : public record
    table : record `Layout.table`
        Its deck and piles are written; its public part is not read. ``table.rng`` is seeded anew from ``rng``, so that
        chance that comes later at this table is another one too.
    rng : record `RNG`
    """
    n_drawn = 0
    for veg in range(N_VEGETABLES):
        n_unseen, n_seen = 0, 0
        start, stop = np.int64(view.cards.pool_start[veg]), np.int64(view.cards.pool_start[veg + 1])
        for index in range(start, stop):
            card = view.cards.pool[index]
            place = view.place[at(card)]
            if place == HIDDEN:
                table.pool[n_unseen] = card
                n_unseen += 1
            elif place != EARLIER_ROUND:
                n_seen += 1
        n_in_piles = view.drawn[veg] - n_seen
        if n_in_piles < n_unseen:
            shuffle_tail(rng, table.pool[0:n_unseen], n_unseen, n_in_piles)
        for index in range(n_unseen - n_in_piles, n_unseen):
            table.deck[n_drawn] = table.pool[index]
            n_drawn += 1
    shuffle_tail(rng, table.deck[0:n_drawn], n_drawn, n_drawn)
    spread_hidden(view, table, n_drawn)
    table.rng.a = next_word(rng)
    table.rng.b = next_word(rng)
    table.rng.c = next_word(rng)
    table.rng.counter = np.uint64(1)


@kernel
def spread_hidden(view, table, n_drawn):
    """Lay the first ``n_drawn`` cards of the deck under the tops of the piles."""
    lay_piles(view, table)
    for pile in range(N_PILES - 1, -1, -1):
        low, high = table.low[pile], table.high[pile]
        if high > low:
            for place in range(high - 2, low - 1, -1):
                n_drawn -= 1
                table.deck[place] = table.deck[n_drawn]
            table.deck[high - 1] = view.top[pile]
