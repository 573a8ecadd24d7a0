"""The strategy `planner`: no playing on, but each card and vegetable is valued by what it will be worth at the end.

Idea: the cards that are left say how many more vegetables of each kind a player can expect, a few more of those that
score for it. With these numbers, as chances and not as certainties, each card in front of it and on offer has an
expected score, and one more of each vegetable an expected gain. Majorities are races: ahead by so many, with so many to
come. What the next player would make of a card or vegetable counts too, with a weight. A vegetable early in the game is
worth something beyond what it adds to the cards at hand, and a flip can wait; how much is for the parameters to say.

Cost: about twice that of greedy. The parameters come from `salad-sim tune`, see docs/strategies.md.
"""

import math

import numpy as np

from salad_sim.kit import (
    AT_LEAST,
    FEWEST,
    FEWEST_TOTAL,
    FLIP_NEVER,
    LAST_PLAIN,
    LINEAR,
    MISSING,
    MOST,
    MOST_TOTAL,
    N_PILES,
    N_VEGETABLES,
    NO_FLIP,
    SET,
    at,
    first_slot,
    list_drafts,
    make_move,
    second_slot,
    value_of_term,
)
from salad_sim.strategy import Parameter, inline_kernel, kernel, strategy

PARAMETERS = {
    "reach": Parameter(0.5712, 0.0, 1.0, "share of the cards to come that it expects as vegetables, at two players"),
    "horizon": Parameter(0.0984, 0.0, 4.0, "cards for each player that it does not count on any more"),
    "tilt": Parameter(0.0323, 0.0, 2.0, "how much larger the share of what scores for it, at two players"),
    "tilt_crowd": Parameter(1.165, -1.0, 4.0, "the same, what more in a crowd"),
    "spread": Parameter(0.4928, 0.0, 3.0, "how uncertain the numbers of the end are"),
    "card": Parameter(0.575, -10.0, 20.0, "points that a point card on offer is worth beyond its score, at the end"),
    "card_early": Parameter(7.391, -30.0, 30.0, "the same, what more at the start"),
    "card_crowd": Parameter(2.907, -20.0, 50.0, "the same, what more at the start in a crowd"),
    "vegetable": Parameter(-2.315, -10.0, 15.0, "points that a vegetable is worth beyond its gain, at the end"),
    "vegetable_early": Parameter(11.904, -10.0, 40.0, "the same, what more at the start"),
    "flip": Parameter(6.837, -5.0, 20.0, "points that a flip must gain, at the end"),
    "flip_early": Parameter(0.828, -20.0, 30.0, "the same, what more at the start"),
    "deny_card": Parameter(0.2726, -0.5, 2.0, "weight of what a card would score for the next player, at two players"),
    "deny_vegetable": Parameter(0.5806, -0.5, 2.5, "weight of what a vegetable would add for it, at two players"),
}
"""Tuned, see reports/tuning; a crowd counts 1 - 2 / players: nothing at two players, two thirds at six."""

(REACH, HORIZON, TILT, TILT_CROWD, SPREAD, CARD, CARD_EARLY, CARD_CROWD) = range(8)
(VEGETABLE, VEGETABLE_EARLY, FLIP, FLIP_EARLY, DENY_CARD, DENY_VEGETABLE) = range(8, len(PARAMETERS))

# Where own.scratch keeps what was worked out: numbers by vegetable, MINE and RIVAL with the six fields below each.
SUPPLY = 0
SPREADS = 8
WORTH = 16  # of each draft, MOST_DRAFTS
MINE = 40
RIVAL = 88
COUNT, COME, MEAN, LEAD, LAG, GAIN = 0, 8, 16, 24, 32, 40

WANTED = 6
"""Numbers that own.memory keeps for each of the two players: what one vegetable more added, see `foresee`."""

FINE = 1024.0
"""Points are kept as whole numbers in this fraction where a field holds no others."""

SHARPEST = 0.05
"""The spread when nothing is left to come: majorities are then steps."""

STEPS = 8
MOST_COME = 8
N_CHANCES = 8
CHANCES = np.array(
    [
        [math.exp(-step / STEPS) * (step / STEPS) ** k / math.factorial(k) for k in range(N_CHANCES)]
        for step in range(MOST_COME * STEPS + 1)
    ]
)
"""Poisson chances of k more vegetables, by their expected number in eighths."""


@inline_kernel
def likely(lead):
    """Return a smooth step from 0 to 1 around ``lead`` = 0, in units of the spread."""
    return 0.5 + 0.5 * lead / math.sqrt(1.0 + lead * lead)


@inline_kernel
def crowd(view):
    """Return 0 at two players, and more the more of them there are."""
    return 1.0 - 2.0 / view.n_players


@kernel
def count_supply(view, own):
    """Note how many cards of each vegetable are still to be had, and how uncertain their numbers are."""
    scratch = own.scratch
    for veg in range(N_VEGETABLES):
        scratch[SUPPLY + veg] = view.drawn[veg]
    for seat in range(view.n_players):
        tableau = view.tableau[at(seat)]
        for veg in range(N_VEGETABLES):
            scratch[SUPPLY + veg] -= tableau.counts[veg]
        for index in range(tableau.n_held):
            scratch[SUPPLY + view.cards.back[at(tableau.held[index])]] -= 1.0
    for veg in range(N_VEGETABLES):
        scratch[SPREADS + veg] = SHARPEST + own.params[SPREAD] * math.sqrt(scratch[SUPPLY + veg])


@kernel
def foresee(view, own, seat, who, remembered):
    """Work out how many of each vegetable a seat can expect at the end, and how the races for majorities stand.

    What scores for it is taken from its last turn (own.memory), which spares working it out twice.
    """
    scratch, memory = own.scratch, own.memory
    n_left = np.float64(view.n_left)
    reach = own.params[REACH] * (2.0 / view.n_players) * max(0.0, 1.0 - own.params[HORIZON] * view.n_players / n_left)
    tilt = own.params[TILT] + own.params[TILT_CROWD] * crowd(view)
    average = 0.0
    for veg in range(N_VEGETABLES):
        average += memory[remembered + veg]
    average /= N_VEGETABLES
    for veg in range(N_VEGETABLES):
        most, fewest = -1, 1000
        for other in range(view.n_players):
            if other != seat:
                most = max(most, view.tableau[at(other)].counts[veg])
                fewest = min(fewest, view.tableau[at(other)].counts[veg])
        wanted = (memory[remembered + veg] - average) / (3.0 * FINE)
        supply, spread = scratch[SUPPLY + veg], scratch[SPREADS + veg]
        fair = reach * supply
        come = min(max(fair * (1.0 + tilt * wanted / (1.0 + abs(wanted))), 0.0), supply)
        count = view.tableau[at(seat)].counts[veg]
        scratch[who + COUNT + veg] = count
        scratch[who + COME + veg] = come
        scratch[who + MEAN + veg] = count + come
        scratch[who + LEAD + veg] = (count + come - most - fair + 0.5) / spread
        scratch[who + LAG + veg] = (fewest + fair - count - come + 0.5) / spread
        scratch[who + GAIN + veg] = 0.0


@kernel
def by_number(view, own, who, term, veg, learn):
    """Return what a term will be worth by the number of one vegetable."""
    scratch = own.scratch
    count = np.int64(scratch[who + COUNT + veg])
    step = min(np.int64(scratch[who + COME + veg] * STEPS + 0.5), MOST_COME * STEPS)
    n_more = min(np.int64(scratch[SUPPLY + veg]), N_CHANCES - 1)
    last = view.cards.n_counts - 1
    value, with_more, rest = 0.0, 0.0, 1.0
    points = np.float64(view.cards.curve[at(term), at(min(count, last))])
    for more in range(n_more):
        chance = CHANCES[at(step), at(more)]
        rest -= chance
        value += chance * points
        points = np.float64(view.cards.curve[at(term), at(min(count + more + 1, last))])
        with_more += chance * points
    value += rest * points
    with_more += rest * view.cards.curve[at(term), at(min(count + n_more + 1, last))]
    if learn:
        scratch[who + GAIN + veg] += with_more - value
    return value


@kernel
def of_race(view, own, who, term, learn):
    """Return what a term about a majority will be worth."""
    scratch, cards = own.scratch, view.cards
    veg = np.int64(cards.veg[term])
    step = 1.0 / scratch[SPREADS + veg]
    lead = scratch[who + LEAD + veg]
    if cards.kind[term] == FEWEST:
        lead, step = scratch[who + LAG + veg], -step
    now = likely(lead)
    if learn:
        scratch[who + GAIN + veg] += cards.points[term] * (likely(lead + step) - now)
    return cards.points[term] * now


@kernel
def of_set(view, own, who, term, learn):
    """Return what a set of several vegetables will be worth: as often as its scarcest one, smoothed by the spread."""
    scratch, cards = own.scratch, view.cards
    least = 1000.0
    for veg in range(N_VEGETABLES):
        if cards.needs[term, veg] > 0:
            mean, spread = scratch[who + MEAN + veg] / cards.needs[term, veg], scratch[SPREADS + veg]
            least = 0.5 * (least + mean - math.sqrt((least - mean) * (least - mean) + spread * spread))
    points = np.float64(cards.points[term])
    if learn:
        for veg in range(N_VEGETABLES):
            need = np.float64(cards.needs[term, veg])
            if need > 0:
                beyond = (scratch[who + MEAN + veg] / need - least - 0.5) / scratch[SPREADS + veg]
                scratch[who + GAIN + veg] += points * (1.0 - likely(beyond)) / need
    return points * max(min(least, np.float64(cards.most_sets[term])), 0.0)


@kernel
def of_total(view, own, seat, term):
    """Return what a term about totals will be worth, by how they stand now."""
    mine, most, fewest = 0, -1, 1000
    for player in range(view.n_players):
        total = 0
        for veg in range(N_VEGETABLES):
            total += view.tableau[at(player)].counts[veg]
        if player == seat:
            mine = total
        else:
            most, fewest = max(most, total), min(fewest, total)
    lead = mine - most if view.cards.kind[term] == MOST_TOTAL else fewest - mine
    spread = SHARPEST + own.params[SPREAD] * math.sqrt(np.float64(view.n_left))
    return view.cards.points[term] * likely((lead + 0.5) / spread)


@kernel
def value_at_end(view, own, seat, who, card, learn):
    """Return what a card will be worth to a seat; if ``learn``, add to its gains what one vegetable more adds to it."""
    scratch, cards = own.scratch, view.cards
    value = 0.0
    term = np.int64(card)
    while term >= 0:
        kind = cards.kind[term]
        if kind == LINEAR:
            for veg in range(N_VEGETABLES):
                value += cards.linear[term, veg] * scratch[who + MEAN + veg]
                if learn:
                    scratch[who + GAIN + veg] += cards.linear[term, veg]
        elif kind <= LAST_PLAIN:
            value += by_number(view, own, who, term, np.int64(cards.veg[term]), learn)
        elif kind == MOST or kind == FEWEST:
            value += of_race(view, own, who, term, learn)
        elif kind == SET:
            value += of_set(view, own, who, term, learn)
        elif kind == AT_LEAST or kind == MISSING:
            for veg in range(N_VEGETABLES):
                value += by_number(view, own, who, term, veg, learn)
        elif kind == MOST_TOTAL or kind == FEWEST_TOTAL:
            value += of_total(view, own, seat, term)
        else:  # by what it scores now
            value += value_of_term(view, seat, view.tableau[at(seat)], term)
        term = np.int64(cards.next_term[term])
    return value


@kernel
def read_cards(view, own, seat, who, remembered):
    """Value the cards in front of a seat (own.equal, times FINE) and what one vegetable more adds to them."""
    foresee(view, own, seat, who, remembered)
    tableau = view.tableau[at(seat)]
    for index in range(tableau.n_held):
        own.equal[index] = np.int64(FINE * value_at_end(view, own, seat, who, np.int64(tableau.held[index]), 1))
    for veg in range(N_VEGETABLES):
        own.memory[remembered + veg] = np.int64(FINE * own.scratch[who + GAIN + veg])


@kernel
def appraise(view, own):
    """Value all that is on offer to the seat to move.

    Afterwards own.drafts lists the legal drafts and own.scratch[WORTH + i] the worth of the i-th in points;
    own.equal[index] is the value of the index-th card in front of the seat, times FINE.
    """
    scratch, params = own.scratch, own.params
    seat = np.int64(view.seat)
    rival = seat + 1 if seat + 1 < view.n_players else np.int64(0)
    count_supply(view, own)
    read_cards(view, own, rival, RIVAL, WANTED)
    read_cards(view, own, seat, MINE, 0)
    ahead = view.n_left / view.n_cards
    early = params[CARD_EARLY] + params[CARD_CROWD] * crowd(view)
    list_drafts(view, own)
    for index in range(own.n_drafts):
        draft = own.drafts[index]
        if draft < N_PILES:
            card = np.int64(view.top[draft])
            worth = value_at_end(view, own, seat, MINE, card, 0) + params[CARD] + early * ahead
            worth = max(worth, worth_of_vegetable(own, np.int64(view.cards.back[card]), ahead, 0.0))
            worth += params[DENY_CARD] / (view.n_players - 1) * max(value_at_end(view, own, rival, RIVAL, card, 0), 0.0)
        else:
            slot, other = first_slot(draft), second_slot(draft)
            deny = params[DENY_VEGETABLE] / (view.n_players - 1)
            worth = worth_of_vegetable(own, np.int64(view.market[slot]), ahead, deny)
            if other != slot:
                worth += worth_of_vegetable(own, np.int64(view.market[other]), ahead, deny)
        scratch[WORTH + index] = worth


@inline_kernel
def worth_of_vegetable(own, veg, ahead, deny):
    """Return what a vegetable is worth: its gain, what it may be good for later, and what the next player misses."""
    worth = own.scratch[MINE + GAIN + veg] + own.params[VEGETABLE] + own.params[VEGETABLE_EARLY] * ahead
    return worth + deny * own.scratch[RIVAL + GAIN + veg]


@inline_kernel
def gain_of_flip(view, own, card, value):
    """Return by how much the vegetable on the back of a card adds more than the card will score."""
    return own.scratch[MINE + GAIN + view.cards.back[at(card)]] - value


@kernel
def best_flip(view, own, draft):
    """Return the flip that gains most after ``draft``, or NO_FLIP if none gains what a flip must."""
    flip, best = NO_FLIP, own.params[FLIP] + own.params[FLIP_EARLY] * view.n_left / view.n_cards
    tableau = view.tableau[at(view.seat)]
    for index in range(tableau.n_held):
        card = np.int64(tableau.held[index])
        gain = gain_of_flip(view, own, card, own.equal[index] / FINE)
        if gain > best:
            flip, best = card, gain
    if draft < N_PILES:
        card = np.int64(view.top[draft])
        if gain_of_flip(view, own, card, value_at_end(view, own, np.int64(view.seat), MINE, card, 0)) > best:
            flip = card
    return flip


@strategy("planner", **PARAMETERS)
def choose(view, own, rng):
    """Take what will be worth most at the end, to itself and to the next player; flip what its back will outweigh."""
    appraise(view, own)
    best = 0
    for index in range(1, own.n_drafts):
        if own.scratch[WORTH + index] > own.scratch[WORTH + best]:
            best = index
    draft = own.drafts[best]
    if view.rules.flip == FLIP_NEVER:
        return make_move(draft, NO_FLIP)
    return make_move(draft, best_flip(view, own, draft))
