"""The baseline `random` of the hand-draft game: every legal draft is equally likely, and then every lay."""

import numpy as np

from salad_sim.kit import DRAFT, NO_LAY, below, list_hand_drafts
from salad_sim.strategy import strategy


@strategy("random", game="hand-draft")
def choose(view, own, rng):
    """Uniform over the legal drafts (throws too, where rules allow them); then over no lay and each card in hand."""
    if view.phase == DRAFT:
        list_hand_drafts(view, own)
        return np.int64(own.drafts[below(rng, own.n_drafts)])
    tableau = view.tableau[view.seat]
    n_held = np.int64(tableau.n_held)
    which = below(rng, n_held + 1)
    return np.int64(tableau.held[which]) if which < n_held else NO_LAY
