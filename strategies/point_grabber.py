"""The strategy `point-grabber`: point cards first, those with the highest number printed on them, then vegetables.

Beginners do this who read "10" and take it. Until a share of the deck is gone it takes the card whose printed numbers
are highest (of equal ones the one that scores more now), whatever it asks for; from then on it plays like greedy. It
gives up a card only for a vegetable that scores more at once.

Parameters: ``until``, the share of the deck that is gone when it turns to vegetables.
Simulate it to see what cards without vegetables are worth, and as the mirror of `hoarder`.
Cost: twice greedy, as it holds more cards.
"""

from salad_sim.kit import N_PILES, N_VEGETABLES, make_move
from salad_sim.strategy import Parameter, kernel, strategy
from salad_sim_strategies._weighing import (
    FAR,
    TASTE,
    WORTH,
    best_draft_by_worth,
    best_flip_by_worth,
    look,
    take_in_mind,
)


@kernel
def printed_points(cards, card):
    """Return the highest number of points printed on a card, added up over the terms of a card of several."""
    printed = 0
    term = int(card)
    while term >= 0:
        highest = max(0, cards.points[term], cards.even_points[term], cards.odd_points[term])
        for veg in range(N_VEGETABLES):
            highest = max(highest, cards.linear[term, veg])
        printed += highest
        term = int(cards.next_term[term])
    return printed


@strategy("point-grabber", until=Parameter(0.5, 0.0, 1.0, "share of the deck that is gone when it turns to vegetables"))
def choose(view, own, rng):
    """Take the point card with the highest number printed on it; later play like greedy."""
    look(view, own)
    if view.n_cards - view.n_left < own.params[0] * view.n_cards:
        for index in range(own.n_drafts):
            if own.drafts[index] < N_PILES:
                printed = printed_points(view.cards, view.top[own.drafts[index]])
                own.scratch[WORTH + index] = FAR + printed + TASTE * own.gains[index]
    draft = best_draft_by_worth(own, rng)
    take_in_mind(view, own, draft)
    return make_move(draft, best_flip_by_worth(view, own, rng, 1))
