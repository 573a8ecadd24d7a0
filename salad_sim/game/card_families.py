"""Families of cards, the same up to which vegetables they ask about, and finding a card by what it says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from typing import TypeAlias

from salad_sim.errors import InputError, nearest
from salad_sim.game.card_kinds import KINDS, SHOWN, card_text
from salad_sim.game.cards import Card, CardSet
from salad_sim.game.state import N_VEGETABLES

LETTERS = "ABCDEF"
"""What vegetables are called in the name of a family, in order of appearance."""

Structure: TypeAlias = tuple[str, tuple[int, ...], int, int, int]
"""Of a term: kind, weights, points, even points, odd points."""


@dataclass(frozen=True)
class Family:
    """Cards that are the same up to which vegetables they ask about.

    Attributes
    ----------
    name : str
        What they say, with letters for vegetables: no other family of a set has the same name.
    members : tuple of int
        Ids of the cards, in order.
    """

    name: str
    members: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.members)


def form_of(card: Card) -> str:
    """Return what a card says with letters for vegetables, such as ``3/A, -2/B``; equal exactly within a family.

    Told by the card's terms, not by its text, which a designer may choose freely. The back does not count, nor the
    order of the terms, nor which of the kinds of a set a set is written as (only the complete set is one of its own,
    as some rules score it once).
    """
    return _form(tuple(sorted(_structure(term) for term in card.terms)))


def _structure(term: Card) -> Structure:
    kind = KINDS[term.kind]
    return kind.family or kind.name, term.weights, term.points, term.even_points, term.odd_points


@lru_cache(maxsize=4096)
def _form(terms: tuple[Structure, ...]) -> str:
    if len(terms) == 1:
        return _name([(terms[0][0], tuple(sorted(terms[0][1], reverse=True)), *terms[0][2:])])
    return _name(max(_permuted(terms, order) for order in permutations(range(N_VEGETABLES))))


def _permuted(terms: tuple[Structure, ...], order: tuple[int, ...]) -> list[Structure]:
    return sorted((term[0], tuple(term[1][veg] for veg in order), *term[2:]) for term in terms)


def _name(terms: list[Structure]) -> str:
    """Say the terms, with letters in the order in which they first appear."""
    first, *more = (Card(0, 0, kind, "", weights, points, even, odd) for kind, weights, points, even, odd in terms)
    marks = tuple(map(chr, range(1, N_VEGETABLES + 1)))  # control signs, which stand in no text
    text = card_text(replace(first, more=tuple(more)), marks)
    for letter, mark in zip(LETTERS, sorted(set(marks) & set(text), key=text.index), strict=False):
        text = text.replace(mark, letter)
    return text


def families(cards: CardSet) -> list[Family]:
    """Return the families of a card set, in the order of their first members.

    The 108 cards of the game are 11 families of six, 3 of twelve and 6 single cards.
    """
    members: dict[str, list[int]] = {}
    for card in cards:
        members.setdefault(form_of(card), []).append(card.card_id)
    return [Family(name, tuple(ids)) for name, ids in members.items()]


def find_card(cards: CardSet, text: str) -> int:
    """Return the id of the card that a user names by what it says, or by its id.

    Small and capital letters and blanks do not matter. The texts that the cards have go first, then what the program
    would say in their place, then the ids.

    Parameters
    ----------
    cards : CardSet
    text : str
        Such as ``2/carrot``, in the labels of the card set, or ``4``.

    Raises
    ------
    InputError
        If no card says so, or several do: copies are told apart by their ids.
    """
    for said in (lambda card: card.text, lambda card: card_text(card, cards.labels)):
        found = [card.card_id for card in cards if _plain(said(card)) == _plain(text)]
        if len(found) > 1:
            ids = f"{', '.join(map(str, found[:-1]))} and {found[-1]}"
            raise InputError(f"{text[:SHOWN]!r} is what the cards {ids} say: give the id of one")
        if found:
            return found[0]
    if text.strip().isdecimal() and int(text) < len(cards):
        return int(text)
    hint = nearest(text[:SHOWN], dict.fromkeys(card.text for card in cards))
    raise InputError(
        f"unknown card {text[:SHOWN]!r}{hint}; allowed: what a card says, such as {cards[0].text!r}, or its id "
        f"0..{len(cards) - 1}"
    )


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()
