"""The strategy `balanced`: so many vegetables for each point card.

Advice that many players give: keep a balance of cards and vegetables (https://gamexpla.in/en/g/od7,
https://m.everything2.com/title/Point+Salad). It takes a card whenever it has vegetables enough for one more, otherwise
vegetables, each time what scores most. It flips what gains points; with too many cards also what costs nothing.

Parameters: ``per_card``, the vegetables it wants for each point card.
Simulate it over ``per_card`` to find the best balance.
Cost: a third more than greedy.
"""

from salad_sim.kit import N_VEGETABLES, make_move
from salad_sim.strategy import Parameter, kernel, strategy
from salad_sim_strategies._weighing import (
    FAR,
    add_to_piles,
    best_draft_by_worth,
    best_flip_by_worth,
    look,
    take_in_mind,
)


@kernel
def serves(own, n_cards):
    """Return whether the hand record has vegetables enough for so many point cards."""
    total = 0
    for veg in range(N_VEGETABLES):
        total += own.hand.counts[veg]
    return total >= own.params[0] * n_cards


@strategy("balanced", per_card=Parameter(1.5, 0.0, 10.0, "vegetables that it wants for each point card"))
def choose(view, own, rng):
    """Take the card that scores most if there are vegetables enough for one more, otherwise the best vegetables."""
    look(view, own)
    add_to_piles(own, FAR if serves(own, own.hand.n_held + 1) else -FAR)
    draft = best_draft_by_worth(own, rng)
    take_in_mind(view, own, draft)
    return make_move(draft, best_flip_by_worth(view, own, rng, 1 if serves(own, own.hand.n_held) else 0))
