"""What tests of the naive twin share: its cards, positions from given piles, and how a win is shared."""

from dataclasses import replace
from fractions import Fraction

from support.reference.game import OFFICIAL, Card, Draft, NaiveGame, NaiveRules, load_cards

CARDS = load_cards()
BY_ID: dict[int, Card] = {card["id"]: card for card in CARDS}

ONE, NO, HALF = Fraction(1), Fraction(0), Fraction(1, 2)


def game(*piles: list[int], players: int = 2, **rules: str) -> NaiveGame:
    return NaiveGame(CARDS, list(piles), players, NaiveRules(**rules))


def play_all(position: NaiveGame, *drafts: Draft) -> None:
    for draft in drafts:
        position.play(draft)


def upto(first: int, last: int) -> list[int]:
    """A pile of the cards from `first` (bottom) to `last` (top)."""
    return list(range(first, last + 1))


def share(position: NaiveGame, tie_break: str) -> list[Fraction]:
    return position.shares(replace(OFFICIAL, tie_break=tie_break))
