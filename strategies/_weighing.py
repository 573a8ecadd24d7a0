"""What the ladder's strategies share: drafts weighed by points and taste, then the flip, weighed in the same way.

A strategy of this kind says what each draft is worth to it, takes the one that is worth most (equal ones being equally
likely), and flips the card whose flip is worth most, if that is worth enough. Worths start as the points that greedy
counts; a strategy adds its taste to them. A TASTE decides between equal points and never outweighs one; FAR puts drafts
of one kind before all others.
"""

import numpy as np

from salad_sim.kit import (
    FLIP_NEVER,
    MOST_DRAFTS,
    N_PILES,
    N_VEGETABLES,
    NO_FLIP,
    at,
    below,
    first_slot,
    hand_gains,
    read_hand,
    second_slot,
    sum_gains,
    take_from_hand,
    value_in_hand,
)
from salad_sim.strategy import kernel
from salad_sim_strategies.greedy import draft_in_mind, gains_of_piles, gains_of_vegetables

TASTE = 1.0 / 1024.0
"""A power of two, so that sums of points and tastes are exact."""

FAR = 1e6
"""More than any draft scores."""

WORTH = 0
"""Where own.scratch keeps the worth of each draft of own.drafts."""

BACK = MOST_DRAFTS
"""Where own.scratch keeps what flipping a card is worth beyond the points, by the vegetable on its back."""

FREE = BACK + N_VEGETABLES
"""Where the space begins that this file leaves alone."""


@kernel
def weigh_drafts(view, own):
    """List the legal drafts, each worth the points that it adds to the own score at once, and forget all tastes.

    ``own.hand`` must hold the seat's cards and gains (`look`, or `read_hand` and `hand_gains`).
    """
    gains_of_piles(view, own)
    gains_of_vegetables(view, own)
    for index in range(own.n_drafts):
        own.scratch[WORTH + index] = own.gains[index]
    for veg in range(N_VEGETABLES):
        own.scratch[BACK + veg] = 0.0


@kernel
def look(view, own):
    """Read the own hand and weigh the drafts by points."""
    read_hand(view, view.seat, own.hand)
    hand_gains(view, view.seat, own.hand)
    weigh_drafts(view, own)


@kernel
def vegetables_of(view, draft):
    """Return the one or two vegetables of a market draft; the second is -1 where one is taken."""
    slot, other = first_slot(draft), second_slot(draft)
    return np.int64(view.market[slot]), np.int64(view.market[other]) if other != slot else np.int64(-1)


@kernel
def add_to_piles(own, worth):
    """Make every point card on offer worth so much more."""
    for index in range(own.n_drafts):
        if own.drafts[index] < N_PILES:
            own.scratch[WORTH + index] += worth


@kernel
def ask_of_piles(own, least):
    """Put the point cards that score ``least`` points at once before all vegetables, and the others behind."""
    for index in range(own.n_drafts):
        if own.drafts[index] < N_PILES:
            own.scratch[WORTH + index] += FAR if own.gains[index] >= least else -FAR


@kernel
def best_draft_by_worth(own, rng):
    """Return the draft that is worth most, equal ones being equally likely."""
    best = own.scratch[WORTH]
    for index in range(1, own.n_drafts):
        best = max(best, own.scratch[WORTH + index])
    n_equal = 0
    for index in range(own.n_drafts):
        if own.scratch[WORTH + index] == best:
            own.equal[at(n_equal)] = own.drafts[index]
            n_equal += 1
    return own.equal[below(rng, n_equal)] if n_equal > 1 else own.equal[0]


@kernel
def take_in_mind(view, own, draft):
    """Bring ``own.hand`` and its gains to where they are after a draft."""
    draft_in_mind(view, own, draft)
    sum_gains(view, view.seat, own.hand)


@kernel
def flip_gain(view, own, card):
    """Return the points that the own score gains by the flip of a card in ``own.hand``."""
    hand = own.hand
    veg = at(view.cards.back[card])
    hand.counts[veg] += 1
    gain = hand.plus_one[veg] - value_in_hand(view, view.seat, hand, np.int64(card))
    hand.counts[veg] -= 1
    return gain


@kernel
def best_flip_by_worth(view, own, rng, least):
    """Return the flip after `take_in_mind` that is worth most, in points and by its back, or NO_FLIP.

    It must be worth ``least``; equal ones are equally likely. The hand record follows.
    """
    if view.rules.flip == FLIP_NEVER:
        return NO_FLIP
    hand = own.hand
    best, n_equal = np.float64(least), 0
    for index in range(hand.n_held):
        card = at(hand.held[index])
        worth = flip_gain(view, own, card) + own.scratch[BACK + at(view.cards.back[card])]
        if worth > best:
            best, n_equal = worth, 0
        if worth == best:
            own.equal[at(n_equal)] = card
            n_equal += 1
    if n_equal == 0:
        return NO_FLIP
    flip = own.equal[below(rng, n_equal)] if n_equal > 1 else own.equal[0]
    take_from_hand(view.cards, flip, hand)
    return flip
