"""A shard in which cards are given, or must be taken or left: what a card causes, and not who can afford it.

Every deal is played once as it is. Two kinds of trials branch off from it, each a pair of games that go on with the
same chance: the same deck, the same streams.

*Gifts.* The cards that were left out of the deck are given to a seat from the start, one at a time, and a blank card of
each back, which scores nothing: the facts of one of the cards aside are made those of a blank for that game. Given that
a card is not in the deck, the deck is a random one without it, so each of these pairs is a fair trial of its card.
Where no card is left out (six players) one card is taken out first.

*Takes.* Of all moments of the game at which a card lies on a pile, some are drawn. The seat to move takes that card,
and flips as it then likes; or it makes its own choice among everything else. A strategy is made to leave a card by a
view in which that pile has no top (what lies in it seems to lie in another one), and made to take it by a view in which
all else lies below it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from salad_sim.game.card_kinds import LINEAR
from salad_sim.game.engine import LEGAL, apply_move, hold, why_illegal
from salad_sim.game.moves import N_PILES, N_SLOTS, draft_of
from salad_sim.game.scoring import card_value
from salad_sim.game.state import EARLIER_ROUND, HIDDEN, N_VEGETABLES, NO_VEGETABLE, NONE, POINTS
from salad_sim.jit.kernel import kernel
from salad_sim.jit.rng import below
from salad_sim.play.card_sums import N_PHASES, PHASE_TURNS
from salad_sim.play.card_trials import (
    copy_outcome,
    count_cross,
    count_trial,
    deal_aside,
    play_on,
    play_plain,
    trial_dtype,
)
from salad_sim.play.moments import keep_table, return_to
from salad_sim.play.shard import choice_signature, choose, place_of, shard_kernel

EVERY = 6
"""One in so many of the moments at which a card lies on a pile is drawn."""


# -------------------------------------------------------------------------------------------------------------- gifts


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
def make_blank(cards, card):
    """Let a card score nothing, whatever one holds."""
    cards.next_term[card] = -1
    cards.kind[card] = LINEAR
    cards.veg[card] = -1
    cards.only_gains[card] = 1
    cards.one_formula[card] = 1
    cards.points[card] = 0
    cards.set_points[card] = 0
    cards.most_points[card] = 0
    cards.fewest_points[card] = 0
    cards.even_points[card] = 0
    cards.odd_points[card] = 0
    cards.zero_points[card] = 0
    cards.most_sets[card] = 0
    cards.least[card] = 0
    for veg in range(N_VEGETABLES):
        cards.linear[card, veg] = 0
        cards.needs[card, veg] = 0
    for place in range(cards.asked.shape[1]):
        cards.asked[card, place] = NO_VEGETABLE
        cards.each[card, place] = 0
    for count in range(cards.curve.shape[1]):
        cards.curve[card, count] = 0


@kernel
def forget_hands(work):
    """Let no seat hold what it worked out of its cards for true: the facts of a card are others now."""
    for place in range(work.table.public.n_players):
        work.own[place].hand.n_held = NONE


@kernel
def play_blanks(work, first, second, third, fourth, fifth, sixth):
    """Give a blank card of each back of which a card is aside, each of these as likely; return LEGAL or why not."""
    view = work.table.public
    for back in range(N_VEGETABLES):
        chosen, n_alike = np.int64(0), np.int64(0)
        for index in range(work.n_aside):
            if view.cards.back[work.aside[index]] == back:
                n_alike += 1
                if below(work.dealer, n_alike) == 0:
                    chosen = work.aside[index]
        if n_alike > 0:
            make_blank(view.cards, chosen)
            forget_hands(work)
            reason = play_given(work, chosen, first, second, third, fourth, fifth, sixth)
            view.cards = work.facts
            forget_hands(work)
            if reason != LEGAL:
                return reason
            count_trial(work, view.cards.n_cards + back, 0, work.seat)
    return LEGAL


@kernel
def play_gifts(work, first, second, third, fourth, fifth, sixth):
    """Give each card that is aside, and blank ones; return LEGAL or why a move was not."""
    view = work.table.public
    for index in range(work.n_aside):
        card = work.aside[index]
        reason = play_given(work, card, first, second, third, fourth, fifth, sixth)
        if reason != LEGAL:
            return reason
        count_trial(work, card, 0, work.seat)
        if view.place[card] == POINTS + work.seat:
            here = work.trials[0, card]
            here.kept += 1
            here.points += card_value(view, work.seat, view.tableau[work.seat], card)
    return play_blanks(work, first, second, third, fourth, fifth, sixth)


# -------------------------------------------------------------------------------------------------------------- takes


@kernel
def hide_top(view, pile):
    """Show a view in which a pile has no top: its cards seem to lie in the first other pile that there is."""
    card = view.top[pile]
    n_cards = view.pile_size[pile]
    view.top[pile] = NONE
    view.pile_size[pile] = 0
    view.place[card] = HIDDEN
    for other in range(N_PILES):
        if view.pile_size[other] > 0:
            view.pile_size[other] += n_cards
            return
    view.place[card] = EARLIER_ROUND  # there is no other pile: it seems to be gone
    view.n_left -= n_cards


@kernel
def hide_rest(view, pile):
    """Show a view in which nothing but the top of one pile can be taken: all else seems to lie below it."""
    for other in range(N_PILES):
        if other != pile and view.pile_size[other] > 0:
            view.place[view.top[other]] = HIDDEN
            view.top[other] = NONE
            view.pile_size[other] = 0
    for slot in range(N_SLOTS):
        if view.market_card[slot] != NONE:
            view.place[view.market_card[slot]] = HIDDEN
            view.market_card[slot] = NONE
            view.market[slot] = NONE
    view.n_market = 0
    view.pile_size[pile] = view.n_left


@kernel
def is_as_it_was(work, turn, seat):
    """Return whether the game goes on from here as it did: the seat made the same move and remembers the same."""
    own = work.own[place_of(work, seat)]
    if work.move != work.moments[turn].move or own.memory_size > 0:
        return False
    if turn + 1 == work.n_turns:
        return True
    rng, then = work.rng[seat], work.moments[turn + 1]
    was = then.rng[seat]
    if rng.a != was.a or rng.b != was.b or rng.c != was.c or rng.counter != was.counter:
        return False
    n_other = 0
    for place in range(own.memory.shape[0]):
        n_other += own.memory[place] != then.memory[seat, place]
    return n_other == 0


@kernel
def play_arm(work, takes, first, second, third, fourth, fifth, sixth):
    """Play on from a turn with the top of a pile taken, or with the best of all else; return LEGAL or why not."""
    turn, pile = work.turn, work.pile
    moment = work.moments[turn]
    table = work.table
    n_players = table.public.n_players
    if takes and draft_of(moment.move) == pile:
        copy_outcome(work.plain, work, n_players)
        return LEGAL
    return_to(work, turn)
    seat = table.public.seat
    if takes:
        hide_rest(table.public, pile)
    else:
        hide_top(table.public, pile)
    work.move = choose(work, first, second, third, fourth, fifth, sixth)
    reason = why_illegal(table.public, work.move)
    if reason != LEGAL:
        return reason
    if is_as_it_was(work, turn, seat):
        copy_outcome(work.plain, work, n_players)
        return LEGAL
    keep_table(moment.table, table)
    apply_move(table, work.move)
    return play_on(work, first, second, third, fourth, fifth, sixth)


@kernel
def play_takes(work, first, second, third, fourth, fifth, sixth):
    """Take and leave the cards on the piles at moments that are drawn; return LEGAL or why a move was not."""
    n_players = work.table.public.n_players
    for turn in range(work.n_turns):
        then = work.moments[turn].table.public
        for pile in range(N_PILES):
            card = np.int64(then.top[pile])
            # where nothing else lies there, nothing can be left
            if card == NONE or then.n_left == then.pile_size[pile] or below(work.dealer, EVERY) != 0:
                continue
            work.turn, work.pile = turn, pile
            reason = play_arm(work, False, first, second, third, fourth, fifth, sixth)
            if reason != LEGAL:
                return reason
            copy_outcome(work, work.base, n_players)
            reason = play_arm(work, True, first, second, third, fourth, fifth, sixth)
            if reason != LEGAL:
                return reason
            phase = min(turn // n_players // PHASE_TURNS, N_PHASES - 1)
            count_trial(work, card, 1 + phase, turn % n_players)
    return LEGAL


@kernel
def play_deal(work, first, second, third, fourth, fifth, sixth):
    """Play the current deal as it is and with its trials; return LEGAL or why a move was not."""
    n_players = work.table.public.n_players
    work.rotation = work.deal % n_players if work.turning else 0
    work.seat = work.deal // (n_players if work.turning else 1) % n_players
    work.n_tried = 0
    deal_aside(work)
    reason = play_plain(work, first, second, third, fourth, fifth, sixth)
    if reason != LEGAL:
        return reason
    if work.takes:
        reason = play_takes(work, first, second, third, fourth, fifth, sixth)
    else:
        reason = play_gifts(work, first, second, third, fourth, fifth, sixth)
    count_cross(work)
    return reason


@kernel
def play_trials(work, first, second, third, fourth, fifth, sixth):
    """Play the deals of a shard with their trials; return LEGAL, or stop at an illegal move."""
    view = work.table.public
    work.facts = view.cards
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
def trial_player(capacity: int) -> Any:
    """Compile (or load) `play_trials` for records of ``capacity`` and return it."""
    return shard_kernel(play_trials, trial_dtype(capacity), choice_signature(capacity))
