"""The game as kernels: deal, legal moves, apply, who wins.

Official rules, with the rulings of docs/rules.md; variants are integers in ``view.rules`` that the kernels branch on.
"""

from __future__ import annotations

import numpy as np

from salad_sim.game.market import fill_market, refill, replace_pile, show_top
from salad_sim.game.moves import (
    FIRST_PAIR,
    N_DRAFTS,
    N_PILES,
    N_SLOTS,
    draft_of,
    first_slot,
    flip_of,
    pair_draft,
    second_slot,
)
from salad_sim.game.rules import (
    EARLIER,
    FEWER_CARDS,
    FLIP_NEVER,
    LAST_TURN,
    SHARED,
    START_NEXT,
    START_RANDOM,
    UP_TO_TWO,
)
from salad_sim.game.scoring import hand_value
from salad_sim.game.state import EARLIER_ROUND, HIDDEN, N_VEGETABLES, NONE, POINTS, VEGETABLE
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import at
from salad_sim.jit.rng import below, shuffle_tail

WHOLE_WIN = 60
"""A win, in sixtieths: equal shares of 1 to 6 players are whole numbers."""

# Why a move is illegal, as codes of `why_illegal`; 0 means that it is legal.
LEGAL = 0
NO_SUCH_DRAFT = 1
PILE_EMPTY = 2
SLOT_EMPTY = 3
MUST_TAKE_TWO = 4
NO_SUCH_CARD = 5
NOT_OWN_CARD = 6
NO_FLIPS = 7
NOT_CONSERVED = 8

WHY_ILLEGAL = {
    NO_SUCH_DRAFT: "there is no such draft",
    PILE_EMPTY: "that pile is empty",
    SLOT_EMPTY: "that market slot is empty",
    MUST_TAKE_TWO: "two vegetables must be taken while the market holds more than one",
    NO_SUCH_CARD: "there is no such card to flip",
    NOT_OWN_CARD: "only a point card in front of the seat can be flipped",
    NO_FLIPS: "the rules in force allow no flips",
    NOT_CONSERVED: "the cards at the end are not those that were dealt",
}


@kernel
def draw_cards(table):
    """Draw the cards of a game or match, for each vegetable to the places of table.pool that `deal_round` reads."""
    cards = table.public.cards
    for index in range(cards.pool_start[N_VEGETABLES]):
        table.pool[index] = cards.pool[index]
    for veg in range(N_VEGETABLES):
        start, stop = np.int64(cards.pool_start[veg]), np.int64(cards.pool_start[veg + 1])
        n_drawn = table.public.drawn[veg] * table.public.n_rounds
        n_spare = stop - start - n_drawn
        # Draw those that play or those that do not, whichever are fewer; the draw moves them to the end. Rounds need a
        # random order as well, one round only needs to know which.
        if n_drawn < n_spare or table.public.n_rounds > 1:
            shuffle_tail(table.rng, table.pool[start:stop], stop - start, n_drawn)
            table.first_drawn[veg] = start + n_spare
        else:
            if n_spare > 0:
                shuffle_tail(table.rng, table.pool[start:stop], stop - start, n_spare)
            table.first_drawn[veg] = start


@kernel
def shuffle_deck(table):
    """Collect the cards of the current round in table.deck and shuffle them; return their number."""
    n_cards = 0
    for veg in range(N_VEGETABLES):
        n_drawn = table.public.drawn[veg]
        start = table.first_drawn[veg] + table.public.round_number * n_drawn
        for index in range(start, start + n_drawn):
            table.deck[n_cards] = table.pool[index]
            n_cards += 1
    shuffle_tail(table.rng, table.deck[0:n_cards], n_cards, n_cards)
    return n_cards


@kernel
def lay_out(table, n_cards):
    """Start a game with the first ``n_cards`` of table.deck: three piles, a market, nothing in front of anybody."""
    view = table.public
    for card in range(view.cards.n_cards):
        seen_before = view.round_number > 0 and view.place[card] != HIDDEN
        view.place[card] = EARLIER_ROUND if seen_before else HIDDEN
    for seat in range(view.n_players):
        tableau = view.tableau[at(seat)]
        tableau.n_held = 0
        tableau.n_flipped = 0
        for veg in range(N_VEGETABLES):
            tableau.counts[veg] = 0
    view.n_cards = n_cards
    view.n_left = n_cards
    view.turn = 0
    view.seat = view.start
    for pile in range(N_PILES):
        table.low[pile] = pile * n_cards // N_PILES
        table.high[pile] = (pile + 1) * n_cards // N_PILES
        show_top(table, pile)
    for slot in range(N_SLOTS):
        view.market_card[slot] = NONE
        view.market[slot] = NONE
    view.n_market = 0
    fill_market(table)


@kernel
def deal(table):
    """Deal a new game, or the first round of a match, from the stream table.rng, as the view says."""
    view = table.public
    view.round_number = 0
    view.n_moves = 0
    draw_cards(table)
    lay_out(table, shuffle_deck(table))


@inline_kernel
def turns_of(view, seat):
    """Return how many turns ``seat`` has taken."""
    order = seat - view.start
    if order < 0:
        order += view.n_players
    return (view.turn - order + view.n_players - 1) // view.n_players


@inline_kernel
def tie_order(rule, order, back, n_held, n_players):
    """Return the number by which tie-break ``rule`` orders seats of equal total, the highest winning.

    Parameters
    ----------
    rule : int
        Code of the tie-break.
    order : int
        Place in turn order, 0 for the seat that began.
    back : int
        How many seats ago the seat moved last, 0 for who took the last turn of all.
    n_held : int
        Point cards in front of the seat.
    n_players : int
    """
    if rule == EARLIER:
        return -order
    if rule == LAST_TURN:
        return -back
    if rule == FEWER_CARDS:
        return order - n_players * n_held
    return 0 if rule == SHARED else order


@inline_kernel
def tie_rank(view, seat, rule):
    """Return the number by which ``rule`` orders a seat among those of equal total at the end of a round."""
    n_players = view.n_players
    order = seat - view.start
    if order < 0:
        order += n_players
    back = view.seat - 1 - seat  # the seat before the one to move took the last turn of all
    if back < 0:
        back += n_players
    return tie_order(rule, order, back, np.int64(view.tableau[at(seat)].n_held), n_players)


@kernel
def next_start(table):
    """Return the seat that starts the next round of a match; view.bonus holds the totals so far."""
    view = table.public
    if view.rules.next_start == START_RANDOM:
        return below(table.rng, view.n_players)
    if view.rules.next_start == START_NEXT:
        return view.start + 1 if view.start + 1 < view.n_players else 0
    last = 0
    for seat in range(1, view.n_players):
        less = view.bonus[seat] - view.bonus[last]
        rule = view.rules.tie_break
        if less < 0 or (less == 0 and tie_rank(view, seat, rule) < tie_rank(view, last, rule)):
            last = seat
    return last


@kernel
def deal_next_round(table):
    """Add the scores of the round just played to view.bonus and deal the next round of the match."""
    view = table.public
    for seat in range(view.n_players):
        view.bonus[seat] += hand_value(view, seat)
    view.start = next_start(table)
    view.round_number += 1
    lay_out(table, shuffle_deck(table))


@inline_kernel
def may_take_one(view):
    """Return whether a single vegetable may be taken from the market now."""
    return view.n_market == 1 or (view.rules.vegetables == UP_TO_TWO and view.n_market > 0)


@kernel
def list_drafts(view, own):
    """Write the legal draft codes into ``own.drafts`` and their number into ``own.n_drafts``.

    Piles come first, then pairs of market slots in ascending order, then single slots.
    """
    count = 0
    for pile in range(N_PILES):
        if view.pile_size[pile] > 0:
            own.drafts[count] = pile
            count += 1
    for slot in range(N_SLOTS):
        if view.market[slot] >= 0:
            for other in range(slot + 1, N_SLOTS):
                if view.market[other] >= 0:
                    own.drafts[count] = pair_draft(slot, other)
                    count += 1
    if may_take_one(view):
        for slot in range(N_SLOTS):
            if view.market[slot] >= 0:
                own.drafts[count] = pair_draft(slot, slot)
                count += 1
    own.n_drafts = count


@inline_kernel
def why_draft_illegal(view, draft):
    """Return LEGAL or the code of the reason why ``draft`` may not be made now."""
    if draft < 0 or draft >= N_DRAFTS:
        return NO_SUCH_DRAFT
    if draft < N_PILES:
        return LEGAL if view.pile_size[draft] > 0 else PILE_EMPTY
    slot, other = first_slot(draft), second_slot(draft)
    if draft < FIRST_PAIR or slot > other or other >= N_SLOTS:
        return NO_SUCH_DRAFT
    if view.market[slot] < 0 or view.market[other] < 0:
        return SLOT_EMPTY
    if slot == other and view.rules.vegetables != UP_TO_TWO and view.n_market > 1:
        return MUST_TAKE_TWO
    return LEGAL


@kernel
def why_illegal(view, move):
    """Return LEGAL or the code of the reason why the seat to move may not make ``move``."""
    if move < 0:
        return NO_SUCH_DRAFT
    draft = draft_of(move)
    reason = why_draft_illegal(view, draft)
    if reason != LEGAL:
        return reason
    card = flip_of(move)
    if card < 0:
        return LEGAL
    if card >= view.cards.n_cards:
        return NO_SUCH_CARD
    if view.place[card] != POINTS + view.seat and (draft >= N_PILES or view.top[draft] != card):
        return NOT_OWN_CARD
    return NO_FLIPS if view.rules.flip == FLIP_NEVER else LEGAL


@inline_kernel
def hold(view, seat, card):
    """Lay a point card in front of ``seat``."""
    tableau = view.tableau[at(seat)]
    tableau.held[at(tableau.n_held)] = card
    tableau.n_held += 1
    view.place[at(card)] = POINTS + seat


@inline_kernel
def own_vegetable(view, seat, card):
    """Lay ``card`` in front of ``seat``, vegetable side up."""
    view.tableau[at(seat)].counts[at(view.cards.back[at(card)])] += 1
    view.place[at(card)] = VEGETABLE + seat


@inline_kernel
def take_from_market(view, seat, slot):
    """Give the vegetable in a market slot to ``seat``."""
    own_vegetable(view, seat, view.market_card[slot])
    view.market_card[slot] = NONE
    view.market[slot] = NONE
    view.n_market -= 1
    view.n_left -= 1


@kernel
def flip_card(view, seat, card):
    """Turn a point card of ``seat`` to its vegetable, for good."""
    tableau = view.tableau[at(seat)]
    last = tableau.n_held - 1
    for index in range(last + 1):
        if tableau.held[index] == card:
            tableau.held[index] = tableau.held[last]
            break
    tableau.n_held = last
    tableau.n_flipped += 1
    own_vegetable(view, seat, card)


@inline_kernel
def draft_and_flip(table, move):
    """Make the first half of a legal move: what the seat to move takes, and what it flips."""
    view = table.public
    seat = view.seat
    draft = draft_of(move)
    if draft >= N_PILES:
        slot, other = first_slot(draft), second_slot(draft)
        take_from_market(view, seat, slot)
        if other != slot:
            take_from_market(view, seat, other)
    else:
        table.high[draft] -= 1
        view.n_left -= 1
        hold(view, seat, view.top[draft])
        show_top(table, draft)
    card = flip_of(move)
    if card >= 0:
        flip_card(view, seat, card)


@kernel
def apply_move(table, move):
    """Make a legal move: draft, flip, refill; then it is the next seat's turn."""
    view = table.public
    seat = view.seat
    draft = draft_of(move)
    draft_and_flip(table, move)
    if draft >= N_PILES:
        refill(table, first_slot(draft), second_slot(draft))
    elif view.pile_size[draft] == 0:
        replace_pile(table, draft)
    view.history[at(view.n_moves)] = move
    view.n_moves += 1
    view.turn += 1
    view.seat = 0 if seat + 1 == view.n_players else seat + 1


@kernel
def share_win(view, scores, rule, wins):
    """Write each seat's win in sixtieths into ``wins``, by tie-break ``rule``; return how many share the top total."""
    best = scores[0]
    for seat in range(1, view.n_players):
        best = max(best, scores[seat])
    n_top = 0
    n_winners = 0
    rank = 0
    for seat in range(view.n_players):
        if scores[seat] == best:
            own_rank = tie_rank(view, seat, rule)
            if n_top == 0 or own_rank > rank:
                rank = own_rank
                n_winners = 0
            n_top += 1
            n_winners += own_rank == rank
    for seat in range(view.n_players):
        wins[seat] = WHOLE_WIN // n_winners if scores[seat] == best and tie_rank(view, seat, rule) == rank else 0
    return n_top


@kernel
def final_scores(view, scores):
    """Write the total of each seat, bonus included, into ``scores`` (int array [MAX_PLAYERS])."""
    for seat in range(view.n_players):
        scores[seat] = hand_value(view, seat) + view.bonus[seat]


def set_up(
    table: np.record, n_players: int, facts: np.record, codes: dict[str, int], drawn: list[int], n_rounds: int = 1
) -> None:
    """Write what stays the same in every game of a run into a table: players, cards, rules, deck, rounds."""
    view = table.public
    view.n_players = n_players
    view.n_rounds = n_rounds
    view.cards = facts
    view.cards.n_counts = max(drawn) + 3  # a strategy asks about up to two more than anybody can own
    for name, code in codes.items():
        setattr(view.rules, name, code)
    view.drawn[:] = drawn
