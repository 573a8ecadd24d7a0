"""The strategy `planner` of the hand-draft game: it keeps the cards that will score most in the end, and lays the rest.

Two cards from the pile are worth more than one that lies open (measured: no rule tried for when to take the open card
did better than to draft blind always), so all depends on what is laid. On each turn it plans the rest of the game: so
many more turns, hence so many more vegetables, a share of them from cards that are still to come; then it lays the card
whose vegetable will add most beyond what the card will score. On its last turn it takes the best draft and lay.
"""

import numpy as np

from salad_sim.kit import (
    BLIND,
    DRAFT,
    N_BLIND,
    N_VEGETABLES,
    NO_DRAFT,
    NO_LAY,
    best_turn,
    draft_of,
    gain_vegetable,
    hand_gains,
    laid_in,
    list_hand_drafts,
    read_hand,
    step_gains_of_card,
    sum_gains,
    take_from_hand,
    value_in_hand,
)
from salad_sim.strategy import Parameter, kernel, strategy

PARAMETERS = {
    "pace": Parameter(1.8, 1.0, 2.0, "cards that a turn is expected to take from the pile"),
    "bring": Parameter(2.0, 0.5, 4.0, "cards that an own turn is expected to bring"),
    "useful": Parameter(1.0, 0.0, 4.0, "of these, cards whose vegetable is what it takes"),
}
PACE, BRING, USEFUL = range(len(PARAMETERS))

TO_LAY = 0
"""Where own.memory keeps what was chosen along with the last draft."""

N_PASSES = 2
"""The plan is made once with what cards score if nothing is given up for it, and again with what that comes to."""

LIKELY = 0
"""Where own.scratch keeps, by vegetable, how many will lie in front before any more cards in hand are laid."""

SPARE = 8
"""Where own.scratch keeps, by vegetable, how many more may be laid."""

GONE = -1


@kernel
def turns_to_come(view, own):
    """Return how many turns the seat to move can expect, this one included."""
    if view.turns_left > 0:
        return 1
    n_left = view.pile_size + view.n_thrown
    return 1 + np.int64(n_left / (own.params[PACE] * view.n_players) + 0.5)


@kernel
def grow(view, own, n_more):
    """Lay up to ``n_more`` of the vegetables to spare in mind, the one that adds most first."""
    hand = own.hand
    for _ in range(n_more):
        best = -1
        for veg in range(N_VEGETABLES):
            open_to = own.scratch[SPARE + veg] >= 1.0 and hand.counts[veg] + 3 < view.cards.n_counts
            if open_to and (best < 0 or hand.plus_one[veg] > hand.plus_one[best]):
                best = veg
        if best < 0:
            return
        own.scratch[SPARE + best] -= 1.0
        gain_vegetable(hand, best)
        sum_gains(view, view.seat, hand)


@kernel
def foresee(view, own):
    """Lay out in ``own.hand`` the vegetables of the end; return how many of them come from cards now in hand."""
    hand = own.hand
    read_hand(view, view.seat, hand)
    hand_gains(view, view.seat, hand)
    n_turns = turns_to_come(view, own)
    n_held = np.int64(hand.n_held)
    n_own = min(n_turns, np.int64(np.ceil(n_turns * n_held / (n_held + own.params[BRING] * (n_turns - 1)))))
    for veg in range(N_VEGETABLES):
        own.scratch[SPARE + veg] = (n_turns - 1) * own.params[USEFUL] / N_VEGETABLES
    grow(view, own, n_turns - n_own)
    for veg in range(N_VEGETABLES):
        own.scratch[LIKELY + veg] = hand.counts[veg]
        own.scratch[SPARE + veg] = 0.0
    for index in range(n_held):
        own.scratch[SPARE + np.int64(view.cards.back[hand.held[index]])] += 1.0
    grow(view, own, n_own)
    return n_own


@kernel
def lay_in_mind(view, own, n_own):
    """Give up ``n_own`` cards in hand for their vegetables, each time the one that gains most by it.

    A card counts as what it scores with the vegetables in ``own.hand``, which this starts over. The cards given up are
    GONE in ``own.equal``.
    """
    hand, tableau = own.hand, view.tableau[view.seat]
    for index in range(tableau.n_held):
        own.equal[index] = tableau.held[index]
        own.gains[index] = value_in_hand(view, view.seat, hand, np.int64(tableau.held[index]))
    read_hand(view, view.seat, hand)
    for veg in range(N_VEGETABLES):
        hand.counts[veg] = np.int64(own.scratch[LIKELY + veg])
    hand_gains(view, view.seat, hand)
    for _ in range(n_own):
        best = -1
        best_gain = 0
        for index in range(tableau.n_held):
            if own.equal[index] != GONE:
                gain = hand.plus_one[view.cards.back[own.equal[index]]] - own.gains[index]
                if best < 0 or gain > best_gain:
                    best, best_gain = index, gain
        card = own.equal[best]
        own.equal[best] = GONE
        take_from_hand(view.cards, card, hand)
        step_gains_of_card(view.cards, card, hand)
        gain_vegetable(hand, np.int64(view.cards.back[card]))
        sum_gains(view, view.seat, hand)


@kernel
def planned_lay(view, own):
    """Return the card to lay now: of those the plan gives up, the one whose vegetable adds most beyond its score."""
    hand, tableau = own.hand, view.tableau[view.seat]
    if tableau.n_held == 0:
        return NO_LAY
    n_own = foresee(view, own)
    for _ in range(N_PASSES):
        lay_in_mind(view, own, n_own)
    best, best_gain = NO_LAY, 0
    for index in range(tableau.n_held):
        if own.equal[index] == GONE:
            card = np.int64(tableau.held[index])
            gain = hand.plus_one[view.cards.back[card]] - value_in_hand(view, view.seat, hand, card)
            if best == NO_LAY or gain > best_gain:
                best, best_gain = card, gain
    return best


@kernel
def best_face(view, own):
    """Return the face-up card that scores most with the vegetables of the end, as a draft."""
    foresee(view, own)
    list_hand_drafts(view, own)
    best = own.drafts[0]
    best_points = np.int64(-1000)
    for index in range(own.n_drafts):
        draft = own.drafts[index]
        if draft < BLIND:
            points = value_in_hand(view, view.seat, own.hand, np.int64(view.face[draft]))
            if points > best_points:
                best, best_points = draft, points
    return best


@strategy("planner", game="hand-draft", **PARAMETERS)
def choose(view, own, rng):
    """Draft blind while the pile has two cards; lay the card that will be worth most as a vegetable in the end."""
    is_last = view.turns_left > 0
    if view.phase == DRAFT and not is_last:
        return BLIND if view.pile_size >= N_BLIND else best_face(view, own)
    if view.phase == DRAFT:
        turn = best_turn(view, own, rng)
        own.memory[TO_LAY] = laid_in(turn)
        return draft_of(turn)
    if view.drafted == NO_DRAFT:
        return laid_in(best_turn(view, own, rng))
    return own.memory[TO_LAY] if is_last else planned_lay(view, own)
