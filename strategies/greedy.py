"""The baseline `greedy`: the most points right now, first by the draft, then by the flip."""

import numpy as np

from salad_sim.kit import (
    FLIP_NEVER,
    N_PILES,
    N_SLOTS,
    NO_FLIP,
    add_to_hand,
    at,
    below,
    first_slot,
    gain_vegetable,
    hand_gains,
    make_move,
    may_take_one,
    pair_draft,
    read_hand,
    second_slot,
    step_gains_of_card,
    sum_gains,
    take_from_hand,
    value_in_hand,
)
from salad_sim.strategy import inline_kernel, kernel, strategy


@kernel
def gains_of_piles(view, own):
    """List the piles as drafts with the points that each adds to the own score at once."""
    count = 0
    for pile in range(N_PILES):
        if view.pile_size[pile] > 0:
            own.drafts[count] = pile
            own.gains[count] = value_in_hand(view, view.seat, own.hand, np.int64(view.top[pile]))
            count += 1
    own.n_drafts = count


@kernel
def gains_of_vegetables(view, own):
    """List the drafts of vegetables with the points that each adds to the own score at once."""
    hand = own.hand
    count = own.n_drafts
    for slot in range(N_SLOTS):
        if view.market[slot] >= 0:
            veg = at(view.market[slot])
            for other in range(slot + 1, N_SLOTS):
                if view.market[other] >= 0:
                    too = at(view.market[other])
                    own.drafts[at(count)] = pair_draft(slot, other)
                    own.gains[at(count)] = hand.plus_one[veg] + hand.plus_one[too] + hand.together[veg, too]
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
        own.equal[at(n_equal)] = own.drafts[index]
        n_equal += own.gains[index] == best
    return own.equal[below(rng, n_equal)] if n_equal > 1 else own.equal[0]


@inline_kernel
def draft_in_mind(view, own, draft):
    """Bring ``own.hand`` to where it is after a draft; `sum_gains` then brings its gains up to date."""
    hand = own.hand
    if draft < N_PILES:
        add_to_hand(view.cards, view.top[draft], hand)
        step_gains_of_card(view.cards, view.top[draft], hand)
    else:
        slot, other = first_slot(draft), second_slot(draft)
        gain_vegetable(hand, view.market[slot])
        if other != slot:
            gain_vegetable(hand, view.market[other])


@kernel
def best_flip(view, own, rng):
    """Return the flip that raises the own score most after the draft, or NO_FLIP when none does."""
    hand = own.hand
    best_gain, n_equal = 0, 0
    for index in range(hand.n_held):
        card = at(hand.held[index])
        veg = at(view.cards.back[card])
        if view.cards.only_gains[card] and hand.plus_one[veg] < max(best_gain, 1):
            continue  # the flip gains what the vegetable adds, less the worth of the card, which is not negative
        hand.counts[veg] += 1
        gain = hand.plus_one[veg] - value_in_hand(view, view.seat, hand, np.int64(card))
        hand.counts[veg] -= 1
        if gain > best_gain:
            best_gain, n_equal = gain, 0
        if gain == best_gain and gain > 0:
            own.equal[at(n_equal)] = card
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
    draft_in_mind(view, own, draft)
    if view.rules.flip == FLIP_NEVER:
        return make_move(draft, NO_FLIP)
    sum_gains(view, view.seat, hand)
    flip = best_flip(view, own, rng)
    if flip != NO_FLIP:
        take_from_hand(view.cards, flip, hand)
    return make_move(draft, flip)
