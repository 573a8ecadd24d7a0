"""The baseline `greedy`: the most points right now, first by the draft, then by the flip."""

from salad_sim.engine import legal_drafts
from salad_sim.gains import add_card_gains, count_own, hand_gains
from salad_sim.moves import N_PILES, NO_FLIP, first_slot, make_move, second_slot
from salad_sim.rng import below
from salad_sim.rules import FLIP_NEVER
from salad_sim.scoring import card_value
from salad_sim.strategy import kernel, strategy


@kernel
def draft_gain(view, own, draft):
    """Return the points that a draft adds to the own score at once."""
    if draft < N_PILES:
        return card_value(view, view.seat, own.hand, view.top[draft])
    slot, other = first_slot(draft), second_slot(draft)
    veg, too = view.market[slot], view.market[other]
    if slot == other:
        return own.hand.plus_one[veg]
    return own.hand.plus_one[veg] + own.hand.plus_one[too] + own.hand.together[min(veg, too), max(veg, too)]


@kernel
def best_draft(view, own, rng):
    """Return the draft with the highest own score right after it, equal ones being equally likely."""
    n_drafts = legal_drafts(view, own.drafts)
    best, best_gain, n_equal = own.drafts[0], draft_gain(view, own, own.drafts[0]), 1
    for index in range(1, n_drafts):
        gain = draft_gain(view, own, own.drafts[index])
        if gain > best_gain:
            best, best_gain, n_equal = own.drafts[index], gain, 1
        elif gain == best_gain:
            n_equal += 1
            if below(rng, n_equal) == 0:
                best = own.drafts[index]
    return best


@kernel
def best_flip(view, own, rng, drafted):
    """Return the flip that raises the own score most after the draft, or NO_FLIP when none does."""
    seat = view.seat
    tableau = view.tableau[seat]
    n_held = tableau.n_held
    best, best_gain, n_equal = NO_FLIP, 0, 0
    for index in range(n_held + (drafted >= 0)):
        card = tableau.held[index] if index < n_held else drafted
        veg = view.cards.back[card]
        own.hand.counts[veg] += 1
        gain = own.hand.plus_one[veg] - card_value(view, seat, own.hand, card)
        own.hand.counts[veg] -= 1
        if gain > best_gain:
            best, best_gain, n_equal = card, gain, 1
        elif gain == best_gain and best != NO_FLIP:
            n_equal += 1
            if below(rng, n_equal) == 0:
                best = card
    return best


@strategy("greedy")
def choose(view, own, rng):
    """Take the draft with the highest own score right after it; then the flip that raises it most, if any does."""
    seat = view.seat
    count_own(view, seat, own.hand)
    hand_gains(view, seat, own.hand)
    draft = best_draft(view, own, rng)
    if view.rules.flip == FLIP_NEVER:
        return make_move(draft, NO_FLIP)
    drafted = -1
    if draft < N_PILES:
        drafted = view.top[draft]
        add_card_gains(view, seat, drafted, own.hand)
    else:
        slot, other = first_slot(draft), second_slot(draft)
        own.hand.counts[view.market[slot]] += 1
        if other != slot:
            own.hand.counts[view.market[other]] += 1
        hand_gains(view, seat, own.hand)
    return make_move(draft, best_flip(view, own, rng, drafted))
