"""Card sets of which the truth is known: one card with twice its points, two that are identical, one worth nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from salad_sim.game.card_file import card_file_lines
from salad_sim.game.card_kinds import card_text
from salad_sim.game.cards import Card, CardSet, official_cards
from salad_sim.game.state import N_VEGETABLES

OF_EACH = 18
"""Cards of one back in the game; the same place of each is the same kind of card, for most places."""

COMMON = (1, 2, 3, 4, 7, 11, 12, 15)
"""Places of eight families of six."""

FEW = (4, 7, 12, 15)

BLANK = "50 cabbage = 1"
"""Worth nothing, as no game has so many."""


def deck(*places: int, name: str = "deck") -> CardSet:
    """The cards at some places, of each back."""
    return numbered([card for card in official_cards() if card.card_id % OF_EACH in places], name)


def numbered(cards: list[Card], name: str) -> CardSet:
    """A set of cards with new ids, and with the words for what they now are."""
    return CardSet(
        tuple(replace(card, card_id=number, text=card_text(card)) for number, card in enumerate(cards)), source=name
    )


def doubled(cards: CardSet, number: int) -> CardSet:
    """The set in which a card is worth twice as much."""
    return changed(cards, number, twice(cards[number]))


def twice(card: Card) -> Card:
    """A card that is worth twice as much."""
    if card.kind == "per_veg":
        return replace(card, weights=tuple(2 * weight for weight in card.weights))
    points = 2 * card.points, 2 * card.even_points, 2 * card.odd_points
    return replace(card, points=points[0], even_points=points[1], odd_points=points[2])


def changed(cards: CardSet, number: int, card: Card) -> CardSet:
    """The set with another card at a place, with the back that was there."""
    new = [replace(card, back=old.back) if old.card_id == number else old for old in cards]
    return numbered(new, cards.source)


def blank() -> Card:
    """A card that never scores."""
    return Card(0, 0, "set", "", (50, *[0] * (N_VEGETABLES - 1)), points=1)


def number_of(cards: CardSet, text: str) -> int:
    """The id of the only card that says so."""
    (found,) = [card.card_id for card in cards if card.text == text]
    return found


def write_deck(cards: CardSet, folder: Path) -> Path:
    """Write a card file."""
    file = folder / f"{cards.source}.csv"
    file.write_text("\n".join(card_file_lines(cards)) + "\n", encoding="utf-8")
    return file


PLAIN = number_of(deck(*COMMON), "2/pepper")
"""The card of the known deck that is worth twice as much."""
COPIED, COPY = 30, 28
"""Two cards with a tomato each and an onion on the back."""


def known_deck() -> CardSet:
    """Eight families; 2/pepper is worth twice as much, and one card is a copy of another."""
    cards = deck(*COMMON, name="known")
    return changed(doubled(cards, PLAIN), COPY, cards[COPIED])


def study_deck() -> CardSet:
    """The same with one card that is worth nothing, which greedy seldom keeps."""
    return changed(known_deck(), 0, blank())
