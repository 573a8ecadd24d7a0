"""The strategy `collector`: as many as can be of one or two vegetables.

Many players settle on what they have most of. It takes the vegetables that add most to its most numerous kinds (then
those that score more), and a point card only if that scores enough at once, which cards for its kinds soon do. It flips
a card for a vegetable of its kinds whenever that costs nothing, and any card whose flip gains points.

Parameters: ``kinds``, how many vegetables it collects; ``enough``, the points that a card must score to be taken.
Simulate it to see whether to concentrate or to spread (against `variety`), and who wins the majorities.
Cost: somewhat more than twice greedy.
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

KINDS, ENOUGH = range(2)


@kernel
def collected(hand, n_kinds):
    """Return how many vegetables the ``n_kinds`` most numerous kinds of a hand record have together."""
    total = 0
    for veg in range(N_VEGETABLES):
        rank = 0  # kinds that come before this one
        for other in range(N_VEGETABLES):
            more = hand.counts[other] > hand.counts[veg]
            rank += more or (hand.counts[other] == hand.counts[veg] and other < veg)
        if rank < n_kinds:
            total += hand.counts[veg]
    return total


@kernel
def collected_with(view, own, draft):
    """Return what `collected` will be after a market draft."""
    veg, other = vegetables_of(view, draft)
    own.hand.counts[veg] += 1
    if other >= 0:
        own.hand.counts[other] += 1
    total = collected(own.hand, own.params[KINDS])
    own.hand.counts[veg] -= 1
    if other >= 0:
        own.hand.counts[other] -= 1
    return total


@kernel
def like_backs(own):
    """Prefer flips that add to the most numerous kinds."""
    hand = own.hand
    before = collected(hand, own.params[KINDS])
    for veg in range(N_VEGETABLES):
        hand.counts[veg] += 1
        own.scratch[BACK + veg] = TASTE * (collected(hand, own.params[KINDS]) - before)
        hand.counts[veg] -= 1


@strategy(
    "collector",
    kinds=Parameter(2, 1, 3, "vegetables that it collects", whole=True),
    enough=Parameter(4, -20, 40, "points that a card must score at once to be taken"),
)
def choose(view, own, rng):
    """Take what adds most to the one or two most numerous vegetables, and the cards that score enough with them."""
    look(view, own)
    ask_of_piles(own, own.params[ENOUGH])
    for index in range(own.n_drafts):
        draft = own.drafts[index]
        if draft >= N_PILES:
            own.scratch[WORTH + index] = collected_with(view, own, draft) + TASTE * own.gains[index]
    draft = best_draft_by_worth(own, rng)
    take_in_mind(view, own, draft)
    like_backs(own)
    return make_move(draft, best_flip_by_worth(view, own, rng, TASTE))
