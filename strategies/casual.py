"""The strategy `casual`: greedy that makes mistakes.

A player at the kitchen table sees the points on offer, but not always. On a share of its turns the draft is any legal
one; on the same share of turns, independently, it does not think of flipping. Otherwise it plays exactly like greedy.

Parameters: ``mistakes``, that share. 0 is greedy; at 1 it drafts at random and never flips.
Simulate it for tables of mixed skill, and to see how much of a seat's advantage is left among players who err.
Cost: that of greedy.
"""

from salad_sim.kit import (
    FLIP_NEVER,
    NO_FLIP,
    below,
    hand_gains,
    make_move,
    read_hand,
    sum_gains,
    take_from_hand,
    uniform,
)
from salad_sim.strategy import Parameter, kernel, strategy
from salad_sim_strategies.greedy import best_draft, best_flip, draft_in_mind


@kernel
def errs(own, rng):
    """Return whether a mistake happens; no chance is drawn if none ever does, so that it then is greedy to the move."""
    return own.params[0] > 0.0 and uniform(rng) < own.params[0]


@strategy("casual", mistakes=Parameter(0.3, 0.0, 1.0, "share of drafts that are just any, and of flips not thought of"))
def choose(view, own, rng):
    """Play like greedy, but on a share of the turns draft anything, and on a share of them do not think of flipping."""
    hand = own.hand
    read_hand(view, view.seat, hand)
    hand_gains(view, view.seat, hand)
    draft = best_draft(view, own, rng)
    if errs(own, rng):
        draft = own.drafts[below(rng, own.n_drafts)]
    draft_in_mind(view, own, draft)
    if view.rules.flip == FLIP_NEVER or errs(own, rng):
        return make_move(draft, NO_FLIP)
    sum_gains(view, view.seat, hand)
    flip = best_flip(view, own, rng)
    if flip != NO_FLIP:
        take_from_hand(view.cards, flip, hand)
    return make_move(draft, flip)
