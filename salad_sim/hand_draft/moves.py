"""Move codes of the hand-draft game: a turn is two moves, first a draft, then what is laid.

They are asked for one after the other, since a player looks at what was drafted before laying. A draft is a face-up
slot (0..2: its card), BLIND (the top two cards of the pile), or THROW + slot (that face-up card is thrown away). A lay
is the id of a card in hand, or NO_LAY. A whole turn is kept as one number, ``make_turn(draft, what was laid)``.
"""

from __future__ import annotations

from salad_sim.game.moves import NO_FLIP, draft_of, flip_of, make_move

__all__ = [
    "BLIND",
    "MOST_DRAFTS",
    "NO_DRAFT",
    "NO_LAY",
    "N_BLIND",
    "N_SLOTS",
    "THROW",
    "draft_of",
    "laid_in",
    "make_turn",
]

N_SLOTS = 3
"""Face-up cards beside the pile."""

N_BLIND = 2
"""Cards that a blind draft takes, if the pile holds as many."""

BLIND = N_SLOTS
THROW = BLIND + 1
N_DRAFTS = THROW + N_SLOTS
MOST_DRAFTS = N_DRAFTS
"""Legal drafts at most: three face-up cards, the blind draft, three throws."""

NO_DRAFT = N_DRAFTS
"""Stands in ``view.drafted`` and in turn codes where nothing was left to draft; it is never asked for."""

NO_LAY = NO_FLIP

make_turn = make_move
"""Return the code of a turn: a draft, and what was laid (a card, or in public its vegetable; or NO_LAY)."""

laid_in = flip_of
"""Return what was laid in a turn, or NO_LAY; `draft_of` returns the draft."""
