"""A strategy to copy: take the best point card on offer if it is good enough, otherwise two vegetables.

Copy this file to mine.py, change the name and the idea, and run

    salad-sim run --strategy ./mine.py --strategy greedy --rotate
    salad-sim check ./mine.py

CONTRIBUTING.md has the table of everything that ``view`` holds.
"""

# A kernel is compiled: it may use these kernels of salad_sim, numbers, loops, and other kernels of yours.
from salad_sim.kit import N_PILES, NO_FLIP, below, card_value, list_drafts, make_move
from salad_sim.strategy import Parameter, kernel, strategy


# A helper needs @kernel. Helpers keep `choose` short; they can live in another file beside this one, too.
@kernel
def best_pile(view, least):
    """Return the pile whose top card scores most for the seat to move, or -1 if none scores ``least`` points."""
    best, best_points = -1, least
    for pile in range(N_PILES):
        if view.pile_size[pile] > 0:
            # what the card would be worth with the vegetables the seat has now
            points = card_value(view, view.seat, view.tableau[view.seat], view.top[pile])
            if points >= best_points:
                best, best_points = pile, points
    return best


# The name is what the tables show and what users type. A parameter is a number to tune; this one is own.params[0].
@strategy("mine", enough=Parameter(4.0, 0.0, 20.0, "points that a card must score at once to be taken"))
def choose(view, own, rng):
    """Take the card that scores most at once if that is enough, otherwise two vegetables at random; never flip."""
    pile = best_pile(view, own.params[0])
    if pile >= 0:
        return make_move(pile, NO_FLIP)
    # own.drafts now holds every legal draft: first the piles that are not empty, then the vegetables
    list_drafts(view, own)
    n_piles = 0
    for index in range(N_PILES):
        n_piles += view.pile_size[index] > 0
    if own.n_drafts > n_piles:
        # chance comes from rng alone: below(rng, n) is one of 0 .. n - 1
        return make_move(own.drafts[n_piles + below(rng, own.n_drafts - n_piles)], NO_FLIP)
    # the market is empty, so it is a card after all
    return make_move(own.drafts[below(rng, own.n_drafts)], NO_FLIP)
