"""The hand-draft game as kernels: deal, legal moves, why not, apply.

Where the rule sheet is silent: nobody sees the backs of cards in the pile or in another hand; a new pile is shuffled as
soon as the pile is empty while thrown cards exist; a throw needs a card in the pile to replace it, and a card may still
be laid after it; a draft must be made while something can be drafted; face-up cards may be left over in the end.
"""

from __future__ import annotations

import numpy as np

from salad_sim.game.engine import LEGAL, NOT_CONSERVED
from salad_sim.game.engine import WHY_ILLEGAL as OF_THE_MAIN_GAME
from salad_sim.game.state import N_VEGETABLES
from salad_sim.hand_draft.moves import BLIND, N_BLIND, N_DRAFTS, N_SLOTS, NO_DRAFT, NO_LAY, THROW, make_turn
from salad_sim.hand_draft.state import (
    DRAFT,
    FACE_UP,
    HAND_SIZE,
    HIDDEN,
    LAY,
    MOST_RETURNING,
    NONE,
    RESHUFFLED,
    TAKEN,
    THROWN,
    THROWS_PER_CARD,
)
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import at
from salad_sim.jit.rng import shuffle_tail

# Why a move is illegal, as codes of `why_illegal`; LEGAL is 0.
NO_SUCH_DRAFT = 1
PILE_EMPTY = 2
SLOT_EMPTY = 3
NO_THROWING = 4
NO_MORE_THROWS = 5
NO_SUCH_CARD = 6
NOT_IN_HAND = 7

WHY_ILLEGAL = {
    NO_SUCH_DRAFT: "there is no such draft",
    PILE_EMPTY: "the pile is empty",
    SLOT_EMPTY: "that face-up slot is empty",
    NO_THROWING: "the rules in force allow no throwing away",
    NO_MORE_THROWS: "no more cards may be thrown away in this game, else it might never end",
    NO_SUCH_CARD: "there is no such card to lay",
    NOT_IN_HAND: "only a card in hand can be laid",
    NOT_CONSERVED: OF_THE_MAIN_GAME[NOT_CONSERVED],
}


# ------------------------------------------------------------------------------------------------ hands


@inline_kernel
def take_up(table, seat):
    """Move the hand of ``seat`` into its public part."""
    tableau = table.public.tableau[at(seat)]
    for index in range(tableau.n_held):
        tableau.held[at(index)] = table.hands[at(seat), at(index)]


@inline_kernel
def put_down(table, seat):
    """Move the hand of ``seat`` out of its public part, and leave nothing there."""
    tableau = table.public.tableau[at(seat)]
    for index in range(tableau.n_held):
        table.hands[at(seat), at(index)] = tableau.held[at(index)]
        tableau.held[at(index)] = NONE


@inline_kernel
def gain(view, seat, card):
    """Add a card to the hand of the seat to move."""
    tableau = view.tableau[at(seat)]
    tableau.held[at(tableau.n_held)] = card
    tableau.n_held += 1


# ------------------------------------------------------------------------------------------------- deal


@kernel
def draw_cards(table):
    """Set cards of each vegetable aside at random into table.aside, the others into table.deck; return both numbers."""
    cards = table.public.cards
    for index in range(cards.n_cards):
        table.pool[index] = cards.pool[index]
    n_deck = 0
    n_aside = 0
    for veg in range(N_VEGETABLES):
        start, stop = np.int64(cards.pool_start[veg]), np.int64(cards.pool_start[veg + 1])
        n_set = table.set_aside[veg]
        shuffle_tail(table.rng, table.pool[start:stop], stop - start, n_set)
        for index in range(start, stop - n_set):
            table.deck[n_deck] = table.pool[index]
            n_deck += 1
        for index in range(stop - n_set, stop):
            table.aside[n_aside] = table.pool[index]
            n_aside += 1
    return n_deck, n_aside


@kernel
def deal_hands(table, n_aside):
    """Deal the hands from the cards set aside; return how many of them remain."""
    view = table.public
    shuffle_tail(table.rng, table.aside, n_aside, HAND_SIZE * view.n_players)
    for seat in range(view.n_players):
        tableau = view.tableau[at(seat)]
        tableau.held[:] = NONE
        tableau.n_held = HAND_SIZE
        tableau.n_flipped = 0
        for veg in range(N_VEGETABLES):
            tableau.counts[veg] = 0
        for index in range(HAND_SIZE):
            n_aside -= 1
            table.hands[seat, index] = table.aside[n_aside]
    return n_aside


@inline_kernel
def turn_up(table, slot):
    """Lay the top card of the pile face up into a slot."""
    view = table.public
    view.pile_size -= 1
    card = table.deck[at(view.pile_size)]
    view.face[slot] = card
    view.n_face += 1
    view.place[at(card)] = FACE_UP


@kernel
def deal(table):
    """Deal a new game from the stream table.rng, by the rules, cards and players that the view names."""
    view = table.public
    view.place[:] = HIDDEN
    n_deck, n_aside = draw_cards(table)
    view.n_cards = n_deck + HAND_SIZE * view.n_players
    n_aside = deal_hands(table, n_aside)
    view.n_face = 0
    view.pile_size = n_deck
    shuffle_tail(table.rng, table.deck, n_deck, N_SLOTS if view.n_players <= MOST_RETURNING else n_deck)
    for slot in range(N_SLOTS):
        turn_up(table, slot)
    if view.n_players <= MOST_RETURNING:
        for index in range(n_aside):
            table.deck[view.pile_size + index] = table.aside[index]
        view.pile_size += n_aside
        view.n_cards += n_aside
        shuffle_tail(table.rng, table.deck, view.pile_size, view.pile_size)
    view.n_thrown = 0
    view.n_throws = 0
    view.turn = 0
    view.turns_left = NONE
    view.seat = view.start
    begin_turn(table)


# ------------------------------------------------------------------------------------------ legal moves


@inline_kernel
def is_over(view):
    """Return whether everybody has had the one turn after the pile ran out."""
    return view.turns_left == 0


@inline_kernel
def may_throw(view):
    """Return whether a face-up card may be thrown away now."""
    return view.rules.throw != 0 and view.pile_size > 0 and view.n_throws < THROWS_PER_CARD * view.n_cards


@kernel
def list_drafts(view, own):
    """Write the legal draft codes into ``own.drafts`` and their number into ``own.n_drafts``, in ascending order.

    There is none when the seat is asked what to lay. Lays need no list: NO_LAY, and every card in hand.
    """
    count = 0
    if view.phase == DRAFT:
        for slot in range(N_SLOTS):
            if view.face[slot] >= 0:
                own.drafts[count] = slot
                count += 1
        if view.pile_size > 0:
            own.drafts[count] = BLIND
            count += 1
        if may_throw(view):
            for slot in range(N_SLOTS):
                if view.face[slot] >= 0:
                    own.drafts[count] = THROW + slot
                    count += 1
    own.n_drafts = count


@inline_kernel
def why_draft_illegal(view, draft):
    """Return LEGAL or the code of the reason why ``draft`` may not be made now."""
    if draft < 0 or draft >= N_DRAFTS:
        return NO_SUCH_DRAFT
    if draft == BLIND:
        return LEGAL if view.pile_size > 0 else PILE_EMPTY
    if draft >= THROW:
        if view.rules.throw == 0:
            return NO_THROWING
        if view.pile_size == 0:
            return PILE_EMPTY
        if not may_throw(view):
            return NO_MORE_THROWS
        draft -= THROW
    return LEGAL if view.face[draft] >= 0 else SLOT_EMPTY


@kernel
def why_lay_illegal(view, card):
    """Return LEGAL or the code of the reason why ``card`` may not be laid now."""
    if card == NO_LAY:
        return LEGAL
    if card < 0 or card >= view.cards.n_cards:
        return NO_SUCH_CARD
    tableau = view.tableau[at(view.seat)]
    n_found = 0
    for index in range(tableau.n_held):
        n_found += tableau.held[index] == card
    return LEGAL if n_found > 0 else NOT_IN_HAND


@kernel
def why_illegal(view, move):
    """Return LEGAL or the code of the reason why the seat to move may not make ``move``, a draft or a lay."""
    return why_draft_illegal(view, move) if view.phase == DRAFT else why_lay_illegal(view, move)


# ------------------------------------------------------------------------------------------------ apply


@kernel
def begin_turn(table):
    """Give the seat to move its hand, and ask for a draft if anything can be drafted."""
    view = table.public
    take_up(table, view.seat)
    if view.n_face > 0 or view.pile_size > 0:
        view.phase = DRAFT
        view.drafted = NONE
    else:
        view.phase = LAY
        view.drafted = NO_DRAFT


@kernel
def reshuffle(table):
    """Shuffle the thrown cards into a new pile."""
    view = table.public
    for index in range(view.n_thrown):
        card = table.thrown[index]
        table.deck[index] = card
        view.place[card] = RESHUFFLED
    view.pile_size = view.n_thrown
    view.n_thrown = 0
    shuffle_tail(table.rng, table.deck, view.pile_size, view.pile_size)


@inline_kernel
def replace_face(table, slot):
    """Take the card in a face-up slot away and replace it from the pile, if that has a card."""
    view = table.public
    view.face[slot] = NONE
    view.n_face -= 1
    if view.pile_size > 0:
        turn_up(table, slot)


@kernel
def throw_away(table, slot):
    """Throw a face-up card away and replace it."""
    view = table.public
    card = view.face[slot]
    table.thrown[view.n_thrown] = card
    view.place[card] = THROWN
    view.n_thrown += 1
    view.n_throws += 1
    replace_face(table, slot)


@kernel
def apply_draft(table, draft):
    """Make a legal draft; the seat is then asked what to lay."""
    view = table.public
    if draft < N_SLOTS:
        card = view.face[draft]
        view.place[at(card)] = TAKEN + view.seat
        gain(view, view.seat, card)
        replace_face(table, draft)
    elif draft == BLIND:
        for _ in range(min(N_BLIND, view.pile_size)):
            view.pile_size -= 1
            gain(view, view.seat, table.deck[at(view.pile_size)])
    else:
        throw_away(table, draft - THROW)
    if view.pile_size == 0 and view.n_thrown > 0:
        reshuffle(table)
    view.drafted = draft
    view.phase = LAY


@kernel
def lay_card(view, seat, card):
    """Lay a card from the hand of ``seat`` as its vegetable; return the vegetable."""
    tableau = view.tableau[at(seat)]
    last = tableau.n_held - 1
    for index in range(last + 1):
        if tableau.held[at(index)] == card:
            tableau.held[at(index)] = tableau.held[at(last)]
            break
    tableau.held[at(last)] = NONE
    tableau.n_held = last
    tableau.n_flipped += 1
    veg = np.int64(view.cards.back[at(card)])
    tableau.counts[at(veg)] += 1
    return veg


@kernel
def apply_lay(table, card):
    """Lay a card or none; then it is the next seat's turn, or the game is over and the hands are shown."""
    view = table.public
    veg = lay_card(view, view.seat, card) if card >= 0 else NO_LAY
    view.history[at(view.turn)] = make_turn(view.drafted, veg)
    table.turns[at(view.turn)] = make_turn(view.drafted, card)
    view.turn += 1
    if view.turns_left > 0:
        view.turns_left -= 1
    elif view.pile_size == 0:
        view.turns_left = view.n_players
    put_down(table, view.seat)
    view.seat = 0 if view.seat + 1 == view.n_players else view.seat + 1
    if not is_over(view):
        begin_turn(table)
        return
    for seat in range(view.n_players):
        take_up(table, seat)


@kernel
def apply_move(table, move):
    """Make a legal move: the draft of a turn, or its lay, whichever is asked for."""
    if table.public.phase == DRAFT:
        apply_draft(table, move)
    else:
        apply_lay(table, move)
