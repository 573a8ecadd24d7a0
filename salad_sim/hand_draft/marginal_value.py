"""What each whole turn, a draft and a lay, adds to the own score at once.

Cards drafted blind count nothing, as nobody knows them; so does throwing a card away.
"""

from __future__ import annotations

import numpy as np

from salad_sim.game.marginal_value import hand_gains, read_hand, value_in_hand
from salad_sim.game.state import N_VEGETABLES
from salad_sim.hand_draft.engine import list_drafts
from salad_sim.hand_draft.moves import BLIND, NO_DRAFT, NO_LAY, make_turn
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import at
from salad_sim.jit.rng import below

LEAST = -(1 << 30)


@inline_kernel
def consider(own, gain, draft, lay):
    """List a turn in ``own.equal`` if it gains the most so far, or as much."""
    if gain > own.best:
        own.best = gain
        own.n_equal = 0
    if gain == own.best:
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
    """Consider drafting a face-up card: without a lay, with every lay from the hand, and laying that very card."""
    hand = own.hand
    consider(own, value_in_hand(view, view.seat, hand, card), draft, NO_LAY)
    for veg in range(N_VEGETABLES):
        hand.counts[veg] += 1
        own.with_one[veg] = value_in_hand(view, view.seat, hand, card)
        hand.counts[veg] -= 1
    for index in range(hand.n_held):
        held = np.int64(hand.held[at(index)])
        consider(own, own.gains[at(index)] + own.with_one[at(view.cards.back[at(held)])], draft, held)
    consider(own, np.int64(hand.plus_one[view.cards.back[card]]), draft, card)


@kernel
def consider_nothing(own, draft):
    """Consider a draft whose cards count nothing: without a lay, and with every lay from the hand."""
    hand = own.hand
    consider(own, 0, draft, NO_LAY)
    for index in range(hand.n_held):
        consider(own, own.gains[at(index)], draft, np.int64(hand.held[at(index)]))


@kernel
def list_best_turns(view, own):
    """List the turns with the highest own score right after them in ``own.equal``, their number in ``own.n_equal``.

    Parameters
    ----------
    view : public record
    own : record `HandLayout.own`
        ``best`` is set to what those turns gain. Turns are listed by draft, as in `list_drafts`, then by lay: none, the
        cards in hand, the card just drafted. Where nothing is left to draft, they begin with NO_DRAFT.
    """
    own.best = LEAST
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


@kernel
def best_turn(view, own, rng):
    """Return the code of a turn with the highest own score right after it, equal ones being equally likely."""
    list_best_turns(view, own)
    return own.equal[below(rng, own.n_equal)] if own.n_equal > 1 else own.equal[0]
