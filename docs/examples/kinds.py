"""Plays what learn_kinds.py learned: how much to like each kind of action at each time of a game."""

import math

from salad_sim.kit import NO_FLIP, list_drafts, make_move, uniform
from salad_sim.strategy import Parameter, kernel, strategy

KINDS = ("card", "vegetables", "keep", "flip")
N_PILES = 3


@kernel
def pick(own, rng, first, n_first, second, n_second):
    """Return 0..n_first - 1, or n_first + 0..n_second - 1: each of the first as likely as exp(its liking) says."""
    one, other = n_first * math.exp(first), n_second * math.exp(second)
    if uniform(rng) * (one + other) < one:
        return min(int(uniform(rng) * n_first), n_first - 1)
    return n_first + min(int(uniform(rng) * n_second), n_second - 1)


@strategy("kinds", **{f"{kind}_{time}": Parameter(0.0, -50.0, 50.0, "liking") for time in range(3) for kind in KINDS})
def kinds(view, own, rng):
    """What a program learned by playing itself."""
    list_drafts(view, own)
    time = min(view.n_left * 3 // (view.n_cards - 5), 2)
    likes = own.params[4 * time : 4 * time + 4]
    n_piles = 0
    while n_piles < own.n_drafts and own.drafts[n_piles] < N_PILES:
        n_piles += 1
    draft = own.drafts[pick(own, rng, likes[0], n_piles, likes[1], own.n_drafts - n_piles)]
    tableau = view.tableau[view.seat]
    n_flips = tableau.n_held + (1 if draft < N_PILES else 0)
    flip = pick(own, rng, likes[2], 1, likes[3], n_flips)
    if flip == 0:
        return make_move(draft, NO_FLIP)
    card = view.top[draft] if flip > tableau.n_held else tableau.held[flip - 1]
    return make_move(draft, card)
