"""Choosing by a learned value, as kernels: promising drafts are tried in mind, and flips after the best of them.

In mind the known refill is made too: the tops that fill the market are seen, what then lies open on the piles is not.
"""

from __future__ import annotations

import numpy as np

from salad_sim.game.card_kinds import AT_LEAST, MISSING
from salad_sim.game.description import describe_others, describe_table, describe_vegetable
from salad_sim.game.engine import list_drafts
from salad_sim.game.marginal_value import add_to_hand, read_hand, take_from_hand
from salad_sim.game.moves import N_PILES, N_SLOTS, NO_FLIP, first_slot, make_move, second_slot
from salad_sim.game.outlook import foresee, foresee_rest, foresee_vegetable, sum_outlook, worth_of_card
from salad_sim.game.rules import FLIP_NEVER
from salad_sim.game.state import N_VEGETABLES
from salad_sim.game.value_layout import N_RANKED
from salad_sim.game.value_net import begin_sums, keep_plain, sum_changes, sum_up
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import at
from salad_sim.jit.rng import below, uniform

NOT_SEEN = -1
"""In place of a top: one that is not known yet."""

N_TRIED = 8
"""Drafts of vegetables that are tried, those that would add the most."""

N_FLIPPED = 3
"""Drafts whose flips are tried."""

DENIED = 0.4
"""How much what vegetables would add for the next seat counts when those to be tried are picked."""

DRAFTED = 1.5
"""Cards that a turn takes, on average."""

ALL = (1 << N_VEGETABLES) - 1
"""All vegetables, as bits."""


@kernel
def count_backs(view, mind, seat):
    """Count the vegetables on the backs of a seat's point cards."""
    hand = mind.hands[at(seat)]
    for veg in range(N_VEGETABLES):
        mind.backs[at(seat), veg] = 0
    for index in range(hand.n_held):
        mind.backs[at(seat), at(view.cards.back[at(hand.held[index])])] += 1


@kernel
def look_around(view, mind):
    """Read all hands and what they can expect, as the table lies before the move."""
    n_left = np.float64(view.n_left)
    for veg in range(N_VEGETABLES):
        mind.supply[veg] = view.drawn[veg]
    for seat in range(view.n_players):
        hand = mind.hands[at(seat)]
        read_hand(view, seat, hand)
        count_backs(view, mind, seat)
        for veg in range(N_VEGETABLES):
            mind.supply[veg] -= hand.counts[veg] + mind.backs[at(seat), veg]
        wait = (seat - view.seat - 1 + view.n_players) % view.n_players
        mind.looks[at(seat)].fraction = max(n_left - DRAFTED * (wait + 1), 0.0) / n_left / view.n_players
    for veg in range(N_VEGETABLES):
        mind.first_supply[veg] = mind.supply[veg]
    for seat in range(view.n_players):
        foresee(view, mind, seat)


@kernel
def begin_turn(view, mind, net):
    """Describe what no move of this turn changes, and the table where two vegetables less are left, but no more."""
    look_around(view, mind)
    seat = np.int64(view.seat)
    following = (seat + 1) % view.n_players
    for pile in range(N_PILES):
        if view.pile_size[pile] > 0:
            mind.offer[pile] = worth_of_card(view, mind, following, np.int64(view.top[pile]))
    describe_others(view, mind)
    begin_sums(net, mind)
    hand = mind.hands[at(seat)]
    mind.set_mask = 0
    for index in range(hand.n_sets):
        for veg in range(N_VEGETABLES):
            mind.set_mask |= np.int64(view.cards.needs[at(hand.sets[index]), veg] > 0) << veg
    forget_move(view, mind)
    mind.n_left -= 2
    mind.plain_look = mind.looks[at(seat)]
    for veg in range(N_VEGETABLES):
        describe_vegetable(view, mind, veg)
    describe_table(view, mind)
    sum_up(net, mind)
    keep_plain(net, mind)


@kernel
def forget_move(view, mind):
    """Bring the table in mind back to the view; the point cards of the hand are left."""
    seat = np.int64(view.seat)
    hand = mind.hands[at(seat)]
    for veg in range(N_VEGETABLES):
        hand.counts[veg] = view.tableau[at(seat)].counts[veg]
        mind.supply[veg] = mind.first_supply[veg]
        mind.market[veg] = 0
    for slot in range(N_SLOTS):
        if view.market[slot] >= 0:
            mind.market[at(view.market[slot])] += 1
    mind.n_piled = 0
    for pile in range(N_PILES):
        mind.top[pile] = view.top[pile]
        mind.n_piled += view.pile_size[pile]
    mind.n_left = view.n_left
    mind.n_blind = 0


@inline_kernel
def take_slot(view, mind, hand, slot):
    """Take a vegetable from the market in mind, fill its slot as far as can be foreseen; return what changes."""
    veg = np.int64(view.market[slot])
    changed = 1 << veg
    hand.counts[at(veg)] += 1
    mind.market[at(veg)] -= 1
    mind.supply[at(veg)] -= 1
    mind.n_left -= 1
    pile = slot - N_PILES if slot >= N_PILES else slot
    if mind.n_piled > 0:
        mind.n_piled -= 1
        if mind.top[pile] >= 0:
            back = np.int64(view.cards.back[at(mind.top[pile])])
            mind.market[at(back)] += 1
            mind.top[pile] = NOT_SEEN
            changed |= 1 << back
        else:
            mind.n_blind += 1
    return changed


@kernel
def draft_in_mind(view, mind, draft):
    """Make a draft in mind; return the vegetables that it changes, a bit each."""
    hand = mind.hands[at(view.seat)]
    if draft < N_PILES:
        card = np.int64(view.top[draft])
        add_to_hand(view.cards, card, hand)
        back = at(view.cards.back[card])
        mind.backs[at(view.seat), back] += 1
        mind.supply[back] -= 1
        mind.top[draft] = NOT_SEEN
        mind.n_left -= 1
        mind.n_piled -= 1
        return np.int64(ALL)
    slot, other = first_slot(draft), second_slot(draft)
    changed = take_slot(view, mind, hand, slot)
    if other != slot:
        return changed | take_slot(view, mind, hand, other)
    return np.int64(ALL)  # there is another number of cards left


@kernel
def flip_in_mind(view, mind, card, sign):
    """Flip a point card of the hand in mind (sign 1), or turn it back (sign -1); return what changes."""
    hand, seat, cards = mind.hands[at(view.seat)], at(view.seat), view.cards
    if sign > 0:
        take_from_hand(cards, card, hand)
    else:
        add_to_hand(cards, card, hand)
    back = np.int64(cards.back[card])
    hand.counts[back] += sign
    mind.backs[seat, back] -= sign
    changed = np.int64(1) << back
    term = np.int64(card)
    while term >= 0:
        if cards.kind[term] == AT_LEAST or cards.kind[term] == MISSING:
            return np.int64(ALL)
        for veg in range(N_VEGETABLES):
            changed |= np.int64(cards.needs[term, veg] != 0 or cards.linear[term, veg] != 0) << veg
        term = np.int64(cards.next_term[term])
    return changed


@kernel
def value_in_full(view, mind, net):
    """Return the value of the table in mind, before it is squeezed."""
    foresee(view, mind, np.int64(view.seat))
    for veg in range(N_VEGETABLES):
        describe_vegetable(view, mind, veg)
    describe_table(view, mind)
    return sum_up(net, mind)


@kernel
def value_of_changes(view, mind, net, changed):
    """Return the same where a move changes some vegetables only, by bits."""
    seat = np.int64(view.seat)
    look, hand = mind.looks[at(seat)], mind.hands[at(seat)]
    look = mind.looks[at(seat)]
    mind.looks[at(seat)] = mind.plain_look
    for veg in range(N_VEGETABLES):
        if (changed >> veg) & 1:
            foresee_vegetable(view.cards, look, hand, mind.supply[veg], veg)
    if changed & mind.set_mask:
        changed |= mind.set_mask
        foresee_rest(view, look, hand, seat)
    elif hand.most_total != 0 or hand.fewest_total != 0:
        foresee_rest(view, look, hand, seat)
    sum_outlook(look)
    for veg in range(N_VEGETABLES):
        if (changed >> veg) & 1:
            describe_vegetable(view, mind, veg)
    describe_table(view, mind)
    return sum_changes(net, mind, changed)


@kernel
def value_of_move(view, mind, net, move, in_full):
    """Return the value of the table after ``move`` = (draft, flip), before it is squeezed.

    Worked out ``in_full``, its description stays in ``mind``.
    """
    draft, flip = move
    forget_move(view, mind)
    changed = draft_in_mind(view, mind, draft)
    if flip != NO_FLIP:
        changed |= flip_in_mind(view, mind, flip, np.int64(1))
    is_whole = in_full or changed == ALL
    value = value_in_full(view, mind, net) if is_whole else value_of_changes(view, mind, net, changed)
    if flip != NO_FLIP:
        flip_in_mind(view, mind, flip, np.int64(-1))
    if draft < N_PILES:
        take_from_hand(view.cards, np.int64(view.top[draft]), mind.hands[at(view.seat)])
        mind.backs[at(view.seat), at(view.cards.back[at(view.top[draft])])] -= 1
    return value


@kernel
def pick_drafts(view, own, mind):
    """List the drafts to be tried in ``mind.drafts`` and return their number: all cards, the best vegetables."""
    list_drafts(view, own)
    seat = np.int64(view.seat)
    look, other = mind.plain_look, mind.looks[at((seat + 1) % view.n_players)]
    n_picked = 0
    for index in range(own.n_drafts):
        draft = own.drafts[index]
        prior = 1e9 - index
        if draft >= N_PILES:
            veg, too = at(view.market[first_slot(draft)]), at(view.market[second_slot(draft)])
            prior = look.gain[veg] + DENIED * other.gain[veg]
            if first_slot(draft) != second_slot(draft):
                prior += look.gain[too] + DENIED * other.gain[too]
        place = n_picked
        while place > 0 and mind.priors[place - 1] < prior:
            mind.drafts[place], mind.priors[place] = mind.drafts[place - 1], mind.priors[place - 1]
            place -= 1
        mind.drafts[place], mind.priors[place] = draft, prior
        n_picked += 1
    n_cards = 0
    while n_cards < n_picked and mind.drafts[n_cards] < N_PILES:
        n_cards += 1
    return min(n_picked, n_cards + N_TRIED)


@kernel
def weigh_drafts(view, own, mind, net):
    """Value the drafts to be tried, with no flip, the best first as far as flips are tried; return their number."""
    n_drafts = pick_drafts(view, own, mind)
    for index in range(n_drafts):
        mind.values[index] = value_of_move(view, mind, net, (mind.drafts[index], np.int64(NO_FLIP)), False)
    for place in range(min(N_FLIPPED, n_drafts)):
        best = place
        for index in range(place + 1, n_drafts):
            if mind.values[index] > mind.values[best]:
                best = index
        draft, value = mind.drafts[best], mind.values[best]
        mind.drafts[best], mind.values[best] = mind.drafts[place], mind.values[place]
        mind.drafts[place], mind.values[place] = draft, value
    return n_drafts


@kernel
def rank_move(mind, move, value):
    """Put a move in its place among the best."""
    if mind.n_ranked == N_RANKED and value <= mind.ranked_values[N_RANKED - 1]:
        return
    place = min(mind.n_ranked, N_RANKED - 1)
    while place > 0 and mind.ranked_values[place - 1] < value:
        mind.ranked[place], mind.ranked_values[place] = mind.ranked[place - 1], mind.ranked_values[place - 1]
        place -= 1
    mind.ranked[place], mind.ranked_values[place] = move, value
    mind.n_ranked = min(mind.n_ranked + 1, N_RANKED)


@kernel
def best_move(view, own, mind, net):
    """Return the best move of those tried; ``mind.ranked`` then lists the best ones, the very best first."""
    begin_turn(view, mind, net)
    n_drafts = weigh_drafts(view, own, mind, net)
    tableau = view.tableau[at(view.seat)]
    mind.n_ranked = 0
    for place in range(n_drafts):
        draft = mind.drafts[place]
        rank_move(mind, make_move(draft, np.int64(NO_FLIP)), mind.values[place])
        if place >= N_FLIPPED or view.rules.flip == FLIP_NEVER:
            continue
        n_held = np.int64(tableau.n_held) + (draft < N_PILES)
        for index in range(n_held):
            flip = np.int64(tableau.held[index]) if index < tableau.n_held else np.int64(view.top[draft])
            rank_move(mind, make_move(draft, flip), value_of_move(view, mind, net, (draft, flip), False))
    return np.int64(mind.ranked[0])


@kernel
def explore_or_move(view, own, mind, net, rng, explore):
    """Return the best move, or at random with chance ``explore`` any draft; ``mind.explored`` says which it is."""
    move = best_move(view, own, mind, net)
    mind.explored = uniform(rng) < explore
    if mind.explored:
        move = make_move(own.drafts[below(rng, own.n_drafts)], np.int64(NO_FLIP))
    return move
