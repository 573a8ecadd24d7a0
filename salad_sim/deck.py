"""Which cards play: how many of each vegetable a round's deck has, and whether the card set can serve that."""

from __future__ import annotations

from collections.abc import Sequence

from salad_sim.cards import Card, veg_name
from salad_sim.errors import InputError
from salad_sim.rules import Rules
from salad_sim.table import CAPACITY, N_VEGETABLES, layout

FEWEST_PER_PLAYER = 2
"""Cards in a round's deck for each player, at least: a deck of fewer is no game for so many."""


def numbers_drawn(cards: Sequence[Card], rules: Rules, n_players: int) -> list[int]:
    """Return how many cards of each vegetable are in the deck of one round.

    Raises
    ------
    InputError
        With the reason, if the cards cannot serve these rules and players.
    """
    fixed = rules.card_ids()
    drawn = _drawn_at_random(cards, rules, n_players) if fixed is None else _drawn_of_list(cards, rules, fixed)
    if sum(drawn) < FEWEST_PER_PLAYER * n_players:
        raise InputError(
            f"a deck of {sum(drawn)} cards a round cannot serve {n_players} players: "
            f"it needs at least {FEWEST_PER_PLAYER * n_players}"
        )
    return drawn


def _drawn_at_random(cards: Sequence[Card], rules: Rules, n_players: int) -> list[int]:
    drawn = rules.numbers_of_each(n_players)
    available = _by_vegetable([card.back for card in cards])
    for veg in range(N_VEGETABLES):
        if drawn[veg] * rules.rounds > available[veg]:
            rounds = f" in {rules.rounds} rounds" if rules.rounds > 1 else ""
            raise InputError(
                f"{n_players} players{rounds} need {drawn[veg] * rules.rounds} cards of {veg_name(veg)} "
                f"(rule of_each={rules.of_each}); the card set has {available[veg]}"
            )
    return drawn


def _drawn_of_list(cards: Sequence[Card], rules: Rules, fixed: list[int]) -> list[int]:
    if fixed[-1] >= len(cards):
        raise InputError(f"rule deck names card {fixed[-1]}; the card set has ids 0..{len(cards) - 1}")
    numbers = _by_vegetable([cards[card].back for card in fixed])
    for veg in range(N_VEGETABLES):
        if numbers[veg] % rules.rounds:
            raise InputError(
                f"rule deck has {numbers[veg]} cards of {veg_name(veg)}, which do not divide into {rules.rounds} rounds"
            )
    return [number // rules.rounds for number in numbers]


def _by_vegetable(backs: list[int]) -> list[int]:
    return [backs.count(veg) for veg in range(N_VEGETABLES)]


def capacity_for(n_cards: int, n_terms: int, drawn: Sequence[int]) -> int:
    """Return the smallest capacity of `layout` with room for a card set and for a round's deck of it."""
    capacity = CAPACITY
    while capacity < max(n_cards, n_terms) or layout(capacity).most_of_one < max(drawn):
        capacity *= 2
    return capacity
