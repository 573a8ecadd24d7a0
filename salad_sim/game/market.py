"""The piles and the market as kernels: empty piles replaced, empty slots filled, in the order of the rules.

What happens at the end of a turn is a row of steps (`refill_step`), so that a transcript can tell each as it happens.
"""

from __future__ import annotations

from salad_sim.game.moves import N_PILES, N_SLOTS
from salad_sim.game.rules import SPLIT_DOWN, SPLIT_DRAW, TIE_RANDOM
from salad_sim.game.state import MARKET, NONE, TOP
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import at
from salad_sim.jit.rng import below

N_COLUMNS = N_PILES
N_ROWS = N_SLOTS // N_COLUMNS
N_FILLS = 2
"""Market slots that a turn can empty, and the steps of `refill_step` that fill them."""

N_STEPS = N_FILLS + N_PILES
"""Steps in which a turn's gaps are filled and empty piles are replaced."""


@inline_kernel
def show_top(table, pile):
    """Make the size and the top card of ``pile`` public."""
    view = table.public
    size = table.high[pile] - table.low[pile]
    view.pile_size[pile] = size
    if size > 0:
        card = table.deck[at(table.high[pile] - 1)]
        view.top[pile] = card
        view.place[at(card)] = TOP
    else:
        view.top[pile] = NONE


@kernel
def largest_pile(table, least):
    """Return the largest pile of at least ``least`` cards, by the rule for equal ones, or NONE."""
    view = table.public
    size = max(view.pile_size[0], view.pile_size[1], view.pile_size[2])
    if size < least:
        return NONE
    chosen = 0
    n_equal = 0
    for pile in range(N_PILES):
        if view.pile_size[pile] == size:
            n_equal += 1
            if n_equal == 1 or (view.rules.split_tie == TIE_RANDOM and below(table.rng, n_equal) == 0):
                chosen = pile
    return chosen


@kernel
def replace_pile(table, pile):
    """Replace an empty pile by the bottom half of the largest, if that has two cards or more."""
    if table.public.rules.split == SPLIT_DRAW:
        return
    donor = largest_pile(table, 2)
    if donor == NONE:
        return
    size = table.high[donor] - table.low[donor]
    n_moved = size // 2 if table.public.rules.split == SPLIT_DOWN else (size + 1) // 2
    table.low[pile] = table.low[donor]
    table.high[pile] = table.low[donor] + n_moved
    table.low[donor] += n_moved
    show_top(table, pile)
    show_top(table, donor)


@inline_kernel
def turn_up(table, slot, card):
    """Lay ``card`` into a market slot, vegetable side up."""
    view = table.public
    view.market_card[slot] = card
    view.market[slot] = view.cards.back[at(card)]
    view.n_market += 1
    view.place[at(card)] = MARKET


@inline_kernel
def fill_slot(table, slot, pile):
    """Fill an empty market slot from its own pile, which has a card."""
    table.high[pile] -= 1
    turn_up(table, slot, table.deck[at(table.high[pile])])
    show_top(table, pile)


@kernel
def fill_from_elsewhere(table, slot, pile):
    """Fill an empty market slot whose own pile is empty, as far as the rules allow."""
    replace_pile(table, pile)
    if table.high[pile] > table.low[pile]:
        fill_slot(table, slot, pile)
    elif table.public.rules.split == SPLIT_DRAW:
        donor = largest_pile(table, 1)
        if donor != NONE:
            turn_up(table, slot, table.deck[table.low[donor]])
            table.low[donor] += 1
            show_top(table, donor)


@inline_kernel
def fill_or_replace(table, slot, pile):
    """Fill an empty market slot from its own pile, by the rules for an empty pile."""
    if table.high[pile] > table.low[pile]:
        fill_slot(table, slot, pile)
    else:
        fill_from_elsewhere(table, slot, pile)


@inline_kernel
def replace_if_empty(table, pile):
    """Replace a pile if it is empty at the end of a turn."""
    if table.high[pile] == table.low[pile]:
        replace_pile(table, pile)


@inline_kernel
def replace_empty_piles(table):
    """Replace the piles that are empty at the end of a turn."""
    for pile in range(N_PILES):
        replace_if_empty(table, pile)


@kernel
def fill_market(table):
    """Fill every empty market slot, column by column, the upper slot first; then replace piles that are empty."""
    for column in range(N_COLUMNS):
        for row in range(N_ROWS):
            slot = row * N_COLUMNS + column
            if table.public.market_card[slot] == NONE:
                fill_or_replace(table, slot, column)
    replace_empty_piles(table)


@inline_kernel
def column_of(slot):
    """Return the column of a market slot, which is the number of its pile."""
    return slot - N_COLUMNS if slot >= N_COLUMNS else slot


@inline_kernel
def filled_at(slot, other, step):
    """Return the slot that a step below N_FILLS fills: column by column, the upper slot first (slot <= other)."""
    swapped = column_of(slot) > column_of(other)
    return other if swapped == (step == 0) else slot


@inline_kernel
def fill_step(table, slot, other, step):
    """Fill the first (step 0) or the second (step 1) of the market slots just emptied (slot <= other).

    A slot that could not be filled on an earlier turn cannot be filled now: nothing comes back to a pile.
    """
    if step == 0 or other != slot:
        gap = filled_at(slot, other, step)
        fill_or_replace(table, gap, column_of(gap))


@kernel
def refill(table, slot, other):
    """Fill the market slots just emptied, then replace empty piles."""
    fill_step(table, slot, other, 0)
    fill_step(table, slot, other, 1)
    replace_empty_piles(table)


@kernel
def refill_step(table, slot, other, step):
    """Make one of the N_STEPS steps of `refill`, for those who tell each of them."""
    if step < N_FILLS:
        fill_step(table, slot, other, step)
    else:
        replace_if_empty(table, step - N_FILLS)
