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

from salad_sim._kernel import inline_kernel, kernel
from salad_sim.cards import AT_LEAST, FEWEST, LINEAR, MISSING, MOST, MOST_TOTAL, SET
from salad_sim.scoring import (
    MANY,
    fewest_of_others,
    fewest_total_of_others,
    most_of_others,
    most_total_of_others,
    term_value,
    total_of,
)
from salad_sim.table import N_VEGETABLES


@kernel
def clear_sums(hand):  # type: ignore[no-untyped-def]
    """Make the sums of a hand those of no cards."""
    hand.n_held = 0
    hand.n_sets = 0
    hand.most_total = 0
    hand.fewest_total = 0
    for veg in range(N_VEGETABLES):
        hand.linear[veg] = 0
        hand.most[veg] = 0
        hand.fewest[veg] = 0
        for count in range(hand.curve.shape[1]):
            hand.curve[veg, count] = 0


@inline_kernel
def sum_curve(cards, term, hand, veg, sign):  # type: ignore[no-untyped-def]
    """Add (sign 1) or take away (sign -1) the curve of a term at one vegetable."""
    for count in range(hand.curve.shape[1]):
        hand.curve[veg, count] += sign * cards.curve[term, count]


@inline_kernel
def sum_set(term, hand, sign):  # type: ignore[no-untyped-def]
    """List a set of several vegetables, or take it off the list."""
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
def sum_term(cards, term, hand, sign):  # type: ignore[no-untyped-def]
    """Add a term to the sums of a hand (sign 1), or take it away (sign -1)."""
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
    elif kind == SET:
        sum_set(term, hand, sign)
    elif kind == AT_LEAST or kind == MISSING:
        for each in range(N_VEGETABLES):
            sum_curve(cards, term, hand, each, sign)
    elif veg >= 0:
        sum_curve(cards, term, hand, veg, sign)
    elif kind == MOST_TOTAL:
        hand.most_total += points
    else:
        hand.fewest_total += points


@kernel
def sum_card(cards, card, hand, sign):  # type: ignore[no-untyped-def]
    """Add all terms of a card to the sums of a hand (sign 1), or take them away (sign -1)."""
    term = np.int64(card)
    while term >= 0:
        sum_term(cards, term, hand, sign)
        term = np.int64(cards.next_term[term])


@kernel
def add_to_hand(cards, card, hand):  # type: ignore[no-untyped-def]
    """Add a point card to a hand record."""
    sum_card(cards, card, hand, 1)
    hand.held[hand.n_held] = card
    hand.n_held += 1


@kernel
def take_from_hand(cards, card, hand):  # type: ignore[no-untyped-def]
    """Take a point card out of a hand record, the last one moving to its place as in the tableau."""
    sum_card(cards, card, hand, -1)
    hand.n_held -= 1
    for index in range(hand.n_held):
        if hand.held[index] == card:
            hand.held[index] = hand.held[hand.n_held]
            break


@kernel
def read_hand(view, seat, hand):  # type: ignore[no-untyped-def]
    """Copy the vegetables of ``seat`` and bring the sums of its point cards up to date.

    The sums are worked out anew only if the record does not hold exactly these cards; a strategy that tells the record
    of its own moves (`add_to_hand`, `take_from_hand`) finds it ready on its next turn.
    """
    tableau = view.tableau[seat]
    for veg in range(N_VEGETABLES):
        hand.counts[veg] = tableau.counts[veg]
    n_same = 0
    if hand.n_held == tableau.n_held:
        for index in range(tableau.n_held):
            n_same += hand.held[index] == tableau.held[index]
        if n_same == tableau.n_held:
            return
    clear_sums(hand)
    for index in range(tableau.n_held):
        add_to_hand(view.cards, tableau.held[index], hand)


@inline_kernel
def add_set_gains(cards, term, hand):  # type: ignore[no-untyped-def]
    """Add a set that needs one each of several vegetables: only the scarcest of them matter."""
    fewest, second, n_fewest = MANY, MANY, 0
    scarce, scarce_too = 0, 0
    for veg in range(N_VEGETABLES):
        if cards.needs[term, veg] == 0:
            continue
        count = np.int64(hand.counts[veg])
        if count < fewest:
            fewest, second, n_fewest, scarce = count, fewest, 1, veg
        elif count == fewest:
            n_fewest += 1
            scarce_too = veg
        else:
            second = min(second, count)
    points = np.int64(cards.points[term])
    room = cards.most_sets[term] - fewest
    if room <= 0:
        return
    if n_fewest == 1:
        hand.plus_one[scarce] += points
        if second < fewest + 2 or room < 2:
            hand.together[scarce, scarce] -= points
    elif n_fewest == 2:
        hand.together[scarce, scarce_too] += points
        hand.together[scarce_too, scarce] += points


@kernel
def add_gains_by_trying(view, seat, term, hand):  # type: ignore[no-untyped-def]
    """Add any term at all by scoring it with every one or two vegetables more (slow; for custom sets)."""
    none = term_value(view, seat, hand, term)
    for veg in range(N_VEGETABLES):
        hand.counts[veg] += 1
        one = term_value(view, seat, hand, term)
        hand.plus_one[veg] += one - none
        for other in range(N_VEGETABLES):
            hand.counts[other] += 1
            both = term_value(view, seat, hand, term)
            hand.counts[veg] -= 1
            other_one = term_value(view, seat, hand, term)
            hand.counts[veg] += 1
            hand.counts[other] -= 1
            hand.together[veg, other] += both - one - other_one + none
        hand.counts[veg] -= 1


@inline_kernel
def needs_one_each(cards, term):  # type: ignore[no-untyped-def]
    """Return whether a set needs no vegetable twice."""
    most = 0
    for veg in range(N_VEGETABLES):
        most = max(most, cards.needs[term, veg])
    return most == 1


@kernel
def add_total_gains(view, seat, hand):  # type: ignore[no-untyped-def]
    """Add the terms about totals, to which every vegetable adds one."""
    total = total_of(hand)
    most, fewest = most_total_of_others(view, seat), fewest_total_of_others(view, seat)
    none = hand.most_total * (total >= most) + hand.fewest_total * (total <= fewest)
    one = hand.most_total * (total + 1 >= most) + hand.fewest_total * (total + 1 <= fewest)
    two = hand.most_total * (total + 2 >= most) + hand.fewest_total * (total + 2 <= fewest)
    for veg in range(N_VEGETABLES):
        hand.plus_one[veg] += one - none
        for other in range(N_VEGETABLES):
            hand.together[veg, other] += two - 2 * one + none


@kernel
def hand_gains(view, seat, hand):  # type: ignore[no-untyped-def]
    """Fill the gains of one and two vegetables more than ``hand.counts``, for the cards summed up in ``hand``.

    Parameters
    ----------
    view : public record
    seat : int
        Whose hand.
    hand : record `Layout.hand`
        ``counts`` int16 [6]: the vegetables to count from; the sums as by `read_hand`.
        ``plus_one`` int32 [6], out: points gained by one more of each vegetable.
        ``together`` int32 [6, 6], out: points that a pair u, v gains beyond plus_one[u] + plus_one[v].
    """
    for veg in range(N_VEGETABLES):
        for other in range(N_VEGETABLES):
            hand.together[veg, other] = 0
    for veg in range(N_VEGETABLES):
        count = np.int64(hand.counts[veg])
        most, fewest = most_of_others(view, seat, veg), fewest_of_others(view, seat, veg)
        none = hand.curve[veg, count] + hand.most[veg] * (count >= most) + hand.fewest[veg] * (count <= fewest)
        count += 1
        one = hand.curve[veg, count] + hand.most[veg] * (count >= most) + hand.fewest[veg] * (count <= fewest)
        count += 1
        two = hand.curve[veg, count] + hand.most[veg] * (count >= most) + hand.fewest[veg] * (count <= fewest)
        hand.plus_one[veg] = one - none + hand.linear[veg]
        hand.together[veg, veg] = two - 2 * one + none
    for index in range(hand.n_sets):
        term = np.int64(hand.sets[index])
        if needs_one_each(view.cards, term):
            add_set_gains(view.cards, term, hand)
        else:
            add_gains_by_trying(view, seat, term, hand)
    if hand.most_total != 0 or hand.fewest_total != 0:
        add_total_gains(view, seat, hand)
