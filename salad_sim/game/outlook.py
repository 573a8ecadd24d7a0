"""What a seat can expect at the end of the round, as kernels: chances of more vegetables, of sets and of majorities.

Of the cards still to be had a seat can expect its share as vegetables; how many there will be is taken as Poisson's.
The numbers need not be exact: a learned value sees them and knows by experience what they are good for.
"""

from __future__ import annotations

import math

import numpy as np

from salad_sim.game.card_kinds import AT_LEAST, FEWEST, LAST_PLAIN, LINEAR, MISSING, MOST, SET
from salad_sim.game.marginal_value import term_in_hand
from salad_sim.game.scoring import fewest_total_of_others, most_total_of_others
from salad_sim.game.state import N_VEGETABLES
from salad_sim.game.value_layout import N_LACK
from salad_sim.jit.kernel import inline_kernel, kernel
from salad_sim.jit.records import at

STEPS = 8
"""Expected numbers are rounded to such parts."""

MOST_COME = 8
N_MORE = 6
"""Vegetables more that are looked at."""

N_TAIL = 12
MOST_SETS = 5

TAIL = np.array(
    [
        [
            1.0 - sum(math.exp(-step / STEPS) * (step / STEPS) ** k / math.factorial(k) for k in range(least))
            for least in range(N_TAIL)
        ]
        for step in range(MOST_COME * STEPS + 1)
    ]
)
"""Poisson chances of at least so many more, by their expected number in eighths."""

SHARPEST = 0.05
SPREAD = 0.5
"""How uncertain a majority is: SHARPEST when nothing is left, and SPREAD times the root of what is."""


@inline_kernel
def likely(lead):
    """Return a smooth step from 0 to 1 around ``lead`` = 0, in units of the spread."""
    return 0.5 + 0.5 * lead / math.sqrt(1.0 + lead * lead)


@inline_kernel
def tail(step, least):
    """Return the chance of at least ``least`` more, which may be negative."""
    return TAIL[at(step), at(min(max(least, 0), N_TAIL - 1))]


@kernel
def foresee_vegetable(cards, look, hand, supply, veg):
    """Work out what the number of one vegetable is worth to a hand, and will be."""
    count, last = np.int64(hand.counts[veg]), np.int64(cards.n_counts - 1)
    come = supply * look.fraction
    step = min(np.int64(come * STEPS + 0.5), MOST_COME * STEPS)
    look.come[veg] = come
    look.step[veg] = step
    linear = np.float64(hand.linear[veg])
    before = np.float64(hand.curve[veg, at(min(count, last))])
    look.score[veg] = linear * count + before
    growth, gain, chance = linear * come, linear, 1.0
    for more in range(1, N_MORE + 1):
        points = np.float64(hand.curve[veg, at(min(count + more, last))])
        next_chance = TAIL[at(step), at(more)]
        gain += (chance - next_chance) * (points - before)
        growth += next_chance * (points - before)
        if more <= 3:
            look.steps[veg, more - 1] = points - before
        chance, before = next_chance, points
    look.plain[veg] = gain
    look.growth[veg] = growth
    look.hope[veg] = look.score[veg] + growth
    foresee_races(look, hand, supply, veg, count)


@inline_kernel
def foresee_races(look, hand, supply, veg, count):
    """Work out the majorities of a vegetable."""
    lead = count - np.int64(hand.most_others[veg])
    look.lead[veg] = lead
    look.races[veg] = 0.0
    look.most[veg] = 0.0
    look.fewest[veg] = 0.0
    if hand.most[veg] != 0 or hand.fewest[veg] != 0:
        spread = SHARPEST + SPREAD * math.sqrt(np.float64(supply))
        lag = np.int64(hand.fewest_others[veg]) - count
        most, fewest = likely((lead + 0.5) / spread), likely((lag + 0.5) / spread)
        look.most[veg] = most
        look.fewest[veg] = fewest
        look.score[veg] += hand.most[veg] * (lead >= 0) + hand.fewest[veg] * (lag >= 0)
        look.hope[veg] += hand.most[veg] * most + hand.fewest[veg] * fewest
        look.races[veg] = hand.most[veg] * (likely((lead + 1.5) / spread) - most)
        look.races[veg] += hand.fewest[veg] * (likely((lag - 0.5) / spread) - fewest)


@kernel
def foresee_set(view, look, hand, seat, term):
    """Work out what a set is worth to a hand, and will be."""
    cards = view.cards
    if cards.kind[term] != SET:
        value = np.float64(term_in_hand(view, seat, hand, term))
        look.rest += value
        look.rest_hope += value
        return
    points = np.float64(cards.points[term])
    for number in range(1, min(np.int64(cards.most_sets[term]), MOST_SETS) + 1):
        chance, n_lacking = 1.0, 0
        for veg in range(N_VEGETABLES):
            need = np.int64(cards.needs[term, veg])
            if need > 0:
                least = need * number - hand.counts[veg]
                n_lacking += max(least, 0)
                chance *= tail(look.step[veg], least)
        look.rest_hope += points * chance
        if n_lacking == 0:
            look.rest += points
            continue
        if n_lacking <= N_LACK:
            look.lacks[n_lacking - 1] += points
        if chance < 0.002:
            return
        for veg in range(N_VEGETABLES):
            need = np.int64(cards.needs[term, veg])
            least = need * number - hand.counts[veg]
            if need > 0 and least > 0:
                before = max(tail(look.step[veg], least), 1e-6)
                look.sets[veg] += points * chance * (tail(look.step[veg], least - 1) / before - 1.0)


@kernel
def foresee_rest(view, look, hand, seat):
    """Work out what a hand has by sets, totals and earlier rounds."""
    look.rest = view.bonus[at(seat)]
    look.rest_hope = look.rest
    for lack in range(N_LACK):
        look.lacks[lack] = 0.0
    for veg in range(N_VEGETABLES):
        look.sets[veg] = 0.0
    for index in range(hand.n_sets):
        foresee_set(view, look, hand, seat, np.int64(hand.sets[index]))
    if hand.most_total != 0 or hand.fewest_total != 0:
        total = 0
        for veg in range(N_VEGETABLES):
            total += hand.counts[veg]
        value = np.float64(hand.most_total * (total >= most_total_of_others(view, seat)))
        value += hand.fewest_total * (total <= fewest_total_of_others(view, seat))
        look.rest += value
        look.rest_hope += value


@kernel
def sum_outlook(look):
    """Add up what has been foreseen."""
    look.now = look.rest
    look.worth = look.rest_hope
    for veg in range(N_VEGETABLES):
        look.gain[veg] = look.plain[veg] + look.sets[veg] + look.races[veg]
        look.now += look.score[veg]
        look.worth += look.hope[veg]


@kernel
def foresee(view, mind, seat):
    """Work out what ``mind.hands[seat]`` is worth now and can expect, into ``mind.looks[seat]``."""
    look, hand = mind.looks[at(seat)], mind.hands[at(seat)]
    for veg in range(N_VEGETABLES):
        foresee_vegetable(view.cards, look, hand, mind.supply[veg], veg)
    foresee_rest(view, look, hand, seat)
    sum_outlook(look)


@inline_kernel
def by_number(cards, look, hand, term, veg):
    """Return what a term will be worth by the number of one vegetable."""
    count, last = np.int64(hand.counts[veg]), np.int64(cards.n_counts - 1)
    before = np.float64(cards.curve[at(term), at(min(count, last))])
    value = before
    for more in range(1, N_MORE + 1):
        points = np.float64(cards.curve[at(term), at(min(count + more, last))])
        value += TAIL[at(look.step[veg]), at(more)] * (points - before)
        before = points
    return value


@kernel
def worth_of_term(view, mind, seat, term):
    """Return what a term of a card on offer will be worth to a seat."""
    cards, look, hand = view.cards, mind.looks[at(seat)], mind.hands[at(seat)]
    kind = cards.kind[term]
    value = 0.0
    if kind == LINEAR:
        for veg in range(N_VEGETABLES):
            value += cards.linear[term, veg] * (hand.counts[veg] + look.come[veg])
    elif kind <= LAST_PLAIN:
        value = by_number(cards, look, hand, term, np.int64(cards.veg[term]))
    elif kind == MOST or kind == FEWEST:
        veg = np.int64(cards.veg[term])
        spread = SHARPEST + SPREAD * math.sqrt(np.float64(mind.supply[veg]))
        lead = np.float64(hand.counts[veg] - hand.most_others[veg])
        if kind == FEWEST:
            lead = np.float64(hand.fewest_others[veg] - hand.counts[veg])
        value = cards.points[term] * likely((lead + 0.5) / spread)
    elif kind == SET:
        for number in range(1, min(np.int64(cards.most_sets[term]), MOST_SETS) + 1):
            chance = 1.0
            for veg in range(N_VEGETABLES):
                need = np.int64(cards.needs[term, veg])
                if need > 0:
                    chance *= tail(look.step[veg], need * number - hand.counts[veg])
            value += cards.points[term] * chance
    elif kind == AT_LEAST or kind == MISSING:
        for veg in range(N_VEGETABLES):
            value += by_number(cards, look, hand, term, veg)
    else:
        value = np.float64(term_in_hand(view, seat, hand, term))
    return value


@kernel
def worth_of_card(view, mind, seat, card):
    """Return what a card on offer will be worth to a seat."""
    value = 0.0
    term = np.int64(card)
    while term >= 0:
        value += worth_of_term(view, mind, seat, term)
        term = np.int64(view.cards.next_term[term])
    return value
