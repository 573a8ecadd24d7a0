"""A shard of hand-draft games: a range of deals played by one kernel on one workspace record.

The workspace has the fields of the main game's, around another table, and counts by the same kernels.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from salad_sim.game.engine import LEGAL, NOT_CONSERVED
from salad_sim.game.state import MAX_PLAYERS, N_VEGETABLES
from salad_sim.hand_draft.engine import apply_move, deal, is_over, why_illegal
from salad_sim.hand_draft.moves import N_SLOTS
from salad_sim.hand_draft.state import hand_layout, with_fields
from salad_sim.jit.kernel import kernel
from salad_sim.jit.records import at
from salad_sim.play import shard as main_game
from salad_sim.play.shard import DIGIT, choose, count_game, seat_players, shard_kernel, signature_of, sum_round
from salad_sim.play.tally import close_deal


@cache
def workspace_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of all that one shard needs: the job, the table, the seats' own records, the tally."""
    house = hand_layout(capacity)
    own = (house.own, (MAX_PLAYERS,))
    return with_fields(main_game.workspace_dtype(capacity), {"table": (house.table,), "own": own})


@kernel
def begin_game(work):
    """Seed the streams of the current deal, deal it, and clear what the seats remember."""
    seat_players(work)
    deal(work.table)


@kernel
def play_game(work, first, second, third, fourth, fifth, sixth):
    """Play the current deal in the current rotation to its end; return LEGAL or why a move was not."""
    begin_game(work)
    table = work.table
    dealt = sum_of_cards(table)
    while not is_over(table.public):
        work.move = choose(work, first, second, third, fourth, fifth, sixth)
        reason = why_illegal(table.public, work.move)
        if reason != LEGAL:
            return reason
        apply_move(table, work.move)
    sum_round(work)
    return LEGAL if sum_of_cards(table) == dealt else NOT_CONSERVED


@kernel
def sum_of_cards(table):
    """Return how many cards of each vegetable are in the game, as digits of one number; of the first or last moment."""
    view = table.public
    back = view.cards.back
    total = np.int64(0)
    for index in range(view.pile_size):
        total += np.int64(1) << (DIGIT * np.int64(back[at(table.deck[at(index)])]))
    for slot in range(N_SLOTS):
        if view.face[at(slot)] >= 0:
            total += np.int64(1) << (DIGIT * np.int64(back[at(view.face[at(slot)])]))
    for index in range(view.n_thrown):
        total += np.int64(1) << (DIGIT * np.int64(back[at(table.thrown[at(index)])]))
    for seat in range(view.n_players):
        tableau = view.tableau[seat]
        for veg in range(N_VEGETABLES):
            total += np.int64(tableau.counts[veg]) << (DIGIT * veg)
        for index in range(min(tableau.n_held, len(tableau.held))):
            total += np.int64(1) << (DIGIT * np.int64(back[at(table.hands[at(seat), at(index)])]))
    return total


@kernel
def play_shard(work, first, second, third, fourth, fifth, sixth):
    """Play every rotation of every deal of the shard into work.tally; return LEGAL, or stop at an illegal move."""
    for deal_number in range(work.first_deal, work.first_deal + work.n_deals):
        work.deal = deal_number
        for rotation in range(work.n_rotations):
            work.rotation = rotation
            reason = play_game(work, first, second, third, fourth, fifth, sixth)
            if reason != LEGAL:
                return reason
            count_game(work)
        close_deal(work.tally, work.sums, work.table.public.n_players)
    return LEGAL


@cache
def choice_signature(capacity: int) -> Any:
    """Return the one signature of a strategy of the hand-draft game: choose(view, own, rng) -> move."""
    return signature_of(hand_layout(capacity))


@cache
def shard_player(capacity: int) -> Any:
    """Compile (or load) `play_shard` for records of ``capacity`` and return it."""
    return shard_kernel(play_shard, workspace_dtype(capacity), choice_signature(capacity))
