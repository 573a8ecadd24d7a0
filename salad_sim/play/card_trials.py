"""What trials of cards have in common: the game as it is, of which every moment is kept, and what is counted of games
that branch off from it.

A trial is a pair of games that go on with the same chance, the same deck and the same streams, and differ in one thing.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from salad_sim.game.engine import (
    LEGAL,
    NOT_CONSERVED,
    apply_move,
    draw_cards,
    final_scores,
    lay_out,
    share_win,
    shuffle_deck,
    why_illegal,
)
from salad_sim.game.state import MAX_PLAYERS, N_VEGETABLES, layout
from salad_sim.jit.kernel import kernel
from salad_sim.jit.records import at, fields_of, record_dtype
from salad_sim.jit.rng import RNG, below, seed_stream
from salad_sim.play.card_sums import CROSS, N_LAYERS, TRIAL
from salad_sim.play.moments import keep_memory, keep_moment, moment_fields
from salad_sim.play.shard import choose, is_conserved, seat_players, workspace_dtype

DEALER_STREAM = 1000
"""Purpose of the stream that draws which card is taken out, and which moments are tried."""


@cache
def trial_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of a workspace for trials: what they need and what is counted, and all that a shard has."""
    n_slots = capacity + N_VEGETABLES
    outcome = record_dtype([("scores", "i8", (MAX_PLAYERS,)), ("wins", "i8", (MAX_PLAYERS,))])
    return record_dtype(
        [
            # first, because numba takes a record that begins with the fields of another for a kind of it, and warns
            ("takes", "i8"),  # whether cards are taken and left, not given
            ("takes_out", "i8"),  # whether one card is taken out of every deck
            ("turning", "i8"),  # whether the line-up sits one seat further in each deal
            ("dealer", RNG),
            ("drawn", "i8", (N_VEGETABLES,)),  # of a deck as the plan has it
            ("n_aside", "i8"),
            ("aside", "i8", (capacity,)),
            ("in_deck", "i8", (capacity,)),
            ("facts", layout(capacity).cards),  # of the cards as they are
            *moment_fields(capacity),
            ("plain", outcome),  # of the game as it is
            ("base", outcome),  # of the game that a trial is compared with
            ("seat", "i8"),  # that is given cards
            ("turn", "i8"),  # at which a card is taken or left, and on which pile it lies
            ("pile", "i8"),
            # the trials of the deal
            ("n_tried", "i8"),
            ("slot", "i8", (3 * capacity,)),
            ("layer", "i8", (3 * capacity,)),
            ("dev", "i8", (3 * capacity,)),
            ("won", "i8", (3 * capacity,)),
            # sums
            ("n_games", "i8"),
            ("trials", TRIAL, (N_LAYERS, n_slots)),
            ("cross", CROSS, (N_LAYERS, n_slots, n_slots)),
            *fields_of(workspace_dtype(capacity)),
        ]
    )


# -------------------------------------------------------------------------------------------------- the game as it is


@kernel
def take_out(work, n_cards):
    """Lay one card of the card set aside, out of the shuffled deck if it is in it; return the cards of the deck."""
    table = work.table
    pool = table.public.cards.pool
    card = np.int64(pool[below(work.dealer, table.public.cards.pool_start[N_VEGETABLES])])
    work.aside[0] = card
    work.n_aside = 1
    n_left = 0
    for index in range(n_cards):
        if table.deck[index] != card:
            table.deck[n_left] = table.deck[index]
            n_left += 1
    table.public.drawn[table.public.cards.back[card]] -= n_cards - n_left
    return n_left


@kernel
def list_aside(work, n_cards):
    """List the cards that may play and are not in the deck."""
    table = work.table
    cards = table.public.cards
    for card in range(cards.n_cards):
        work.in_deck[card] = 0
    for index in range(n_cards):
        work.in_deck[table.deck[index]] = 1
    work.n_aside = 0
    for index in range(cards.pool_start[N_VEGETABLES]):
        card = np.int64(cards.pool[index])
        if work.in_deck[card] == 0:
            work.aside[work.n_aside] = card
            work.n_aside += 1


@kernel
def deal_aside(work):
    """Deal the current deal and lay aside the cards that are not in it."""
    table = work.table
    seat_players(work)
    seed_stream(work.dealer, work.seed, work.deal, np.int64(DEALER_STREAM))
    table.public.round_number = 0
    table.public.n_moves = 0
    draw_cards(table)
    n_cards = shuffle_deck(table)
    if work.takes_out:
        n_cards = take_out(work, n_cards)
    else:
        list_aside(work, n_cards)
    lay_out(table, n_cards)


@kernel
def play_on(work, first, second, third, fourth, fifth, sixth):
    """Play from here to the end and score it; return LEGAL or why a move was not."""
    table = work.table
    while table.public.n_left > 0:
        work.move = choose(work, first, second, third, fourth, fifth, sixth)
        reason = why_illegal(table.public, work.move)
        if reason != LEGAL:
            return reason
        apply_move(table, work.move)
    final_scores(table.public, work.scores)
    share_win(table.public, work.scores, table.public.rules.tie_break, work.wins)
    work.n_games += 1
    return LEGAL


@kernel
def copy_outcome(one, other, n_players):
    """Make scores and wins of ``other`` those of ``one``."""
    for seat in range(n_players):
        other.scores[seat] = one.scores[seat]
        other.wins[seat] = one.wins[seat]


@kernel
def play_plain(work, first, second, third, fourth, fifth, sixth):
    """Play the deal as it is and keep every moment; return LEGAL or why a move was not."""
    table = work.table
    work.n_turns = 0
    while table.public.n_left > 0:
        moment = work.moments[work.n_turns]
        keep_moment(work, moment)
        work.move = choose(work, first, second, third, fourth, fifth, sixth)
        reason = why_illegal(table.public, work.move)
        if reason != LEGAL:
            return reason
        moment.move = work.move
        apply_move(table, work.move)
        work.n_turns += 1
    if not is_conserved(table.public):
        return NOT_CONSERVED
    for seat in range(table.public.n_players):
        keep_memory(work, work.n_turns + seat)
    play_on(work, first, second, third, fourth, fifth, sixth)
    copy_outcome(work, work.plain, table.public.n_players)
    copy_outcome(work, work.base, table.public.n_players)
    return LEGAL


# --------------------------------------------------------------------------------------------------- what is counted


@kernel
def count_at(work, here, dev, seat):
    """Count a trial of ``seat`` in the sums ``here``."""
    won = work.wins[seat] - work.base.wins[seat]
    own = work.scores[seat] - work.base.scores[seat]
    here.pairs += 1
    here.dev += dev
    here.dev_squared += dev * dev
    here.wins += won
    here.wins_squared += won * won
    here.own += own
    here.own_squared += own * own
    here.better += (dev > 0) + (dev >= 0)


@kernel
def count_trial(work, slot, layer, seat):
    """Count a game of a trial against the one that it is compared with, and note it for `count_cross`."""
    n_players = work.table.public.n_players
    dev = n_players * (work.scores[seat] - work.base.scores[seat])
    for each in range(n_players):
        dev -= work.scores[each] - work.base.scores[each]
    count_at(work, work.trials[0, slot], dev, seat)
    if layer > 0:
        count_at(work, work.trials[layer, slot], dev, seat)
    work.slot[work.n_tried] = slot
    work.layer[work.n_tried] = layer
    work.dev[work.n_tried] = dev
    work.won[work.n_tried] = work.wins[seat] - work.base.wins[seat]
    work.n_tried += 1


@kernel
def cross_at(here, dev, won, other_dev, other_won):
    """Count two trials of one deal."""
    here.deals += 1
    here.dev += dev
    here.wins += won
    here.dev_dev += dev * other_dev
    here.wins_wins += won * other_won


@kernel
def count_cross(work):
    """Count every two trials of the deal, and of each phase."""
    for index in range(work.n_tried):
        slot, layer, dev, won = work.slot[index], work.layer[index], work.dev[index], work.won[index]
        for other in range(work.n_tried):
            second = work.slot[other]
            cross_at(work.cross[0, at(slot), at(second)], dev, won, work.dev[other], work.won[other])
            if layer > 0 and work.layer[other] == layer:
                cross_at(work.cross[layer, at(slot), at(second)], dev, won, work.dev[other], work.won[other])
