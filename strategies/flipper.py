"""The strategy `flipper`: a point card is a vegetable, too.

It likes point cards for both sides: a card on offer is worth what it scores now and, in part, what the vegetable on its
back would add. So it holds more cards than greedy and turns one on most turns, the one that gains most by it.

Parameters: ``back``, how much the back counts; ``least``, the points that a flip must gain (below zero: may cost).
Simulate it to see what the second side of the cards is worth, and what a rule without flips takes away.
Cost: a third more than greedy.
"""

from salad_sim.kit import N_PILES, make_move
from salad_sim.strategy import Parameter, strategy
from salad_sim_strategies._weighing import WORTH, best_draft_by_worth, best_flip_by_worth, look, take_in_mind

BACK_COUNTS, LEAST = range(2)


@strategy(
    "flipper",
    back=Parameter(1.0, 0.0, 3.0, "how much the points that its back would add count for a card"),
    least=Parameter(1.0, -20.0, 20.0, "points that a flip must gain"),
)
def choose(view, own, rng):
    """Take point cards for what they score and for what their backs would add; flip the one that gains most."""
    look(view, own)
    for index in range(own.n_drafts):
        draft = own.drafts[index]
        if draft < N_PILES:
            gain = own.hand.plus_one[view.cards.back[view.top[draft]]]
            own.scratch[WORTH + index] += own.params[BACK_COUNTS] * max(0, gain)
    draft = best_draft_by_worth(own, rng)
    take_in_mind(view, own, draft)
    return make_move(draft, best_flip_by_worth(view, own, rng, own.params[LEAST]))
