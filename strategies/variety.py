"""The strategy `variety`: some of every vegetable, so that every card may fit.

The opposite of `collector`, and what a player does who hopes for complete sets. It takes the vegetables of which it has
fewest (then those that score more), and a point card only if that scores enough at once. It flips a card for a
vegetable of which it has fewest whenever that costs nothing, and any card whose flip gains points.

Parameters: ``enough``, the points that a card must score to be taken.
Simulate it to see whether to spread or to concentrate, and what cards for sets are worth to one who plays for them.
Cost: half more than greedy.
"""

from salad_sim.kit import N_PILES, N_VEGETABLES, make_move
from salad_sim.strategy import Parameter, kernel, strategy
from salad_sim_strategies._weighing import (
    BACK,
    TASTE,
    WORTH,
    ask_of_piles,
    best_draft_by_worth,
    best_flip_by_worth,
    look,
    take_in_mind,
    vegetables_of,
)


@kernel
def scarcity(view, own, draft):
    """Return how scarce the vegetables of a market draft are: each counts less the more there are of its kind."""
    veg, other = vegetables_of(view, draft)
    scarce = -own.hand.counts[veg]
    if other >= 0:
        scarce -= own.hand.counts[other] + (other == veg)
    return scarce


@strategy("variety", enough=Parameter(4, -20, 40, "points that a card must score at once to be taken"))
def choose(view, own, rng):
    """Take the vegetables of which there are fewest, and the cards that score enough with what is there."""
    hand = own.hand
    look(view, own)
    ask_of_piles(own, own.params[0])
    for index in range(own.n_drafts):
        draft = own.drafts[index]
        if draft >= N_PILES:
            own.scratch[WORTH + index] = scarcity(view, own, draft) + TASTE * own.gains[index]
    draft = best_draft_by_worth(own, rng)
    take_in_mind(view, own, draft)
    fewest = hand.counts[0]
    for veg in range(1, N_VEGETABLES):
        fewest = min(fewest, hand.counts[veg])
    for veg in range(N_VEGETABLES):
        own.scratch[BACK + veg] = TASTE * (hand.counts[veg] == fewest)
    return make_move(draft, best_flip_by_worth(view, own, rng, TASTE))
