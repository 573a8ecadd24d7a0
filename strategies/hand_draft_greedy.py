"""The baseline `greedy` of the hand-draft game: the draft and the lay that together score most right now."""

import numpy as np

from salad_sim.gains import add_to_hand, hand_gains, read_hand, take_from_hand, value_in_hand
from salad_sim.hand_draft.engine import list_drafts
from salad_sim.hand_draft.moves import BLIND, NO_DRAFT, NO_LAY, draft_of, laid_in, make_turn
from salad_sim.hand_draft.table import DRAFT
from salad_sim.records import at
from salad_sim.rng import below
from salad_sim.strategy import inline_kernel, kernel
from salad_sim.table import N_VEGETABLES

GAME = "hand-draft"
NAME = "greedy"

TO_LAY = 0
"""Where own.memory keeps what was chosen along with the draft."""

BEST = 1


@inline_kernel
def consider(own, gain, draft, lay):
    """Keep a turn if it gains the most so far, or as much."""
    if gain > own.memory[BEST]:
        own.memory[BEST] = gain
        own.n_equal = 0
    if gain == own.memory[BEST]:
        own.equal[at(own.n_equal)] = make_turn(draft, lay)
        own.n_equal += 1


@kernel
def gains_of_lays(view, own):
    """Work out what laying each card in hand gains: its vegetable, without what the card scores."""
    hand = own.hand
    read_hand(view, view.seat, hand)
    hand_gains(view, view.seat, hand)
    for index in range(hand.n_held):
        card = np.int64(hand.held[at(index)])
        veg = at(view.cards.back[at(card)])
        hand.counts[veg] += 1
        own.gains[at(index)] = hand.plus_one[veg] - value_in_hand(view, view.seat, hand, card)
        hand.counts[veg] -= 1


@kernel
def consider_card(view, own, draft, card):
    """Consider drafting a face-up card: with every lay from the hand, without one, and laying that very card."""
    hand = own.hand
    now = value_in_hand(view, view.seat, hand, card)
    for veg in range(N_VEGETABLES):
        hand.counts[veg] += 1
        own.with_one[veg] = value_in_hand(view, view.seat, hand, card)
        hand.counts[veg] -= 1
    consider(own, now, draft, NO_LAY)
    for index in range(hand.n_held):
        held = np.int64(hand.held[at(index)])
        consider(own, own.gains[at(index)] + own.with_one[at(view.cards.back[at(held)])], draft, held)
    consider(own, np.int64(hand.plus_one[view.cards.back[card]]), draft, card)


@kernel
def consider_nothing(own, draft):
    """Consider a draft whose cards count nothing, with every lay from the hand and without one."""
    hand = own.hand
    consider(own, 0, draft, NO_LAY)
    for index in range(hand.n_held):
        consider(own, own.gains[at(index)], draft, np.int64(hand.held[at(index)]))


@kernel
def best_turn(view, own, rng):
    """Return the turn with the highest own score right after it, equal ones being equally likely."""
    own.memory[BEST] = -(1 << 30)
    own.n_equal = 0
    gains_of_lays(view, own)
    list_drafts(view, own)
    for index in range(own.n_drafts):
        draft = own.drafts[index]
        if draft < BLIND:
            consider_card(view, own, draft, np.int64(view.face[draft]))
        else:
            consider_nothing(own, draft)
    if own.n_drafts == 0:
        consider_nothing(own, NO_DRAFT)
    return own.equal[below(rng, own.n_equal)] if own.n_equal > 1 else own.equal[0]


@kernel
def choose(view, own, rng):
    """Take the draft and the lay that together score most right after; cards drafted blind count nothing.

    Throwing a card away, where the rules allow it, is a draft that gains nothing.
    """
    if view.phase == DRAFT:
        turn = best_turn(view, own, rng)
        own.memory[TO_LAY] = laid_in(turn)
        return draft_of(turn)
    lay = own.memory[TO_LAY] if view.drafted != NO_DRAFT else laid_in(best_turn(view, own, rng))
    hand, tableau = own.hand, view.tableau[view.seat]
    # tell the sums of the hand what came and goes, so that the next turn finds them ready
    for index in range(hand.n_held, tableau.n_held):
        add_to_hand(view.cards, np.int64(tableau.held[index]), hand)
    if lay != NO_LAY:
        take_from_hand(view.cards, lay, hand)
    return lay
