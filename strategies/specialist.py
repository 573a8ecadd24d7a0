"""The strategy `specialist`: everything for one vegetable.

It plays greedy at a table of its dreams, on which it already has some more of its vegetable: so it takes the cards that
this vegetable serves before it has any, and then the vegetable. Between equal points it takes, and flips to, its own.

Parameters: ``vegetable``, which one, or ``market``: the one that the market offers most of at its first turn (of equal
ones any); ``ahead``, how many more of it it dreams of, as far as the deck can give them.
Simulate it to see whether one vegetable is worth more than another, as some advise for peppers
(https://winboardgames.com/point-salad), and what a card file does to that.
Cost: a third more than greedy.
"""

from salad_sim.kit import N_PILES, N_SLOTS, N_VEGETABLES, VEGETABLES, below, hand_gains, make_move, read_hand
from salad_sim.strategy import Parameter, choice, kernel, strategy
from salad_sim_strategies._weighing import (
    BACK,
    TASTE,
    WORTH,
    best_draft_by_worth,
    best_flip_by_worth,
    take_in_mind,
    vegetables_of,
    weigh_drafts,
)

VEGETABLE, AHEAD = range(2)

CHOSEN = 0
"""Where own.memory keeps the chosen vegetable, plus one."""


@kernel
def n_offered(view, veg):
    """Return how many of a vegetable lie in the market."""
    n_there = 0
    for slot in range(N_SLOTS):
        n_there += view.market[slot] == veg
    return n_there


@kernel
def own_vegetable(view, own, rng):
    """Return the vegetable of the specialist, which it chooses once in a game."""
    if own.params[VEGETABLE] > 0.0:
        return int(own.params[VEGETABLE]) - 1
    if own.memory[CHOSEN] == 0:
        most, n_equal = 0, 0
        for veg in range(N_VEGETABLES):
            if n_offered(view, veg) > most:
                most, n_equal = n_offered(view, veg), 0
            if n_offered(view, veg) == most:
                own.equal[n_equal] = veg
                n_equal += 1
        own.memory[CHOSEN] = own.equal[below(rng, n_equal)] + 1
    return own.memory[CHOSEN] - 1


@kernel
def dream(view, own, mine):
    """Read the hand, with more of the vegetable ``mine`` than there is, up to two less than the deck has.

    So the two that a draft may add are still numbers that `salad_sim.game.marginal_value` knows.
    """
    hand = own.hand
    read_hand(view, view.seat, hand)
    most = 0
    for veg in range(N_VEGETABLES):
        most = max(most, view.drawn[veg])
    room = most - 2 - hand.counts[mine]
    hand.counts[mine] += max(0, min(int(own.params[AHEAD]), room))
    hand_gains(view, view.seat, hand)


@strategy(
    "specialist",
    vegetable=choice("market", ("market", *VEGETABLES), "which one; market: what it first offers most of"),
    ahead=Parameter(4, 0, 10, "how many more of it it counts on", whole=True),
)
def choose(view, own, rng):
    """Take and flip what would score most with more of one vegetable; between equal points, that vegetable."""
    mine = own_vegetable(view, own, rng)
    dream(view, own, mine)
    weigh_drafts(view, own)
    for index in range(own.n_drafts):
        draft = own.drafts[index]
        if draft >= N_PILES:
            veg, other = vegetables_of(view, draft)
            own.scratch[WORTH + index] += TASTE * (int(veg == mine) + int(other == mine))
    draft = best_draft_by_worth(own, rng)
    take_in_mind(view, own, draft)
    own.scratch[BACK + mine] = TASTE
    return make_move(draft, best_flip_by_worth(view, own, rng, TASTE))
