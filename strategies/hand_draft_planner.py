"""The strategy `planner` of the hand-draft game: values cards by the vegetables that will lie in front in the end."""

import numpy as np

from salad_sim.gains import gain_vegetable, hand_gains, read_hand, sum_gains, value_in_hand
from salad_sim.hand_draft.engine import list_drafts
from salad_sim.hand_draft.moves import BLIND, N_BLIND, N_SLOTS, NO_LAY, THROW
from salad_sim.hand_draft.table import DRAFT, HAND_SIZE, HIDDEN, RESHUFFLED
from salad_sim.records import at
from salad_sim.strategy import Parameter, kernel
from salad_sim.table import N_VEGETABLES

GAME = "hand-draft"
NAME = "planner"
PARAMETERS = {
    "pace": Parameter(1.5, 0.5, 2.0, "cards that a turn is expected to take from the pile"),
    "supply": Parameter(1.5, 0.0, 4.0, "cards of use for laying that a turn is expected to bring"),
    "growth": Parameter(0.7, 0.0, 2.0, "lays that the others are expected to make each turn"),
    "price": Parameter(0.5, -5.0, 20.0, "points that a card to lay is expected to score if kept"),
    "blind": Parameter(1.0, 0.0, 3.0, "weight of a card drafted blind against one that lies open"),
    "back": Parameter(0.5, 0.0, 2.0, "weight of a card's vegetable against the points it scores"),
}
PACE, SUPPLY, GROWTH, PRICE, BLIND_WEIGHT, BACK = range(6)

# own.scratch
AVAILABLE = 0
VEG = 8
LAMBDA = 16


@kernel
def turns_to_come(view, own):
    """Return how many turns the seat to move can expect, this one included."""
    if view.turns_left > 0:
        return 1.0
    played = 12.0 * own.params[PACE]
    n_first = view.n_cards - N_SLOTS - HAND_SIZE * view.n_players
    pace = (played + n_first - view.pile_size - view.n_thrown) / (12.0 + view.turn)
    return 1.0 + (view.pile_size + view.n_thrown) / (max(pace, 0.3) * view.n_players)


@kernel
def expect_others(view, own, n_turns):
    """Let the others' most vegetables of each kind grow as they did so far, in hand.most_others."""
    hand = own.hand
    if view.turn == 0:
        return
    for veg in range(N_VEGETABLES):
        grown = hand.most_others[veg] * own.params[GROWTH] * n_turns * view.n_players / (view.turn + view.n_players)
        hand.most_others[veg] += np.int64(grown)
        fewest = hand.fewest_others[veg] * own.params[GROWTH] * n_turns * view.n_players / (view.turn + view.n_players)
        hand.fewest_others[veg] += np.int64(fewest)


@kernel
def plan(view, own):
    """Lay out in ``own.hand`` the vegetables that the rest of the game may bring, and what one more would add."""
    hand = own.hand
    read_hand(view, view.seat, hand)
    n_turns = turns_to_come(view, own)
    expect_others(view, own, n_turns)
    cards = view.cards
    for veg in range(N_VEGETABLES):
        own.scratch[AVAILABLE + veg] = (n_turns - 1.0) * own.params[SUPPLY] / N_VEGETABLES
    for index in range(hand.n_held):
        own.scratch[AVAILABLE + np.int64(cards.back[hand.held[index]])] += 1.0
    hand_gains(view, view.seat, hand)
    n_lays = np.int64(n_turns)
    last = 0.0
    for _ in range(n_lays):
        best, best_gain = -1, own.params[PRICE]
        for veg in range(N_VEGETABLES):
            if own.scratch[AVAILABLE + veg] >= 1.0 and hand.counts[veg] + 3 < cards.n_counts:
                gain = hand.plus_one[veg] + 0.5 * hand.together[veg, veg]
                if gain > best_gain:
                    best, best_gain = veg, gain
        if best < 0:
            last = own.params[PRICE]
            break
        last = best_gain
        own.scratch[AVAILABLE + best] -= 1.0
        gain_vegetable(hand, best)
        sum_gains(view, view.seat, hand)
    own.scratch[LAMBDA] = last
    for veg in range(N_VEGETABLES):
        own.scratch[VEG + veg] = hand.plus_one[veg] + 0.5 * hand.together[veg, veg]


@kernel
def worth(view, own, card):
    """Return what a card is worth to have in hand: its points, or its vegetable less what another lay would bring."""
    points = float(value_in_hand(view, view.seat, own.hand, card))
    lay = own.params[BACK] * (own.scratch[VEG + np.int64(view.cards.back[card])] - own.scratch[LAMBDA])
    return max(points, lay)


@kernel
def worth_of_unseen(view, own):
    """Return the mean worth of the cards that may lie in the pile."""
    total, count = 0.0, 0
    for card in range(view.cards.n_cards):
        if view.place[card] == HIDDEN or view.place[card] == RESHUFFLED:
            total += worth(view, own, card)
            count += 1
    for index in range(own.hand.n_held):
        card = np.int64(own.hand.held[index])
        if view.place[card] == HIDDEN or view.place[card] == RESHUFFLED:
            total -= worth(view, own, card)
            count -= 1
    return total / count if count > 0 else 0.0


@kernel
def choose_draft(view, own):
    """Return the draft that brings the most worth to the hand."""
    plan(view, own)
    list_drafts(view, own)
    best, best_worth = own.drafts[0], -1e9
    for index in range(own.n_drafts):
        draft = own.drafts[index]
        if draft < BLIND:
            gain = worth(view, own, np.int64(view.face[draft]))
        elif draft == BLIND:
            gain = own.params[BLIND_WEIGHT] * min(N_BLIND, view.pile_size) * worth_of_unseen(view, own)
        else:
            continue
        if gain > best_worth:
            best, best_worth = draft, gain
    return best


@kernel
def choose_lay(view, own):
    """Return the card whose vegetable adds most beyond what the card scores, or NO_LAY if none does."""
    plan(view, own)
    hand = own.hand
    best, best_gain = NO_LAY, 0.0
    for index in range(hand.n_held):
        card = np.int64(hand.held[index])
        gain = own.scratch[VEG + np.int64(view.cards.back[card])] - value_in_hand(view, view.seat, hand, card)
        if gain > best_gain:
            best, best_gain = card, gain
    return best


@kernel
def choose(view, own, rng):
    """Draft the card, or two from the pile, and lay the card that promise most for the end of the game."""
    return np.int64(choose_draft(view, own) if view.phase == DRAFT else choose_lay(view, own))
