"""What one or two more vegetables would add to a hand, worked out once for all of them.

Greedy players ask for the gain of each of fifteen pairs of vegetables on every turn. Almost all cards are sums over
single vegetables, so the gain of a pair is ``plus_one[u] + plus_one[v] + together[u, v]`` (u <= v), where ``together``
is the small correction of majorities, parities and sets. One pass over the hand fills both.
"""

from __future__ import annotations

import numpy as np

from salad_sim._kernel import kernel
from salad_sim.cards import AT_LEAST, LINEAR, MISSING, SET
from salad_sim.scoring import MANY, by_count, by_total, per_type, term_value, total_of
from salad_sim.table import N_VEGETABLES


@kernel
def clear_gains(hand):  # type: ignore[no-untyped-def]
    """Set all gains to zero."""
    hand.plus_one[:] = 0
    hand.together[:] = 0


@kernel
def add_curve(hand, veg, none, one, two):  # type: ignore[no-untyped-def]
    """Add a term that depends on one vegetable, given its values with 0, 1 and 2 more of it."""
    hand.plus_one[veg] += one - none
    hand.together[veg, veg] += two - 2 * one + none


@kernel
def add_total(view, seat, term, hand):  # type: ignore[no-untyped-def]
    """Add a term about the total, to which every vegetable adds one."""
    total = total_of(hand)
    none, one = by_total(view, seat, term, total), by_total(view, seat, term, total + 1)
    two = by_total(view, seat, term, total + 2)
    for veg in range(N_VEGETABLES):
        hand.plus_one[veg] += one - none
        for other in range(veg, N_VEGETABLES):
            hand.together[veg, other] += two - 2 * one + none


@kernel
def add_combination(view, term, hand):  # type: ignore[no-untyped-def]
    """Add a set that needs one each of several vegetables: only the scarcest of them matter."""
    cards = view.cards
    fewest, second, n_fewest = MANY, MANY, 0
    scarce, scarce_too = 0, 0
    for veg in range(N_VEGETABLES):
        if cards.weights[term, veg] == 0:
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


@kernel
def add_by_trying(view, seat, term, hand):  # type: ignore[no-untyped-def]
    """Add any term at all by scoring it with every one or two vegetables more (slow; for custom sets)."""
    none = term_value(view, seat, hand, term)
    for veg in range(N_VEGETABLES):
        hand.counts[veg] += 1
        hand.plus_one[veg] += term_value(view, seat, hand, term) - none
        hand.counts[veg] -= 1
    for veg in range(N_VEGETABLES):
        hand.counts[veg] += 1
        one = term_value(view, seat, hand, term)
        for other in range(veg, N_VEGETABLES):
            hand.counts[other] += 1
            both = term_value(view, seat, hand, term)
            hand.counts[veg] -= 1
            other_one = term_value(view, seat, hand, term)
            hand.counts[veg] += 1
            hand.counts[other] -= 1
            hand.together[veg, other] += both - one - other_one + none
        hand.counts[veg] -= 1


@kernel
def needs_one_each(weights):  # type: ignore[no-untyped-def]
    """Return whether a set needs no vegetable twice."""
    for veg in range(N_VEGETABLES):
        if weights[veg] > 1:
            return False
    return True


@kernel
def add_term_gains(view, seat, term, hand):  # type: ignore[no-untyped-def]
    """Add one term to the gains; ``hand.counts`` may change on the way and are left as they were."""
    cards = view.cards
    kind = cards.kind[term]
    if kind == LINEAR:
        for veg in range(N_VEGETABLES):
            hand.plus_one[veg] += cards.weights[term, veg]
        return
    veg = np.int64(cards.veg[term])
    if veg >= 0:
        count = np.int64(hand.counts[veg])
        none, one = by_count(view, seat, term, count), by_count(view, seat, term, count + 1)
        add_curve(hand, veg, none, one, by_count(view, seat, term, count + 2))
    elif kind == SET:
        if needs_one_each(cards.weights[term]):
            add_combination(view, term, hand)
        else:
            add_by_trying(view, seat, term, hand)
    elif kind == AT_LEAST or kind == MISSING:
        for each in range(N_VEGETABLES):
            count = np.int64(hand.counts[each])
            none, one = per_type(view, term, count), per_type(view, term, count + 1)
            add_curve(hand, each, none, one, per_type(view, term, count + 2))
    else:
        add_total(view, seat, term, hand)


@kernel
def add_card_gains(view, seat, card, hand):  # type: ignore[no-untyped-def]
    """Add what one or two vegetables more would add to the worth of ``card``."""
    term = np.int64(card)
    while term >= 0:
        add_term_gains(view, seat, term, hand)
        term = np.int64(view.cards.next_term[term])


@kernel
def count_own(view, seat, hand):  # type: ignore[no-untyped-def]
    """Copy the vegetables of ``seat`` into ``hand.counts``."""
    for veg in range(N_VEGETABLES):
        hand.counts[veg] = view.tableau[seat].counts[veg]


@kernel
def hand_gains(view, seat, hand):  # type: ignore[no-untyped-def]
    """Fill the gains of all the point cards of ``seat``, counted from the vegetables ``hand.counts``.

    Parameters
    ----------
    view : public record
    seat : int
        Whose point cards.
    hand : record `Layout.hand`
        ``counts`` int16 [6]: the vegetables to count from, see `count_own`.
        ``plus_one`` int64 [6], out: points gained by one more of each vegetable.
        ``together`` int64 [6, 6], out, for u <= v: points that a pair u, v gains beyond plus_one[u] + plus_one[v].
    """
    clear_gains(hand)
    tableau = view.tableau[seat]
    for index in range(tableau.n_held):
        add_card_gains(view, seat, np.int64(tableau.held[index]), hand)
