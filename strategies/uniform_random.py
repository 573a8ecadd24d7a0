"""The baseline `random`: every legal draft and every flip is equally likely."""

import numpy as np

from salad_sim.moves import N_PILES, N_SLOTS, NO_FLIP, make_move, pair_draft
from salad_sim.rng import below
from salad_sim.rules import FLIP_NEVER, UP_TO_TWO
from salad_sim.strategy import inline_kernel, kernel, strategy


FULL_MARKET = np.array([pair_draft(slot, other) for slot in range(N_SLOTS) for other in range(slot + 1, N_SLOTS)])
"""The drafts of two vegetables from a full market: most turns find one."""


@inline_kernel
def nth_pile(view, index):
    """Return the index-th pile that is not empty."""
    for pile in range(N_PILES):
        if view.pile_size[pile] > 0:
            if index == 0:
                return pile
            index -= 1
    return 0


@inline_kernel
def nth_market_draft(view, single, index):
    """Return the index-th draft of vegetables, in ascending order of slots."""
    if view.n_market == N_SLOTS and not single:
        return FULL_MARKET[index]
    for slot in range(N_SLOTS):
        if view.market[slot] >= 0:
            for other in range(slot if single else slot + 1, N_SLOTS):
                if view.market[other] >= 0:
                    if index == 0:
                        return pair_draft(slot, other)
                    index -= 1
    return 0


@strategy("random")
def choose(view, own, rng):
    """Uniform over the legal drafts; then uniform over no flip and each own point card."""
    n_piles = (view.pile_size[0] > 0) + (view.pile_size[1] > 0) + (view.pile_size[2] > 0)
    n_market = view.n_market
    single = view.rules.vegetables == UP_TO_TWO or n_market == 1
    n_vegetable_drafts = n_market * (n_market - 1) // 2 + (n_market if single else 0)
    index = below(rng, n_piles + n_vegetable_drafts)
    tableau = view.tableau[view.seat]
    n_own = tableau.n_held
    drafted = -1
    if index < n_piles:
        draft = nth_pile(view, index)
        drafted = view.top[draft]
        n_own += 1
    else:
        draft = nth_market_draft(view, single, index - n_piles)
    if view.rules.flip == FLIP_NEVER or n_own == 0:
        return make_move(draft, NO_FLIP)
    which = below(rng, n_own + 1)
    if which == n_own:
        return make_move(draft, NO_FLIP)
    if which == n_own - 1 and drafted >= 0:
        return make_move(draft, drafted)
    return make_move(draft, tableau.held[which])
