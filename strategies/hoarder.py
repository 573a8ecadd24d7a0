"""The strategy `hoarder`: vegetables first, then the point cards that fit them.

Beginners do this who are afraid of cards that they cannot serve yet. Until a share of the deck is gone it takes the two
vegetables that score most (any two, as long as it holds no card); from then on the card that scores most with what it
has, and vegetables only where no card scores. A card whose flip costs nothing is turned back into a vegetable.

Parameters: ``until``, the share of the deck that is gone when it begins to take cards.
Simulate it to see what it costs to wait for cards, and as the mirror of `point-grabber`.
Cost: a fifth more than greedy.
"""

from salad_sim.kit import make_move
from salad_sim.strategy import Parameter, strategy
from salad_sim_strategies._weighing import (
    FAR,
    add_to_piles,
    ask_of_piles,
    best_draft_by_worth,
    best_flip_by_worth,
    look,
    take_in_mind,
)


@strategy("hoarder", until=Parameter(0.5, 0.0, 1.0, "share of the deck that is gone when it begins to take cards"))
def choose(view, own, rng):
    """Take vegetables first; later the point card that scores most with them; flip a card whose flip costs nothing."""
    look(view, own)
    if view.n_cards - view.n_left < own.params[0] * view.n_cards:
        add_to_piles(own, -FAR)
    else:
        ask_of_piles(own, 1)
    draft = best_draft_by_worth(own, rng)
    take_in_mind(view, own, draft)
    return make_move(draft, best_flip_by_worth(view, own, rng, 0))
