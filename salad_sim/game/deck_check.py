"""Which cards play: how many of each vegetable, whether the card set can serve that, and what the cards may score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from salad_sim.errors import InputError
from salad_sim.game.card_kinds import KINDS, SUMMED
from salad_sim.game.cards import Card, CardSet
from salad_sim.game.rules import Rules
from salad_sim.game.state import CAPACITY, N_VEGETABLES, layout

FEWEST_PER_PLAYER = 2
"""Cards in a round's deck for each player, at least: a deck of fewer is no game for so many."""

MOST_WORTH = 32767
"""Points that a card may be worth, above or below zero: rows of single games keep them in 16 bits."""


def numbers_drawn(cards: CardSet, rules: Rules, n_players: int) -> list[int]:
    """Return how many cards of each vegetable are in the deck of one round.

    Raises
    ------
    InputError
        With the reason, if the cards cannot serve these rules and players.
    """
    is_fixed = rules.card_ids() is not None
    drawn = _drawn_of_list(cards, rules) if is_fixed else _drawn_at_random(cards, rules, n_players)
    if sum(drawn) < FEWEST_PER_PLAYER * n_players:
        raise InputError(
            f"a deck of {sum(drawn)} cards a round cannot serve {n_players} players: "
            f"it needs at least {FEWEST_PER_PLAYER * n_players}"
        )
    return drawn


def _drawn_at_random(cards: CardSet, rules: Rules, n_players: int) -> list[int]:
    drawn = rules.numbers_of_each(n_players)
    available = numbers_in_play(cards, rules)
    for veg in range(N_VEGETABLES):
        if drawn[veg] * rules.rounds > available[veg]:
            rounds = f" in {rules.rounds} rounds" if rules.rounds > 1 else ""
            enough = [min(number, has // rules.rounds) for number, has in zip(drawn, available, strict=True)]
            raise InputError(
                f"{n_players} players{rounds} need {drawn[veg] * rules.rounds} cards of {cards.labels[veg]} "
                f"(rule of_each={rules.of_each}); the card set has {available[veg]}. Rule of_each gives other numbers, "
                f"as of_each={','.join(map(str, enough))}; rule deck names the very cards, as deck=0-{len(cards) - 1}"
            )
    return drawn


def numbers_in_play(cards: CardSet, rules: Rules) -> list[int]:
    """Return how many cards of each vegetable may play: all of them, or those of a fixed deck.

    Raises
    ------
    InputError
        If a fixed deck names a card that there is not.
    """
    fixed = rules.card_ids()
    if fixed is not None and fixed[-1] >= len(cards):
        raise InputError(f"rule deck names card {fixed[-1]}; the card set has ids 0..{len(cards) - 1}")
    return _by_vegetable([cards[card].back for card in (range(len(cards)) if fixed is None else fixed)])


def _drawn_of_list(cards: CardSet, rules: Rules) -> list[int]:
    numbers = numbers_in_play(cards, rules)
    for veg in range(N_VEGETABLES):
        if numbers[veg] % rules.rounds:
            raise InputError(
                f"rule deck has {numbers[veg]} cards of {cards.labels[veg]}, which do not divide into {rules.rounds} "
                "rounds"
            )
    return [number // rules.rounds for number in numbers]


def refuse_what_is_not_there(cards: CardSet, rules: Rules, drawn: Sequence[int]) -> None:
    """Refuse a deck without a vegetable if cards in it pay for having none, or the fewest, of that: everybody has.

    Parameters
    ----------
    cards : CardSet
    rules : Rules
    drawn : sequence of int
        Cards of each vegetable in the deck.

    Raises
    ------
    InputError
    """
    absent = [veg for veg, number in enumerate(drawn) if number == 0]
    fixed = rules.card_ids() if absent else ()
    for number in range(len(cards)) if fixed is None else fixed:
        card = cards[number]
        for term in card.terms if card.back not in absent else ():
            if term.kind == "missing_type" or (term.kind == "fewest" and term.veg in absent):
                veg = cards.labels[term.veg if term.kind == "fewest" else absent[0]]
                raise InputError(
                    f"there is no {veg} in the deck, and card {number}, {card.text!r}, would pay everybody for that: "
                    "leave such cards out by rule deck, or let that vegetable play"
                )


def _by_vegetable(backs: list[int]) -> list[int]:
    return [backs.count(veg) for veg in range(N_VEGETABLES)]


def capacity_for(cards: Sequence[Card], drawn: Sequence[int]) -> int:
    """Return the smallest capacity of `layout` with room for a card set and for a round's deck of it."""
    n_terms = sum(len(card.terms) for card in cards)
    # a hand keeps a list of its sets, which has room for one of each card that a seat can hold
    n_sets = sorted((sum(term.predicate not in SUMMED for term in card.terms) for card in cards), reverse=True)
    n_listed = sum(n_sets[: (sum(drawn) + 1) // 2])
    capacity = CAPACITY
    while capacity < max(n_terms, 2 * n_listed - 4) or layout(capacity).most_of_one < max(drawn):
        capacity *= 2
    return capacity


def most_owned(n_cards: int, n_players: int) -> int:
    """Return how many of a deck's cards, point cards and vegetables together, one seat can own at most.

    In as many turns as it has, two cards each, the others take one card or more on each of theirs.
    """
    return 2 * (n_cards + n_players - 1) // (n_players + 1)


def most_score(cards: CardSet, n_own: int) -> int:
    """Return a score that no seat can exceed in a round, above or below zero, if it owns ``n_own`` cards at most.

    Raises
    ------
    InputError
        If a single card could be worth more than can be counted.
    """
    worth = np.array([np.sum([KINDS[term.kind].reach(term) for term in card.terms], axis=0) for card in cards])
    largest = worth @ [n_own, 1]
    card = int(largest.argmax())
    if largest[card] > MOST_WORTH:
        raise InputError(
            f"{cards.source}: card {card}, {cards[card].text!r}, could be worth {largest[card]:,.0f} points with the "
            f"{n_own} vegetables that a seat may own; {MOST_WORTH:,} are allowed"
        )
    # with n_held cards there are n_own - n_held vegetables at most; take the worst cards for each part of the bound
    n_held = np.arange(min(n_own, len(cards)) + 1)
    each, fixed = (np.concatenate([[0], np.cumsum(np.sort(part)[::-1])])[n_held] for part in worth.T)
    return int(np.max(each * (n_own - n_held) + fixed)) + 1


def most_deals(cards: CardSet, n_own: int, n_games: int) -> int:
    """Return how many deals a tally can count in 64 bits, whatever the cards score.

    Parameters
    ----------
    cards : CardSet
    n_own : int
        Cards that a seat owns in a round, at most.
    n_games : int
        Games and rounds of a deal that one strategy plays, each of its seats counted: their scores are added and
        squared.
    """
    largest = 2 * n_games * most_score(cards, n_own)  # twice: two rulings are compared by differences
    return (2**63 - 1) // largest**2
