"""The baseline `greedy`: the most points right now, first by the draft, then by the flip."""

import numpy as np

from salad_sim.engine import may_take_one
from salad_sim.gains import add_to_hand, hand_gains, read_hand, take_from_hand
from salad_sim.moves import N_PILES, N_SLOTS, NO_FLIP, first_slot, make_move, pair_draft, second_slot
from salad_sim.rng import below
from salad_sim.rules import FLIP_NEVER
from salad_sim.scoring import card_value
from salad_sim.strategy import kernel, strategy


@kernel
def gains_of_piles(view, own):
    """List the piles as drafts with the points that each adds to the own score at once."""
    own.n_drafts = 0
    for pile in range(N_PILES):
        if view.pile_size[pile] > 0:
            own.drafts[own.n_drafts] = pile
            own.gains[own.n_drafts] = card_value(view, view.seat, own.hand, view.top[pile])
            own.n_drafts += 1


@kernel
def gains_of_vegetables(view, own):
    """List the drafts of vegetables with the points that each adds to the own score at once."""
    hand = own.hand
    count = own.n_drafts
    for slot in range(N_SLOTS):
        veg = view.market[slot]
        if veg >= 0:
            for other in range(slot + 1, N_SLOTS):
                too = view.market[other]
                if too >= 0:
                    own.drafts[count] = pair_draft(slot, other)
                    own.gains[count] = hand.plus_one[veg] + hand.plus_one[too] + hand.together[veg, too]
                    count += 1
    if may_take_one(view):
        for slot in range(N_SLOTS):
            if view.market[slot] >= 0:
                own.drafts[count] = pair_draft(slot, slot)
                own.gains[count] = hand.plus_one[view.market[slot]]
                count += 1
    own.n_drafts = count


@kernel
def best_draft(view, own, rng):
    """Return the draft with the highest own score right after it, equal ones being equally likely."""
    gains_of_piles(view, own)
    gains_of_vegetables(view, own)
    best = own.gains[0]
    for index in range(1, own.n_drafts):
        best = max(best, own.gains[index])
    n_equal = 0
    for index in range(own.n_drafts):
        own.equal[n_equal] = own.drafts[index]
        n_equal += own.gains[index] == best
    return own.equal[below(rng, n_equal)] if n_equal > 1 else own.equal[0]


@kernel
def best_flip(view, own, rng):
    """Return the flip that raises the own score most after the draft, or NO_FLIP when none does."""
    hand = own.hand
    best_gain, n_equal = 0, 0
    for index in range(hand.n_held):
        card = np.int64(hand.held[index])
        veg = view.cards.back[card]
        if view.cards.only_gains[card] and hand.plus_one[veg] <= best_gain:
            continue  # what the vegetable adds at most is no gain beyond the best, and the card costs its worth
        hand.counts[veg] += 1
        gain = hand.plus_one[veg] - card_value(view, view.seat, hand, card)
        hand.counts[veg] -= 1
        if gain > best_gain:
            best_gain, n_equal = gain, 0
        if gain == best_gain and gain > 0:
            own.equal[n_equal] = card
            n_equal += 1
    if n_equal == 0:
        return NO_FLIP
    return own.equal[below(rng, n_equal)] if n_equal > 1 else own.equal[0]


@strategy("greedy")
def choose(view, own, rng):
    """Take the draft with the highest own score right after it; then the flip that raises it most, if any does."""
    hand = own.hand
    read_hand(view, view.seat, hand)
    hand_gains(view, view.seat, hand)
    draft = best_draft(view, own, rng)
    if draft < N_PILES:
        add_to_hand(view.cards, view.top[draft], hand)
    else:
        slot, other = first_slot(draft), second_slot(draft)
        hand.counts[view.market[slot]] += 1
        if other != slot:
            hand.counts[view.market[other]] += 1
    if view.rules.flip == FLIP_NEVER:
        return make_move(draft, NO_FLIP)
    hand_gains(view, view.seat, hand)
    flip = best_flip(view, own, rng)
    if flip != NO_FLIP:
        take_from_hand(view.cards, flip, hand)
    return make_move(draft, flip)
