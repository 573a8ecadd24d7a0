"""The strategy `no-negatives`: greedy that never takes a point card with a minus on it, if that can be avoided.

A piece of advice that players give: stay away from negative points, unless the card pays at once
(https://winboardgames.com/point-salad says ten points). If nothing else is left to draft it takes such a card after
all, and flips it at the next chance, whatever that costs.

Parameters: ``unless``, the points that such a card must score at once to be taken and kept after all.
Simulate it against greedy: the difference is what the advice is worth.
Cost: a third more than greedy.
"""

import numpy as np

from salad_sim.kit import FLIP_NEVER, N_PILES, NO_FLIP, below, make_move, take_from_hand, value_in_hand
from salad_sim.strategy import Parameter, kernel, strategy
from salad_sim_strategies._weighing import (
    FAR,
    WORTH,
    best_draft_by_worth,
    best_flip_by_worth,
    flip_gain,
    look,
    take_in_mind,
)


@kernel
def unwanted_flip(view, own, rng):
    """Return the held card with a minus whose flip costs least, of those that score too little, or NO_FLIP."""
    hand = own.hand
    best, n_equal = np.int64(0), 0
    for index in range(hand.n_held):
        card = np.int64(hand.held[index])
        if view.cards.only_gains[card] or value_in_hand(view, view.seat, hand, card) >= own.params[0]:
            continue
        gain = np.int64(flip_gain(view, own, card))
        if n_equal == 0 or gain > best:
            best, n_equal = gain, 0
        if gain == best:
            own.equal[n_equal] = card
            n_equal += 1
    if n_equal == 0:
        return NO_FLIP
    flip = own.equal[below(rng, n_equal)]
    take_from_hand(view.cards, flip, hand)
    return flip


@strategy(
    "no-negatives", unless=Parameter(100, 0, 100, "points that a card with a minus must score at once to be taken")
)
def choose(view, own, rng):
    """Play like greedy, but never take a point card with a minus if there is anything else, and flip it away."""
    look(view, own)
    for index in range(own.n_drafts):
        draft = own.drafts[index]
        if draft < N_PILES and not view.cards.only_gains[view.top[draft]] and own.gains[index] < own.params[0]:
            own.scratch[WORTH + index] -= FAR
    draft = best_draft_by_worth(own, rng)
    take_in_mind(view, own, draft)
    flip = NO_FLIP if view.rules.flip == FLIP_NEVER else unwanted_flip(view, own, rng)
    return make_move(draft, best_flip_by_worth(view, own, rng, 1) if flip == NO_FLIP else flip)
