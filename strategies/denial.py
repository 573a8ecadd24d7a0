"""The strategy `denial`: the own gain against the best that is left to the next player.

Players call it hate drafting. A draft is worth the points it adds, less a part of the best gain that the next player
is left with: the cards on the piles and vegetables in the market afterwards, as far as they are known. Taking a
vegetable turns the top card of its pile into a vegetable, which denies that card, too. What the next player loses by
the own vegetables (majorities) counts in the same way, for drafts and for flips. Refills from the bottom of another
pile (rule split=draw) are not foreseen.

Parameters: ``weight``, how much the next player's points count; at 0 it is greedy, at 1 it plays for the difference. It
is divided by the number of opponents, as what one of them loses is of use to all the others.
Simulate it to see what denying is worth, against one opponent and against several.
Cost: six times greedy.
"""

import numpy as np

from salad_sim.kit import (
    N_PILES,
    N_SLOTS,
    N_VEGETABLES,
    UP_TO_TWO,
    first_slot,
    hand_gains,
    make_move,
    read_hand,
    second_slot,
    value_in_hand,
)
from salad_sim.strategy import Parameter, kernel, strategy
from salad_sim_strategies._weighing import (
    BACK,
    FAR,
    FREE,
    WORTH,
    best_draft_by_worth,
    best_flip_by_worth,
    look,
    take_in_mind,
    vegetables_of,
)

# Where own.scratch keeps, of the next player: what each top card and each vegetable more would add, and what pairs add
# beyond; the points of majorities in the hand; and how many of each vegetable are left to it by a draft.
TOPS = FREE
PLUS_ONE = TOPS + N_PILES
TOGETHER = PLUS_ONE + N_VEGETABLES
MOST = TOGETHER + N_VEGETABLES * N_VEGETABLES
FEWEST = MOST + N_VEGETABLES + 1
LEFT = FEWEST + N_VEGETABLES + 1

TOTAL = N_VEGETABLES
"""In the place of a vegetable: all of them together."""

MANY = 1 << 20

SMALLEST = 1e-9
"""A flip must be worth something."""


@kernel
def next_seat(view):
    """Return the seat that moves next."""
    return (view.seat + 1) % view.n_players


@kernel
def study_next(view, own):
    """Note what the next player would gain from cards and vegetables, and what majorities it plays for."""
    hand, seat = own.hand, next_seat(view)
    read_hand(view, seat, hand)
    hand_gains(view, seat, hand)
    for pile in range(N_PILES):
        if view.pile_size[pile] > 0:
            own.scratch[TOPS + pile] = value_in_hand(view, seat, hand, np.int64(view.top[pile]))
    for veg in range(N_VEGETABLES):
        own.scratch[PLUS_ONE + veg] = hand.plus_one[veg]
        own.scratch[MOST + veg] = hand.most[veg]
        own.scratch[FEWEST + veg] = hand.fewest[veg]
        for other in range(N_VEGETABLES):
            own.scratch[TOGETHER + N_VEGETABLES * veg + other] = hand.together[veg, other]
    own.scratch[MOST + TOTAL] = hand.most_total
    own.scratch[FEWEST + TOTAL] = hand.fewest_total


@kernel
def count_left(view, own, draft):
    """Count the vegetables that are known to lie in the market after a draft and its refill; return their number."""
    for veg in range(N_VEGETABLES):
        own.scratch[LEFT + veg] = 0.0
    n_left = 0
    for slot in range(N_SLOTS):
        if view.market[slot] >= 0 and (draft < N_PILES or (slot != first_slot(draft) and slot != second_slot(draft))):
            own.scratch[LEFT + np.int64(view.market[slot])] += 1.0
            n_left += 1
    for pile in range(N_PILES):
        if refills(draft, pile) and view.pile_size[pile] > 0:
            own.scratch[LEFT + np.int64(view.cards.back[view.top[pile]])] += 1.0
            n_left += 1
    return n_left


@kernel
def refills(draft, pile):
    """Return whether the top card of a pile goes to the market after a draft."""
    return draft >= N_PILES and (first_slot(draft) % N_PILES == pile or second_slot(draft) % N_PILES == pile)


@kernel
def best_left(view, own, draft):
    """Return the most that the next player can gain from what is known to be left after a draft."""
    best = -FAR
    for pile in range(N_PILES):
        if view.pile_size[pile] > 0 and draft != pile and not refills(draft, pile):
            best = max(best, own.scratch[TOPS + pile])
    n_left = count_left(view, own, draft)
    for veg in range(N_VEGETABLES):
        if own.scratch[LEFT + veg] == 0.0:
            continue
        one = own.scratch[PLUS_ONE + veg]
        if n_left == 1 or view.rules.vegetables == UP_TO_TWO:
            best = max(best, one)
        for other in range(veg, N_VEGETABLES):
            if own.scratch[LEFT + other] > (other == veg):
                together = own.scratch[TOGETHER + N_VEGETABLES * veg + other]
                best = max(best, one + own.scratch[PLUS_ONE + other] + together)
    return best if best > -FAR else 0.0


@kernel
def number_of(view, seat, veg):
    """Return how many of a vegetable, or of all in TOTAL, lie in front of a seat."""
    if veg < TOTAL:
        return np.int64(view.tableau[seat].counts[veg])
    total = np.int64(0)
    for each in range(N_VEGETABLES):
        total += view.tableau[seat].counts[each]
    return total


@kernel
def loss_at(view, own, veg, mine, n_more):
    """Return what the next player loses by majorities of ``veg`` when the seat has ``n_more`` than ``mine``."""
    most_points, fewest_points = own.scratch[MOST + veg], own.scratch[FEWEST + veg]
    if most_points == 0.0 and fewest_points == 0.0:
        return 0.0
    opponent = next_seat(view)
    theirs = number_of(view, opponent, veg)
    most, fewest = -1, MANY
    for seat in range(view.n_players):
        if seat != view.seat and seat != opponent:
            most, fewest = max(most, number_of(view, seat, veg)), min(fewest, number_of(view, seat, veg))
    loss = most_points * (int(theirs >= max(most, mine)) - int(theirs >= max(most, mine + n_more)))
    return loss + fewest_points * (int(theirs <= min(fewest, mine)) - int(theirs <= min(fewest, mine + n_more)))


@kernel
def loss_by(view, own, veg, other):
    """Return what the next player loses when the hand record of the seat gets one or two vegetables more."""
    counts = own.hand.counts
    total = np.int64(0)
    for each in range(N_VEGETABLES):
        total += counts[each]
    loss = loss_at(view, own, TOTAL, total, 1 + (other >= 0))
    if other == veg:
        return loss + loss_at(view, own, veg, np.int64(counts[veg]), 2)
    loss += loss_at(view, own, veg, np.int64(counts[veg]), 1)
    return loss + loss_at(view, own, other, np.int64(counts[other]), 1) if other >= 0 else loss


@strategy("denial", weight=Parameter(0.5, 0.0, 3.0, "how much points of the next player count, over all opponents"))
def choose(view, own, rng):
    """Take what gains most against the best that the next player is left with, and flip in the same way."""
    weight = own.params[0] / (view.n_players - 1)
    study_next(view, own)
    look(view, own)
    for index in range(own.n_drafts):
        draft = own.drafts[index]
        left = best_left(view, own, draft)
        if draft >= N_PILES:
            veg, other = vegetables_of(view, draft)
            left -= loss_by(view, own, veg, other)
        own.scratch[WORTH + index] -= weight * left
    draft = best_draft_by_worth(own, rng)
    take_in_mind(view, own, draft)
    for veg in range(N_VEGETABLES):
        own.scratch[BACK + veg] = weight * loss_by(view, own, veg, -1)
    return make_move(draft, best_flip_by_worth(view, own, rng, SMALLEST))
