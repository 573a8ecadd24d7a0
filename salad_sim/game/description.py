"""A table as a learned value sees it: the rows of `value_layout` that are not zero, written as lists.

What all moves of a turn have in common is written once, at its beginning: above all the other seats. What a move
changes is appended behind it and written anew for each.
"""

from __future__ import annotations

import numpy as np

from salad_sim.game.moves import N_PILES
from salad_sim.game.outlook import worth_of_card
from salad_sim.game.rules import FLIP_NEVER, SPLIT_DRAW, UP_TO_TWO
from salad_sim.game.state import N_VEGETABLES
from salad_sim.game.value_layout import (
    AHEAD,
    AHEAD_KNOTS,
    AHEAD_NOW,
    AHEAD_NOW_KNOTS,
    AHEAD_NOW_STEP,
    AHEAD_PHASE,
    AHEAD_STEP,
    BACKS,
    BLIND,
    BLOCK,
    COUNT,
    FEWEST,
    FEWEST_CHANCE,
    GAIN_PLAIN,
    GAIN_RACES,
    GAIN_SETS,
    GROWTH,
    HELD,
    HELD_NEXT,
    IN_HAND,
    IN_MARKET,
    IN_SUPPLY,
    LEAD,
    LEFT,
    LINEAR,
    MARKET,
    MOST,
    MOST_CHANCE,
    MOST_LEFT,
    MOST_MARKET,
    N_COUNTS,
    N_HELD,
    N_LACK,
    OFFER,
    OFFER_OWN,
    ONE,
    ORDER,
    PHASE,
    PHASE_KNOTS,
    PLAYERS,
    REST,
    SCORE,
    SETS,
    STEP,
    SUPPLY,
    SUPPLY_KNOTS,
    SUPPLY_STEP,
    SWITCH,
    TABLE_PHASE,
    TIE,
    TOPS,
    TOTAL,
    WIDEST_LEAD,
    WORTH,
)
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import at


@inline_kernel
def note(entries, veg, row, value):
    """Append a row of a vegetable, unless it is zero."""
    n = at(entries.n[veg])
    entries.row[veg, n] = row
    entries.value[veg, n] = value
    entries.n[veg] += value != 0.0


@inline_kernel
def note_table(entries, row, value):
    """Append a row of the table, unless it is zero."""
    n = at(entries.n_table)
    entries.table_row[n] = row
    entries.table_value[n] = value
    entries.n_table += value != 0.0


@inline_kernel
def place_between(value, n_knots):
    """Return the knot at or below ``value``, which counts in knots, and how far beyond it that is: 0..1."""
    knot = min(max(np.int64(np.floor(value)), 0), n_knots - 2)
    return knot, min(max(value - knot, 0.0), 1.0)


@inline_kernel
def note_between(entries, veg, row, n_knots, value):
    """Append the two rows of a vegetable between whose knots ``value`` lies."""
    knot, beyond = place_between(value, n_knots)
    note(entries, veg, row + knot, 1.0 - beyond)
    note(entries, veg, row + knot + 1, beyond)


@inline_kernel
def note_table_between(entries, row, n_knots, value, weight):
    """Append the two rows of the table between whose knots ``value`` lies."""
    knot, beyond = place_between(value, n_knots)
    note_table(entries, row + knot, (1.0 - beyond) * weight)
    note_table(entries, row + knot + 1, beyond * weight)


@kernel
def describe_hand(entries, look, hand, backs, veg, block):
    """Append what a vegetable is to one seat."""
    note(entries, veg, block + COUNT + min(np.int64(hand.counts[veg]), N_COUNTS - 1), 1.0)
    note(entries, veg, block + LINEAR, hand.linear[veg] / 4.0)
    note(entries, veg, block + STEP, look.steps[veg, 0] / 8.0)
    note(entries, veg, block + STEP + 1, look.steps[veg, 1] / 8.0)
    note(entries, veg, block + STEP + 2, look.steps[veg, 2] / 8.0)
    note(entries, veg, block + GAIN_PLAIN, look.plain[veg] / 8.0)
    note(entries, veg, block + GAIN_SETS, look.sets[veg] / 8.0)
    note(entries, veg, block + GAIN_RACES, look.races[veg] / 8.0)
    note(entries, veg, block + GROWTH, look.growth[veg] / 8.0)
    note(entries, veg, block + BACKS, backs / 2.0)
    note(entries, veg, block + IN_HAND, backs * look.gain[veg] / 8.0)
    if hand.most[veg] != 0 or hand.fewest[veg] != 0:
        note(entries, veg, block + MOST, hand.most[veg] / 8.0)
        note(entries, veg, block + MOST_CHANCE, hand.most[veg] * look.most[veg] / 8.0)
        note(entries, veg, block + FEWEST, hand.fewest[veg] / 8.0)
        note(entries, veg, block + FEWEST_CHANCE, hand.fewest[veg] * look.fewest[veg] / 8.0)


@kernel
def describe_rest(view, mind, veg):
    """Append what a vegetable is to the seats beyond the next one."""
    n_rest = view.n_players - 2
    if n_rest <= 0:
        return
    number, gain, linear, most, fewest, largest = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    seat = np.int64(view.seat)
    for ahead in range(2, view.n_players):
        other = (seat + ahead) % view.n_players
        hand, look = mind.hands[at(other)], mind.looks[at(other)]
        number += hand.counts[veg]
        gain += look.gain[veg]
        linear += hand.linear[veg]
        most += hand.most[veg]
        fewest += hand.fewest[veg]
        largest = max(largest, look.gain[veg])
    entries = mind.entries
    note(entries, veg, REST, number / n_rest / 4.0)
    note(entries, veg, REST + 1, gain / n_rest / 8.0)
    note(entries, veg, REST + 2, linear / n_rest / 4.0)
    note(entries, veg, REST + 3, most / n_rest / 8.0)
    note(entries, veg, REST + 4, fewest / n_rest / 8.0)
    note(entries, veg, REST + 5, largest / 8.0)


@kernel
def describe_others(view, mind):
    """Begin the description with what no move of this turn changes."""
    entries = mind.entries
    seat = np.int64(view.seat)
    following = (seat + 1) % view.n_players
    hand, look = mind.hands[at(following)], mind.looks[at(following)]
    for veg in range(N_VEGETABLES):
        entries.n[veg] = 0
        describe_hand(entries, look, hand, mind.backs[at(following), veg], veg, BLOCK)
        describe_rest(view, mind, veg)
        mind.n_fixed[veg] = entries.n[veg]
    entries.n_table = 0
    note_table(entries, ONE, 1.0)
    note_table(entries, ORDER + turn_order(view, seat), 1.0)
    note_table(entries, PLAYERS + view.n_players - 2, 1.0)
    note_table(entries, TIE + view.rules.tie_break, 1.0)
    note_table(entries, SWITCH, np.float64(view.rules.vegetables == UP_TO_TWO))
    note_table(entries, SWITCH + 1, np.float64(view.rules.flip == FLIP_NEVER))
    note_table(entries, SWITCH + 2, np.float64(view.rules.split == SPLIT_DRAW))
    note_table(entries, SWITCH + 3, np.float64(view.n_rounds - 1 - view.round_number))
    note_table(entries, HELD_NEXT + min(np.int64(hand.n_held), N_HELD - 1), 1.0)
    for lack in range(N_LACK):
        note_table(entries, SETS + N_LACK + lack, look.lacks[lack] / 8.0)
    describe_scores(view, mind, seat)
    mind.n_fixed_table = entries.n_table


@inline_kernel
def turn_order(view, seat):
    """Return the place of a seat in turn order, 0 for the seat that began."""
    order = seat - view.start
    return order + view.n_players if order < 0 else order


@kernel
def describe_scores(view, mind, seat):
    """Append the scores of the others and their numbers of vegetables."""
    entries = mind.entries
    best_now, best, total, rest = -1e9, -1e9, 0.0, 0.0
    for ahead in range(1, view.n_players):
        other = (seat + ahead) % view.n_players
        look = mind.looks[at(other)]
        best_now, best = max(best_now, look.now), max(best, look.worth)
        total += look.worth
        n_vegetables = 0.0
        for veg in range(N_VEGETABLES):
            n_vegetables += mind.hands[at(other)].counts[veg]
        if ahead == 1:
            note_table(entries, TOTAL + 1, n_vegetables / 10.0)
            note_table(entries, SCORE + 2, look.now / 50.0)
            note_table(entries, WORTH + 1, look.worth / 50.0)
        else:
            rest += n_vegetables
    note_table(entries, TOTAL + 2, rest / 10.0 / max(view.n_players - 2, 1))
    note_table(entries, SCORE + 1, best_now / 50.0)
    note_table(entries, WORTH + 2, best / 50.0)
    note_table(entries, WORTH + 3, total / 50.0 / (view.n_players - 1))
    mind.best_other = best
    mind.best_other_now = best_now


@kernel
def describe_vegetable(view, mind, veg):
    """Append to a vegetable what a move in mind changes."""
    entries = mind.entries
    seat = np.int64(view.seat)
    following = seat + 1 if seat + 1 < view.n_players else 0
    hand, look = mind.hands[at(seat)], mind.looks[at(seat)]
    other_hand, other = mind.hands[at(following)], mind.looks[at(following)]
    entries.n[veg] = mind.n_fixed[veg]
    describe_hand(entries, look, hand, mind.backs[at(seat), veg], veg, 0)
    n_market, supply = np.int64(mind.market[veg]), np.float64(mind.supply[veg]) / view.n_players
    lead = min(max(look.lead[veg], -WIDEST_LEAD), WIDEST_LEAD)
    note(entries, veg, LEAD + WIDEST_LEAD + lead, 1.0)
    if other_hand.most[veg] != 0 or other_hand.fewest[veg] != 0:
        behind = min(max(np.int64(other_hand.counts[veg]) - hand.counts[veg], -WIDEST_LEAD), WIDEST_LEAD)
        note(entries, veg, BLOCK + LEAD + WIDEST_LEAD + behind, 1.0)
    note(entries, veg, IN_MARKET, look.gain[veg] * min(n_market, 2) / 8.0)
    note(entries, veg, IN_SUPPLY, look.gain[veg] * supply / 16.0)
    note(entries, veg, BLOCK + IN_MARKET, other.gain[veg] * min(n_market, 2) / 8.0)
    note(entries, veg, BLOCK + IN_SUPPLY, other.gain[veg] * supply / 16.0)
    note_between(entries, veg, SUPPLY, SUPPLY_KNOTS, supply / SUPPLY_STEP)
    note(entries, veg, MARKET + min(n_market, MOST_MARKET), 1.0)
    n_tops = 0.0
    for pile in range(N_PILES):
        if mind.top[pile] >= 0:
            n_tops += view.cards.back[at(mind.top[pile])] == veg
    note(entries, veg, TOPS, n_tops)
    note_between(entries, veg, PHASE, PHASE_KNOTS, (PHASE_KNOTS - 1.0) * mind.n_left / view.n_cards)


@kernel
def best_vegetables(mind, look):
    """Return what the best two vegetables of the market in mind would add for a seat."""
    first, second = 0.0, 0.0
    for veg in range(N_VEGETABLES):
        for _ in range(min(mind.market[veg], 2)):
            gain = look.gain[veg]
            if gain > first:
                first, second = gain, first
            elif gain > second:
                second = gain
    return first + second


@kernel
def describe_offers(view, mind, seat, following):
    """Append what is on offer to the next seat, and then to the own one."""
    entries = mind.entries
    best_card, sum_of_cards, best_own, sum_of_own, n_blind = 0.0, 0.0, 0.0, 0.0, 0
    for pile in range(N_PILES):
        if mind.top[pile] >= 0:
            worth = max(mind.offer[pile], 0.0)
            best_card = max(best_card, worth)
            sum_of_cards += worth
            worth = max(worth_of_card(view, mind, seat, mind.top[pile]), 0.0)
            best_own = max(best_own, worth)
            sum_of_own += worth
        n_blind += mind.top[pile] < 0
    best_two = best_vegetables(mind, mind.looks[at(following)])
    note_table(entries, OFFER, best_two / 16.0)
    note_table(entries, OFFER + 1, best_card / 16.0)
    note_table(entries, OFFER + 2, max(best_two, best_card) / 16.0)
    note_table(entries, OFFER + 3, sum_of_cards / 16.0)
    best_two = best_vegetables(mind, mind.looks[at(seat)])
    note_table(entries, OFFER_OWN, best_two / 16.0)
    note_table(entries, OFFER_OWN + 1, best_own / 16.0)
    note_table(entries, OFFER_OWN + 2, max(best_two, best_own) / 16.0)
    note_table(entries, OFFER_OWN + 3, sum_of_own / 16.0)
    note_table(entries, BLIND, np.float64(mind.n_blind))
    note_table(entries, BLIND + 1 + n_blind, 1.0)


@kernel
def describe_table(view, mind):
    """Append to the table what a move in mind changes."""
    entries = mind.entries
    seat = np.int64(view.seat)
    hand, look = mind.hands[at(seat)], mind.looks[at(seat)]
    entries.n_table = mind.n_fixed_table
    phase = (PHASE_KNOTS - 1.0) * mind.n_left / view.n_cards
    ahead, ahead_now = look.worth - mind.best_other, look.now - mind.best_other_now
    note_table_between(entries, TABLE_PHASE, PHASE_KNOTS, phase, 1.0)
    note_table_between(entries, AHEAD_PHASE, PHASE_KNOTS, phase, ahead / 16.0)
    note_table_between(entries, AHEAD, AHEAD_KNOTS, ahead / AHEAD_STEP + (AHEAD_KNOTS - 1) / 2, 1.0)
    note_table_between(entries, AHEAD_NOW, AHEAD_NOW_KNOTS, ahead_now / AHEAD_NOW_STEP + (AHEAD_NOW_KNOTS - 1) / 2, 1.0)
    if mind.n_left <= MOST_LEFT:
        note_table(entries, LEFT + mind.n_left, 1.0)
    note_table(entries, SCORE, look.now / 50.0)
    note_table(entries, WORTH, look.worth / 50.0)
    note_table(entries, HELD + min(np.int64(hand.n_held), N_HELD - 1), 1.0)
    n_vegetables = 0.0
    for veg in range(N_VEGETABLES):
        n_vegetables += hand.counts[veg]
    note_table(entries, TOTAL, n_vegetables / 10.0)
    for lack in range(N_LACK):
        note_table(entries, SETS + lack, look.lacks[lack] / 8.0)
    describe_offers(view, mind, seat, (seat + 1) % view.n_players)
