"""What one or two more vegetables would add to a hand, worked out once for all of them.

Greedy players ask for the gain of each of fifteen pairs of vegetables on every turn. Almost all cards are sums over
single vegetables, so the gain of a pair is ``plus_one[u] + plus_one[v] + together[u, v]``, where ``together`` is the
small correction of majorities, parities and sets.

The point cards of a hand are added up into a `Layout.hand` record: weights, one curve a vegetable (points by how many
one owns), points for majorities; only sets of several vegetables are kept one by one. A turn then needs no look at the
cards, whose kinds no processor can foresee; the sums change only when a card comes or goes.
"""

from __future__ import annotations

import numpy as np

from salad_sim.game.card_kinds import AT_LEAST, EVEN_ODD, FEWEST, FEWEST_TOTAL, LINEAR, MISSING, MOST, MOST_TOTAL, STACK
from salad_sim.game.scoring import card_value, fewest_total_of_others, most_total_of_others, value_of_term
from salad_sim.game.state import N_VEGETABLES, NO_VEGETABLE
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import at

MANY_OF_ONE = 32767


@kernel
def clear_sums(cards, hand):
    """Make the sums of a hand those of no cards."""
    hand.n_held = 0
    hand.n_sets = 0
    hand.most_total = 0
    hand.fewest_total = 0
    for veg in range(N_VEGETABLES):
        hand.linear[veg] = 0
        hand.most[veg] = 0
        hand.fewest[veg] = 0
        for count in range(cards.n_counts):
            hand.curve[veg, count] = 0


@inline_kernel
def sum_curve(cards, term, hand, veg, sign):
    """Add (sign 1) or take away (sign -1) the curve of a term at one vegetable."""
    for count in range(cards.n_counts):
        hand.curve[veg, count] += sign * cards.curve[term, count]


@inline_kernel
def sum_set(term, hand, sign):
    """List a set of several vegetables, or any term that is no sum, or take it off the list."""
    if sign > 0:
        hand.sets[hand.n_sets] = term
        hand.n_sets += 1
        return
    hand.n_sets -= 1
    for index in range(hand.n_sets):
        if hand.sets[index] == term:
            hand.sets[index] = hand.sets[hand.n_sets]
            break


@kernel
def sum_term(cards, term, hand, sign):
    """Add a term to the sums of a hand (sign 1), or take it away (sign -1); what is no sum is kept one by one."""
    kind = cards.kind[term]
    veg = np.int64(cards.veg[term])
    points = sign * cards.points[term]
    if kind == LINEAR:
        for each in range(N_VEGETABLES):
            hand.linear[each] += sign * cards.linear[term, each]
    elif kind == MOST:
        hand.most[veg] += points
    elif kind == FEWEST:
        hand.fewest[veg] += points
    elif kind == AT_LEAST or kind == MISSING:
        for each in range(N_VEGETABLES):
            sum_curve(cards, term, hand, each, sign)
    elif kind == EVEN_ODD or kind == STACK:
        sum_curve(cards, term, hand, veg, sign)
    elif kind == MOST_TOTAL:
        hand.most_total += points
    elif kind == FEWEST_TOTAL:
        hand.fewest_total += points
    else:
        sum_set(term, hand, sign)


@kernel
def sum_card(cards, card, hand, sign):
    """Add all terms of a card to the sums of a hand (sign 1), or take them away (sign -1)."""
    term = np.int64(card)
    while term >= 0:
        sum_term(cards, term, hand, sign)
        term = np.int64(cards.next_term[term])


@kernel
def add_to_hand(cards, card, hand):
    """Add a point card to a hand record."""
    sum_card(cards, np.int64(card), hand, np.int64(1))
    hand.held[hand.n_held] = card
    hand.n_held += 1


@kernel
def take_from_hand(cards, card, hand):
    """Take a point card out of a hand record, the last one moving to its place as in the tableau."""
    sum_card(cards, np.int64(card), hand, np.int64(-1))
    hand.n_held -= 1
    for index in range(hand.n_held):
        if hand.held[index] == card:
            hand.held[index] = hand.held[hand.n_held]
            break


@inline_kernel
def compare_with_others(view, seat, hand, veg):
    """Note how many of a vegetable ``seat`` has, and the most and fewest that another seat has."""
    most, fewest = -1, MANY_OF_ONE
    other = at(seat)
    for _ in range(view.n_players - 1):
        other = at(0) if other + at(1) == view.n_players else other + at(1)
        count = np.int64(view.tableau[other].counts[veg])
        most, fewest = max(most, count), min(fewest, count)
    hand.counts[veg] = view.tableau[at(seat)].counts[veg]
    hand.most_others[veg] = most
    hand.fewest_others[veg] = fewest


@inline_kernel
def holds_the_same(tableau, hand):
    """Return whether a hand record lists exactly the point cards of a tableau."""
    if hand.n_held != tableau.n_held:
        return False
    n_other = 0
    for index in range(tableau.n_held):
        n_other += hand.held[index] != tableau.held[index]
    return n_other == 0


@kernel
def read_hand(view, seat, hand):
    """Copy the vegetables of ``seat``, compare them with the others', and bring the sums of its cards up to date.

    The sums are worked out anew only if the record does not hold exactly these cards; a strategy that tells the record
    of its own moves (`add_to_hand`, `take_from_hand`) finds it ready on its next turn.
    """
    for veg in range(N_VEGETABLES):
        compare_with_others(view, seat, hand, veg)
    hand.counts[NO_VEGETABLE] = MANY_OF_ONE
    tableau = view.tableau[at(seat)]
    if holds_the_same(tableau, hand):
        return
    clear_sums(view.cards, hand)
    for index in range(tableau.n_held):
        add_to_hand(view.cards, tableau.held[index], hand)


@kernel
def other_value(view, seat, hand, card):
    """Return `card_value` for the vegetables ``hand.counts``, kept out of line: few cards come this way."""
    for veg in range(N_VEGETABLES):
        hand.mine.counts[veg] = hand.counts[veg]
    return card_value(view, seat, hand.mine, card)


@inline_kernel
def value_in_hand(view, seat, hand, card):
    """Return what `card_value` does, for the vegetables ``hand.counts``; see `read_hand`.

    All common cards are one formula over at most three vegetables, weights + curve + majorities + set, of whose parts a
    card has one: sums that come to nothing are cheaper than asking what kind a card is, which no processor foresees.
    """
    cards = view.cards
    card = at(card)
    if not cards.one_formula[card] or cards.next_term[card] >= 0:
        return other_value(view, seat, hand, np.int64(card))
    first, second, third = at(cards.asked[card, 0]), at(cards.asked[card, 1]), at(cards.asked[card, 2])
    count, second_count, third_count = hand.counts[first], hand.counts[second], hand.counts[third]
    value = cards.curve[card, at(min(count, cards.n_counts - 1))]
    value += cards.most_points[card] * (count >= hand.most_others[first])
    value += cards.fewest_points[card] * (count <= hand.fewest_others[first])
    value += cards.each[card, 0] * count + cards.each[card, 1] * second_count + cards.each[card, 2] * third_count
    sets = min(min(count, second_count), min(third_count, cards.most_sets[card]))
    return np.int64(value + sets * cards.set_points[card])


@inline_kernel
def add_small_set_gains(cards, term, hand):
    """Add a set that needs one each of two or three vegetables: only the scarcest of them matter."""
    term = at(term)
    first, second, third = at(cards.asked[term, 0]), at(cards.asked[term, 1]), at(cards.asked[term, 2])
    one, two, three = np.int64(hand.counts[first]), np.int64(hand.counts[second]), np.int64(hand.counts[third])
    fewest = min(min(one, two), three)
    points = cards.set_points[term]
    room = cards.most_sets[term] - fewest
    n_fewest = int(one == fewest) + int(two == fewest) + int(three == fewest)
    if room <= 0 or n_fewest > 2:
        return
    scarce = first if one == fewest else (second if two == fewest else third)
    if n_fewest == 1:
        hand.plus_one[scarce] += points
        next_is_near = (one == fewest + 1) | (two == fewest + 1) | (three == fewest + 1)
        hand.together[scarce, scarce] -= points * (next_is_near | (room < 2))
    else:
        scarce_too = third if three == fewest else second
        hand.together[scarce, scarce_too] += points
        hand.together[scarce_too, scarce] += points


@kernel
def term_in_hand(view, seat, hand, term):
    """Return `term_value` for the vegetables ``hand.counts``."""
    for veg in range(N_VEGETABLES):
        hand.mine.counts[veg] = hand.counts[veg]
    return value_of_term(view, seat, hand.mine, term)


@kernel
def add_gains_by_trying(view, seat, term, hand):
    """Add any term at all by scoring it with every one or two vegetables more (slow: for large or custom sets)."""
    none = term_in_hand(view, seat, hand, term)
    for veg in range(N_VEGETABLES):
        hand.counts[veg] += 1
        one = term_in_hand(view, seat, hand, term)
        hand.plus_one[veg] += one - none
        for other in range(N_VEGETABLES):
            hand.counts[other] += 1
            both = term_in_hand(view, seat, hand, term)
            hand.counts[veg] -= 1
            other_one = term_in_hand(view, seat, hand, term)
            hand.counts[veg] += 1
            hand.counts[other] -= 1
            hand.together[veg, other] += both - one - other_one + none
        hand.counts[veg] -= 1


@kernel
def add_total_gains(view, seat, hand):
    """Add the terms about totals, to which every vegetable adds one."""
    total = np.int64(0)
    for veg in range(N_VEGETABLES):
        total += hand.counts[veg]
    most, fewest = most_total_of_others(view, seat), fewest_total_of_others(view, seat)
    none = hand.most_total * (total >= most) + hand.fewest_total * (total <= fewest)
    one = hand.most_total * (total + 1 >= most) + hand.fewest_total * (total + 1 <= fewest)
    two = hand.most_total * (total + 2 >= most) + hand.fewest_total * (total + 2 <= fewest)
    for veg in range(N_VEGETABLES):
        hand.plus_one[veg] += one - none
        for other in range(N_VEGETABLES):
            hand.together[veg, other] += two - 2 * one + none


@inline_kernel
def worth_of_count(hand, veg, count):
    """Return what the cards summed up in ``hand`` score for ``count`` of a vegetable, weights and sets apart."""
    value = hand.curve[veg, at(count)] + hand.most[veg] * (count >= hand.most_others[veg])
    return value + hand.fewest[veg] * (count <= hand.fewest_others[veg])


@inline_kernel
def step_gains(hand, veg):
    """Work out what the first and the second vegetable of a kind add by their number alone."""
    count = np.int64(hand.counts[veg])
    none, one = worth_of_count(hand, veg, count), worth_of_count(hand, veg, count + 1)
    hand.first_step[veg] = one - none
    hand.second_step[veg] = worth_of_count(hand, veg, count + 2) - one


@kernel
def sum_gains(view, seat, hand):
    """Add up the steps, the weights, the sets and the totals into ``hand.plus_one`` and ``hand.together``."""
    for veg in range(N_VEGETABLES):
        for other in range(N_VEGETABLES):
            hand.together[veg, other] = 0
    for veg in range(N_VEGETABLES):
        hand.plus_one[veg] = hand.first_step[veg] + hand.linear[veg]
        hand.together[veg, veg] = hand.second_step[veg] - hand.first_step[veg]
    for index in range(hand.n_sets):
        term = np.int64(hand.sets[index])
        if view.cards.one_formula[term]:
            add_small_set_gains(view.cards, term, hand)
        else:
            add_gains_by_trying(view, seat, term, hand)
    if hand.most_total != 0 or hand.fewest_total != 0:
        add_total_gains(view, seat, hand)


@kernel
def hand_gains(view, seat, hand):
    """Fill the gains of one and two vegetables more than ``hand.counts``, for the cards summed up in ``hand``.

    Parameters
    ----------
    view : public record
    seat : int
        Whose hand.
    hand : record `Layout.hand`, after `read_hand`
        ``counts`` int16: the vegetables to count from.
        ``plus_one`` int32, out: points gained by one more of each vegetable.
        ``together`` int32 [6, ...], out: points that a pair u, v gains beyond plus_one[u] + plus_one[v].
    """
    for veg in range(N_VEGETABLES):
        step_gains(hand, veg)
    sum_gains(view, seat, hand)


@kernel
def step_gains_of_card(cards, card, hand):
    """Bring the steps up to date after ``card`` came to the hand; `sum_gains` does the rest."""
    if cards.veg[card] >= 0 and cards.next_term[card] < 0:
        step_gains(hand, np.int64(cards.veg[card]))
    elif not cards.one_formula[card] or cards.next_term[card] >= 0:
        for veg in range(N_VEGETABLES):
            step_gains(hand, veg)


@kernel
def gain_vegetable(hand, veg):
    """Count one vegetable more; `sum_gains` then brings the gains up to date."""
    hand.counts[veg] += 1
    step_gains(hand, np.int64(veg))
