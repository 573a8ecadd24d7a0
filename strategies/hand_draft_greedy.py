"""The baseline `greedy` of the hand-draft game: the draft and the lay that together score most right now."""

import numpy as np

from salad_sim.kit import DRAFT, NO_DRAFT, NO_LAY, add_to_hand, best_turn, draft_of, laid_in, take_from_hand
from salad_sim.strategy import strategy

TO_LAY = 0
"""Where own.memory keeps what was chosen along with the draft."""


@strategy("greedy", game="hand-draft")
def choose(view, own, rng):
    """Take the draft and the lay that together score most right after; cards drafted blind count nothing.

    Throwing a card away, where the rules allow it, is a draft that gains nothing.
    """
    if view.phase == DRAFT:
        turn = best_turn(view, own, rng)
        own.memory[TO_LAY] = laid_in(turn)
        return draft_of(turn)
    lay = own.memory[TO_LAY] if view.drafted != NO_DRAFT else laid_in(best_turn(view, own, rng))
    # tell the sums of the hand what came and goes, so that the next turn finds them ready
    hand, tableau = own.hand, view.tableau[view.seat]
    for index in range(hand.n_held, tableau.n_held):
        add_to_hand(view.cards, np.int64(tableau.held[index]), hand)
    if lay != NO_LAY:
        take_from_hand(view.cards, lay, hand)
    return lay
