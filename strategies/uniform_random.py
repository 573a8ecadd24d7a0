"""The baseline `random`: every legal draft and every flip is equally likely."""

import numpy as np

from salad_sim.kit import FLIP_NEVER, N_PILES, N_SLOTS, NO_FLIP, below, make_move, may_take_one, pair_draft
from salad_sim.strategy import inline_kernel, kernel, strategy

FULL_MARKET = np.array([pair_draft(slot, other) for slot in range(N_SLOTS) for other in range(slot + 1, N_SLOTS)])
"""The drafts of two vegetables from a full market: most turns find one."""


@kernel
def nth_vegetables(view, index):
    """Return the index-th draft of vegetables, in ascending order of slots, single ones last."""
    for slot in range(N_SLOTS):
        if view.market[slot] >= 0:
            for other in range(slot + 1, N_SLOTS):
                if view.market[other] >= 0:
                    if index == 0:
                        return pair_draft(slot, other)
                    index -= 1
    for slot in range(N_SLOTS):
        if view.market[slot] >= 0:
            if index == 0:
                return pair_draft(slot, slot)
            index -= 1
    return 0


@inline_kernel
def nth_draft(view, n_piles, index):
    """Return the index-th legal draft: piles first, then vegetables."""
    if index < n_piles:
        for pile in range(N_PILES):
            if view.pile_size[pile] > 0:
                if index == 0:
                    return pile
                index -= 1
    index -= n_piles
    if index < len(FULL_MARKET) and view.n_market == N_SLOTS:
        return FULL_MARKET[index]
    return nth_vegetables(view, index)


@strategy("random")
def choose(view, own, rng):
    """Uniform over the legal drafts; then uniform over no flip and each own point card."""
    n_piles = 0
    for pile in range(N_PILES):
        n_piles += 1 if view.pile_size[pile] > 0 else 0
    n_drafts = n_piles + view.n_market * (view.n_market - 1) // 2
    if may_take_one(view):
        n_drafts += view.n_market
    draft = nth_draft(view, n_piles, below(rng, n_drafts))
    tableau = view.tableau[view.seat]
    n_held = np.int64(tableau.n_held)
    drafted = np.int64(view.top[draft]) if draft < N_PILES else NO_FLIP
    n_own = n_held + (drafted >= 0)
    if n_own == 0 or view.rules.flip == FLIP_NEVER:
        return make_move(draft, NO_FLIP)
    which = below(rng, n_own + 1)
    if which == n_own:
        return make_move(draft, NO_FLIP)
    return make_move(draft, np.int64(tableau.held[which]) if which < n_held else drafted)
