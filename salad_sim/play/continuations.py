"""Continuations: a position played on from each of several moves, at tables that agree with all that is known of it.

A table is drawn in two steps: vegetables whose point sides nobody knows get cards that may be theirs, then the piles
are laid. All moves are played on at the same tables, with the same chance to come, so that their luck is the same.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from salad_sim.game.determinization import copy_state, copy_view, draw_hidden, lay_piles
from salad_sim.game.engine import LEGAL, apply_move, final_scores, share_win, why_illegal
from salad_sim.game.moves import N_SLOTS
from salad_sim.game.scoring import card_value
from salad_sim.game.state import HIDDEN, MARKET, MAX_PLAYERS, N_VEGETABLES, NONE, VEGETABLE, layout
from salad_sim.jit.kernel import kernel
from salad_sim.jit.records import at, fields_of, record_dtype
from salad_sim.jit.rng import RNG, seed_stream, shuffle_tail
from salad_sim.play.shard import choice_signature, play_round, shard_kernel, workspace_dtype
from salad_sim.strategy.memory import clear_memory

N_ARMS = 64
"""Moves that are played on in one go."""

MOST_WORLDS = 32
"""Tables of a shard, at most."""

HIDDEN_STREAM = 64
"""Purpose of the stream that draws what is hidden; deals and seats use lower ones."""


@cache
def continuation_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of a workspace with the position, the moves that are tried, and what came of them."""
    house = layout(capacity)
    return record_dtype(
        [
            *fields_of(workspace_dtype(capacity)),
            ("start", house.public),  # market cards that nobody knows are NONE there
            ("unknown", "i8", (MAX_PLAYERS, N_VEGETABLES)),  # vegetables in front of seats that nobody knows
            ("n_arms", "i8"),
            ("arms", "i8", (N_ARMS,)),
            ("known", house.public),  # the position with a card for each vegetable
            ("dealer", RNG),
            ("world", RNG),
            ("won", "i1", (MOST_WORLDS, N_ARMS, MAX_PLAYERS)),  # in sixtieths
            ("scored", "i4", (MOST_WORLDS, N_ARMS, MAX_PLAYERS)),
            ("card_worth", "i8", (N_ARMS, capacity)),  # of the mover's cards at the end, by card, summed
            ("card_kept", "i8", (N_ARMS, capacity)),
        ]
    )


@kernel
def name_vegetable(work, veg, n_unseen):
    """Give every unknown vegetable of one kind a card, from the end of the unseen ones in the pool."""
    view, pool = work.known, work.table.pool
    left = n_unseen
    for slot in range(N_SLOTS):
        if view.market[slot] == veg and view.market_card[slot] == NONE:
            left -= 1
            view.market_card[slot] = pool[left]
            view.place[at(pool[left])] = MARKET
    for seat in range(view.n_players):
        for _ in range(work.unknown[seat, veg]):
            left -= 1
            view.place[at(pool[left])] = VEGETABLE + seat


@kernel
def name_vegetables(work):
    """Give every vegetable that nobody knows a card, drawn uniformly from those that it may be."""
    view, pool = work.known, work.table.pool
    for veg in range(N_VEGETABLES):
        n_unseen, n_wanted = 0, 0
        for index in range(np.int64(view.cards.pool_start[veg]), np.int64(view.cards.pool_start[veg + 1])):
            card = view.cards.pool[index]
            if view.place[at(card)] == HIDDEN:
                pool[n_unseen] = card
                n_unseen += 1
        for slot in range(N_SLOTS):
            n_wanted += view.market[slot] == veg and view.market_card[slot] == NONE
        for seat in range(view.n_players):
            n_wanted += work.unknown[seat, veg]
        if n_wanted > 0:
            shuffle_tail(work.dealer, pool[0:n_unseen], n_unseen, n_wanted)
            name_vegetable(work, veg, n_unseen)


@kernel
def begin_world(work):
    """Draw a table that agrees with the position: the work.deal-th one of the seed."""
    seed_stream(work.dealer, work.seed, work.deal, np.int64(HIDDEN_STREAM))
    work.known = work.start
    name_vegetables(work)
    draw_hidden(work.known, work.table, work.dealer)
    work.world = work.table.rng


@kernel
def keep_end(work, world, arm):
    """Note how a continuation ended."""
    view = work.table.public
    final_scores(view, work.scores)
    share_win(view, work.scores, view.rules.tie_break, work.wins)
    for seat in range(view.n_players):
        work.won[world, arm, seat] = work.wins[seat]
        work.scored[world, arm, seat] = work.scores[seat]
    mover = np.int64(work.start.seat)
    tableau = view.tableau[at(mover)]
    for index in range(tableau.n_held):
        card = np.int64(tableau.held[index])
        work.card_worth[arm, card] += card_value(view, mover, tableau, card)
        work.card_kept[arm, card] += 1


@kernel
def begin_continuation(work):
    """Bring the table back to the position, and everybody who plays on to the same chance as before."""
    table = work.table
    copy_state(work.known, table)
    lay_piles(work.known, table)
    table.rng = work.world
    for seat in range(work.known.n_players):
        seed_stream(work.rng[seat], work.seed, work.deal, seat + 1)
        clear_memory(work.own[seat])


@kernel
def play_on(work, first, second, third, fourth, fifth, sixth):
    """Play on from every move at every table of the shard; return LEGAL, or stop at an illegal move."""
    copy_view(work.start, work.table)
    for arm in range(work.n_arms):
        for card in range(work.start.cards.n_cards):
            work.card_worth[arm, card] = 0
            work.card_kept[arm, card] = 0
    for world in range(work.n_deals):
        work.deal = work.first_deal + world
        begin_world(work)
        for arm in range(work.n_arms):
            begin_continuation(work)
            work.move = work.arms[arm]
            reason = why_illegal(work.table.public, work.move)
            if reason != LEGAL:
                return reason
            apply_move(work.table, work.move)
            reason = play_round(work, first, second, third, fourth, fifth, sixth)
            if reason != LEGAL:
                return reason
            keep_end(work, world, arm)
    return LEGAL


@cache
def continuation_player(capacity: int) -> Any:
    """Compile (or load) `play_on` for records of ``capacity`` and return it."""
    return shard_kernel(play_on, continuation_dtype(capacity), choice_signature(capacity))
