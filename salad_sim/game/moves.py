"""Move codes: what a seat does on its turn, as one integer.

A move is ``draft + 64 * (flip + 1)``. A draft is a pile (0..2: its top point card) or a pair of market slots
(8 + 8 * i + j with i <= j; i == j takes one vegetable only). ``flip`` is the id of an own point card that is turned to
its vegetable, or NO_FLIP. Market slots are numbered row * 3 + column, the upper row first; a column belongs to a pile.
"""

from __future__ import annotations

from salad_sim.jit.kernel import inline_kernel

N_PILES = 3
N_SLOTS = 6
SLOT_SHIFT = 3
FIRST_PAIR = 1 << SLOT_SHIFT
N_DRAFTS = FIRST_PAIR * (N_SLOTS + 1)
NO_FLIP = -1
MOST_DRAFTS = N_PILES + N_SLOTS * (N_SLOTS + 1) // 2
"""Legal drafts at most: three piles, fifteen pairs of market slots, six single slots."""
FLIP_SHIFT = 6
FLIP_BASE = 1 << FLIP_SHIFT


@inline_kernel
def make_move(draft, flip):
    """Return the move that makes ``draft`` and then flips own card ``flip`` (or NO_FLIP)."""
    return draft + FLIP_BASE * (flip + 1)


@inline_kernel
def draft_of(move):
    """Return the draft code of a move >= 0."""
    return move & (FLIP_BASE - 1)


@inline_kernel
def flip_of(move):
    """Return the card id that a move >= 0 flips, or NO_FLIP."""
    return (move >> FLIP_SHIFT) - 1


@inline_kernel
def pair_draft(slot, other):
    """Return the draft code that takes the vegetables in two market slots, slot <= other (equal: one vegetable)."""
    return FIRST_PAIR + (slot << SLOT_SHIFT) + other


@inline_kernel
def first_slot(draft):
    """Return the lower market slot of a market draft."""
    return (draft >> SLOT_SHIFT) - 1


@inline_kernel
def second_slot(draft):
    """Return the higher market slot of a market draft (the same as the first when one vegetable is taken)."""
    return draft & (FIRST_PAIR - 1)
