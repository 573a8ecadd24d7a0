"""A shard in which the dealer gives and offers cards: what a card causes, and not who can afford it.

Every deal is played once as it is. The cards that were left out of its deck are then given to a seat, one at a time,
in a game that is the same in all else: the same deck, the same streams of chance. Given that a card is not in the deck,
the deck is a random one without it, so each of these pairs is a fair trial of its card. Where no card is left out (six
players) one card is taken out first.

A card is also offered for one turn, on top of a pile whose card the seat does not take in the game as it is. If the
seat takes it, the game goes on from there; if not, the dealer takes the card back and the game is the one that it was:
the difference is nothing.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from salad_sim.game.engine import (
    LEGAL,
    apply_move,
    draw_cards,
    final_scores,
    hold,
    lay_out,
    share_win,
    shuffle_deck,
    why_illegal,
)
from salad_sim.game.moves import N_PILES, draft_of
from salad_sim.game.rng import RNG, below, next_word, seed_stream
from salad_sim.game.scoring import card_value
from salad_sim.game.state import HIDDEN, MAX_PLAYERS, N_VEGETABLES, NONE, POINTS, TOP
from salad_sim.jit.kernel import kernel
from salad_sim.jit.records import at, fields_of, record_dtype
from salad_sim.play.card_sums import CROSS, GIFT, N_TURNS, OFFER
from salad_sim.play.moments import keep_memory, keep_moment, moment_fields, return_to
from salad_sim.play.shard import choice_signature, choose, seat_players, shard_kernel, workspace_dtype

DEALER_STREAM = 1000
"""Purpose of the stream that draws which card is taken out, and when and where cards are offered."""

MANY = 12
"""Where so many cards are left out of a deck, each is offered once; fewer are offered at each turn of the table."""


@cache
def gift_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of a workspace for gifts: what they need and what is counted, and all that a shard has."""
    return record_dtype(
        [
            # first, because numba takes a record that begins with the fields of another for a kind of it, and warns
            ("takes_out", "i8"),  # whether one card is taken out of every deck
            ("turning", "i8"),  # whether the line-up sits one seat further in each deal
            ("dealer", RNG),
            ("drawn", "i8", (N_VEGETABLES,)),  # of a deck as the plan has it
            ("n_aside", "i8"),
            ("aside", "i8", (capacity,)),
            *moment_fields(capacity),
            ("seat", "i8"),  # that is given cards
            ("turn", "i8"),  # at which a card is offered
            ("plain_scores", "i8", (MAX_PLAYERS,)),  # of the game as it is
            ("plain_wins", "i8", (MAX_PLAYERS,)),
            ("dev", "i8", (capacity,)),
            ("won", "i8", (capacity,)),
            # sums
            ("n_games", "i8"),
            ("gifts", GIFT, (capacity,)),
            ("cross", CROSS, (capacity, capacity)),
            ("offers", OFFER, (capacity, N_TURNS)),
            *fields_of(workspace_dtype(capacity)),
        ]
    )


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
        work.dev[card] = 0
    for index in range(n_cards):
        work.dev[table.deck[index]] = 1
    work.n_aside = 0
    for index in range(cards.pool_start[N_VEGETABLES]):
        card = np.int64(cards.pool[index])
        if work.dev[card] == 0:
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
    for seat in range(table.public.n_players):
        keep_memory(work, work.n_turns + seat)
    play_on(work, first, second, third, fourth, fifth, sixth)
    for seat in range(table.public.n_players):
        work.plain_scores[seat] = work.scores[seat]
        work.plain_wins[seat] = work.wins[seat]
    return LEGAL


@kernel
def gained(work, seat):
    """Return by how much the deviation of ``seat`` is higher than in the game as it is."""
    n_players = work.table.public.n_players
    more = n_players * (work.scores[seat] - work.plain_scores[seat])
    for each in range(n_players):
        more -= work.scores[each] - work.plain_scores[each]
    return more


@kernel
def count_gift(work, card, seat):
    """Count a game in which ``seat`` was given a card."""
    view = work.table.public
    here = work.gifts[card]
    dev = gained(work, seat)
    won = work.wins[seat] - work.plain_wins[seat]
    own = work.scores[seat] - work.plain_scores[seat]
    work.dev[card] = dev
    work.won[card] = won
    here.pairs += 1
    here.dev += dev
    here.dev_squared += dev * dev
    here.wins += won
    here.wins_squared += won * won
    here.own += own
    here.own_squared += own * own
    here.at_seat[seat] += 1
    here.dev_at_seat[seat] += dev
    here.dev_squared_at_seat[seat] += dev * dev
    if view.place[card] == POINTS + seat:
        here.kept += 1
        here.points += card_value(view, seat, view.tableau[seat], card)


@kernel
def count_cross(work):
    """Count every two cards that were given in the same deal."""
    for index in range(work.n_aside):
        card = work.aside[index]
        dev, won = work.dev[card], work.won[card]
        for other in range(work.n_aside):
            second = work.aside[other]
            here = work.cross[at(card), at(second)]
            here.deals += 1
            here.dev += dev
            here.wins += won
            here.dev_dev += dev * work.dev[second]
            here.wins_wins += won * work.won[second]


@kernel
def play_given(work, card, first, second, third, fourth, fifth, sixth):
    """Play the deal with a card in front of the seat that is given it; return LEGAL or why a move was not."""
    return_to(work, 0)
    view = work.table.public
    view.drawn[view.cards.back[card]] += 1  # the players see that the game has one more of it
    hold(view, work.seat, card)
    reason = play_on(work, first, second, third, fourth, fifth, sixth)
    view.drawn[view.cards.back[card]] -= 1
    return reason


@kernel
def lay_offer(table, card, pile):
    """Lay a card on a pile; the card below it is covered."""
    view = table.public
    if view.top[pile] != NONE:
        view.place[view.top[pile]] = HIDDEN
    view.top[pile] = card
    view.place[card] = TOP
    view.pile_size[pile] += 1
    table.high[pile] += 1  # the deck is left as it is: whoever takes the card uncovers the one below
    view.n_left += 1
    view.drawn[view.cards.back[card]] += 1


@kernel
def unwanted_pile(work, turn):
    """Draw a pile from which no card is taken at a turn of the game as it is."""
    draft = draft_of(work.moments[turn].move)
    if draft >= N_PILES:
        return below(work.dealer, N_PILES)
    return (draft + 1 + below(work.dealer, N_PILES - 1)) % N_PILES


@kernel
def reseed(rng, dealer):
    """Give a seat chance that it has not used in the game as it is."""
    rng.a = next_word(dealer)
    rng.b = next_word(dealer)
    rng.c = next_word(dealer)
    rng.counter = np.uint64(1)


@kernel
def play_offered(work, card, first, second, third, fourth, fifth, sixth):
    """Offer a card at the turn that was chosen and play on if it is taken; count it; return LEGAL or why not.

    The seat decides with chance of its own: with that of the game as it is it would do what it did there, and the pile
    was chosen by that.
    """
    turn = work.turn
    return_to(work, turn)
    table = work.table
    view = table.public
    seat = view.seat
    here = work.offers[card, min(turn // view.n_players, N_TURNS - 1)]
    pile = unwanted_pile(work, turn)
    reseed(work.rng[seat], work.dealer)
    lay_offer(table, card, pile)
    work.move = choose(work, first, second, third, fourth, fifth, sixth)
    reason = why_illegal(view, work.move)
    here.offers += 1
    if reason == LEGAL and draft_of(work.move) == pile:
        apply_move(table, work.move)
        reason = play_on(work, first, second, third, fourth, fifth, sixth)
        dev, won = gained(work, seat), work.wins[seat] - work.plain_wins[seat]
        here.taken += 1
        here.dev += dev
        here.dev_squared += dev * dev
        here.wins += won
        here.wins_squared += won * won
    view.drawn[view.cards.back[card]] -= 1
    return reason


@kernel
def make_offers(work, card, first, second, third, fourth, fifth, sixth):
    """Offer a card at one turn drawn at random or, where few cards are aside, once at each turn of the table."""
    n_players = work.table.public.n_players
    if work.n_aside >= MANY:
        work.turn = below(work.dealer, work.n_turns)
        return play_offered(work, card, first, second, third, fourth, fifth, sixth)
    for start in range(0, work.n_turns, n_players):
        work.turn = start + below(work.dealer, min(n_players, work.n_turns - start))
        reason = play_offered(work, card, first, second, third, fourth, fifth, sixth)
        if reason != LEGAL:
            return reason
    return LEGAL


@kernel
def play_deal(work, first, second, third, fourth, fifth, sixth):
    """Play the current deal without a gift and with each gift and offer; return LEGAL or why a move was not."""
    n_players = work.table.public.n_players
    work.rotation = work.deal % n_players if work.turning else 0
    work.seat = work.deal // (n_players if work.turning else 1) % n_players
    deal_aside(work)
    reason = play_plain(work, first, second, third, fourth, fifth, sixth)
    if reason != LEGAL:
        return reason
    for index in range(work.n_aside):
        card = work.aside[index]
        reason = play_given(work, card, first, second, third, fourth, fifth, sixth)
        if reason != LEGAL:
            return reason
        count_gift(work, card, work.seat)
    count_cross(work)
    for index in range(work.n_aside):
        reason = make_offers(work, work.aside[index], first, second, third, fourth, fifth, sixth)
        if reason != LEGAL:
            return reason
    return LEGAL


@kernel
def play_gifts(work, first, second, third, fourth, fifth, sixth):
    """Play the deals of a shard with gifts and offers; return LEGAL, or stop at an illegal move."""
    view = work.table.public
    for turn in range(work.moments.shape[0]):
        work.moments[turn].table.public.n_players = view.n_players
        work.moments[turn].table.public.cards.n_cards = view.cards.n_cards
    for veg in range(N_VEGETABLES):
        work.drawn[veg] = view.drawn[veg]
    for deal in range(work.first_deal, work.first_deal + work.n_deals):
        work.deal = deal
        reason = play_deal(work, first, second, third, fourth, fifth, sixth)
        if reason != LEGAL:
            return reason
        for veg in range(N_VEGETABLES):
            view.drawn[veg] = work.drawn[veg]
    return LEGAL


@cache
def gift_player(capacity: int) -> Any:
    """Compile (or load) `play_gifts` for records of ``capacity`` and return it."""
    return shard_kernel(play_gifts, gift_dtype(capacity), choice_signature(capacity))
