"""The course of a game: who leads when, and how lucky each seat was with the cards that were turned up.

Followed only where a study asks for it (work.keep_rows = FOLLOWED): scoring all seats after every turn takes time.

The luck of a seat is a sum whose expectation is zero whatever is played, made for control variates. A card that comes
to light when it is the seat's turn next counts with what it would score for the seat at the end if all vegetables came
in equal shares, as far as that is more than other cards bring too, less the mean of that over all cards that could have
come to light instead; a second sum does the same for the vegetable on its back. As nobody can choose what comes to
light, each term is zero on average.

Source: Burch, Schmid, Moravcik, Morrill and Bowling, AIVAT: a new variance reduction technique for agent evaluation in
imperfect information games, AAAI 2018 (the corrections at chance events).
"""

from __future__ import annotations

from functools import cache

import numpy as np

from salad_sim.game.moves import N_PILES, N_SLOTS
from salad_sim.game.scoring import card_value, hand_value
from salad_sim.game.state import EARLIER_ROUND, HIDDEN, MAX_PLAYERS, N_VEGETABLES, NONE, layout
from salad_sim.jit.kernel import kernel
from salad_sim.jit.records import at, record_dtype

KEPT = 1
FOLLOWED = 2
WITH_LUCK = 3
"""What a shard keeps of each game: a row, the course too, the luck of each seat too."""

NOBODY = -1

ANYWAY = 5
"""Points of a card that is nothing special; of 0, 4, 8 and 12 those near it explained most of who wins."""

N_LUCKS = 2
BY_POINTS, BY_VEGETABLE = range(N_LUCKS)


@cache
def course_dtype(capacity: int) -> np.dtype[np.record]:
    """Return the dtype of what is kept of the course of the game that is being played."""
    return record_dtype(
        [
            ("leader", "i8"),
            ("lead_changes", "i8"),
            ("half_leader", "i8"),
            ("is_half_over", "i8"),
            ("seen", "i1", (capacity,)),
            ("fresh", "i2", (N_PILES + N_SLOTS,)),
            ("n_fresh", "i8"),
            ("luck", "f8", (N_LUCKS, MAX_PLAYERS)),
            ("counts", "i8", (N_VEGETABLES,)),
            ("n_hidden", "i8", (N_VEGETABLES,)),
            ("n_unseen", "i8", (N_VEGETABLES,)),
            ("mine", layout(capacity).tableau),
            ("gain", "i8", (N_VEGETABLES,)),
        ]
    )


@kernel
def list_fresh(view, course):
    """List the cards that have come to light since the last call."""
    course.n_fresh = 0
    for index in range(N_PILES + N_SLOTS):
        card = np.int64(view.top[index]) if index < N_PILES else np.int64(view.market_card[index - N_PILES])
        if card != NONE and course.seen[card] == 0:
            course.seen[card] = 1
            course.fresh[course.n_fresh] = card
            course.n_fresh += 1


@kernel
def begin_course(view, course):
    """Start following a game, or the next round of a match; what lies open at the start is nobody's luck."""
    course.leader = NOBODY
    course.half_leader = NOBODY
    course.is_half_over = 0
    if view.round_number == 0:
        course.lead_changes = 0
        for seat in range(view.n_players):
            for which in range(N_LUCKS):
                course.luck[which, seat] = 0.0
    for card in range(view.cards.n_cards):
        course.seen[card] = 0
    list_fresh(view, course)


@kernel
def leader_of(view):
    """Return the seat that is ahead of all others, or NOBODY."""
    best, leader = np.int64(-1000000), np.int64(NOBODY)
    for seat in range(view.n_players):
        score = hand_value(view, seat) + view.bonus[seat]
        if score > best:
            best, leader = score, np.int64(seat)
        elif score == best:
            leader = np.int64(NOBODY)
    return leader


@kernel
def follow_lead(view, course):
    """Note after a turn who leads: a lead that ends in a tie and comes back has not changed."""
    leader = leader_of(view)
    if leader != NOBODY:
        if course.leader != NOBODY and course.leader != leader:
            course.lead_changes += 1
        course.leader = leader
    if course.is_half_over == 0 and 2 * view.n_left <= view.n_cards:
        course.is_half_over = 1
        course.half_leader = leader


@kernel
def expect_vegetables(view, course, seat):
    """Note the vegetables that a seat would have at the end if all came in equal shares, half of the cards as such."""
    more = (view.n_left + 6 * view.n_players) // (12 * view.n_players)
    for veg in range(N_VEGETABLES):
        course.mine.counts[veg] = view.tableau[at(seat)].counts[veg] + more


@kernel
def vegetable_gains(view, course, seat):
    """Work out what one more of each vegetable would then score for a seat."""
    tableau = view.tableau[at(seat)]
    expect_vegetables(view, course, seat)
    now = np.int64(0)
    for index in range(tableau.n_held):
        now += card_value(view, seat, course.mine, np.int64(tableau.held[index]))
    for veg in range(N_VEGETABLES):
        course.mine.counts[veg] += 1
        value = np.int64(0)
        for index in range(tableau.n_held):
            value += card_value(view, seat, course.mine, np.int64(tableau.held[index]))
        course.mine.counts[veg] -= 1
        course.gain[veg] = value - now


@kernel
def worth_beyond(view, course, seat, card):
    """Return by how much a card would score more than a seat can get anyway: only good cards are luck."""
    return max(np.int64(card_value(view, seat, course.mine, card)) - ANYWAY, 0)


@kernel
def count_hidden(view, course):
    """Count by vegetable the cards hidden before the fresh ones came to light, and all that they could have been."""
    for veg in range(N_VEGETABLES):
        course.n_hidden[veg] = view.drawn[veg]
        course.n_unseen[veg] = 0
    for card in range(view.cards.n_cards):
        veg = view.cards.back[at(card)]
        if view.place[at(card)] == HIDDEN:
            course.n_unseen[veg] += 1
        elif view.place[at(card)] != EARLIER_ROUND:
            course.n_hidden[veg] -= 1
    for index in range(course.n_fresh):
        veg = view.cards.back[at(course.fresh[index])]
        course.n_hidden[veg] += 1
        course.n_unseen[veg] += 1


@kernel
def follow_luck(view, course):
    """Add to the luck of the seat to move what the fresh cards are worth to it, less what could be expected."""
    seat = np.int64(view.seat)
    count_hidden(view, course)
    vegetable_gains(view, course, seat)
    n_hidden, by_vegetable = 0, 0.0
    for veg in range(N_VEGETABLES):
        n_hidden += course.n_hidden[veg]
        by_vegetable += course.n_hidden[veg] * course.gain[veg]
    by_points = 0.0
    for card in range(view.cards.n_cards):
        if view.place[at(card)] == HIDDEN:
            veg = view.cards.back[at(card)]
            chance = course.n_hidden[veg] / course.n_unseen[veg]
            by_points += chance * worth_beyond(view, course, seat, card)
    points, vegetables = 0.0, 0.0
    for index in range(course.n_fresh):
        card = np.int64(course.fresh[index])
        veg = view.cards.back[at(card)]
        worth = worth_beyond(view, course, seat, card)
        by_points += course.n_hidden[veg] / course.n_unseen[veg] * worth
        points += worth
        vegetables += course.gain[veg]
    course.luck[BY_POINTS, seat] += points - course.n_fresh * by_points / n_hidden
    course.luck[BY_VEGETABLE, seat] += vegetables - course.n_fresh * by_vegetable / n_hidden


@kernel
def follow(view, course, kept):
    """Follow the game after a turn."""
    follow_lead(view, course)
    if kept == WITH_LUCK and view.n_left > 0:
        list_fresh(view, course)
        if course.n_fresh > 0:
            follow_luck(view, course)
