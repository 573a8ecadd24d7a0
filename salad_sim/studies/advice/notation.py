"""Moves as people write them: ``pile 2``, ``carrot + onion``, ``market 2 5``, each with ``, flip CARD`` behind it."""

from __future__ import annotations

import re
from itertools import combinations, combinations_with_replacement

import numpy as np

from salad_sim.errors import InputError, nearest, quote
from salad_sim.game.card_families import find_card
from salad_sim.game.cards import CardSet, parse_veg
from salad_sim.game.engine import LEGAL, WHY_ILLEGAL, why_illegal
from salad_sim.game.moves import (
    N_PILES,
    N_SLOTS,
    NO_FLIP,
    draft_of,
    first_slot,
    flip_of,
    make_move,
    pair_draft,
    second_slot,
)
from salad_sim.game.notation import move_in_words
from salad_sim.game.rules import FLIP_NEVER, UP_TO_TWO
from salad_sim.game.state import NONE

HOW = "a move is 'pile 1', 'carrot + onion' or 'market 1 4' (its places: 1 2 3 above, 4 5 6 below), then ', flip CARD'"


def legal_moves(view: np.record) -> list[int]:
    """Return every legal move: piles first, then the market; each draft without a flip first."""
    found = []
    held = view.tableau[view.seat].held[: view.tableau[view.seat].n_held].tolist()
    for draft in legal_drafts(view):
        flips = [NO_FLIP]
        if view.rules.flip != FLIP_NEVER:
            flips += [*held, *([int(view.top[draft])] if draft < N_PILES else [])]
        found += [int(make_move(draft, flip)) for flip in flips]
    return found


def legal_drafts(view: np.record) -> list[int]:
    """Return every legal draft: piles, pairs of market slots, single slots."""
    slots = [slot for slot in range(N_SLOTS) if view.market[slot] != NONE]
    single = len(slots) == 1 or view.rules.vegetables == UP_TO_TWO
    found = [pile for pile in range(N_PILES) if view.pile_size[pile] > 0]
    found += [int(pair_draft(*pair)) for pair in combinations(slots, 2)]
    return found + [int(pair_draft(slot, slot)) for slot in slots if single]


def move_text(cards: CardSet, move: int) -> str:
    """Return a move as `read_move` reads it again."""
    draft, card = int(draft_of(move)), int(flip_of(move))
    slots = dict.fromkeys((int(first_slot(draft)) + 1, int(second_slot(draft)) + 1))
    said = f"pile {draft + 1}" if draft < N_PILES else f"market {' '.join(map(str, slots))}"
    return said if card < 0 else f"{said}, flip {card_text(cards, card)}"


def card_text(cards: CardSet, card: int) -> str:
    """Return the text of a card, or its id where others say the same."""
    text = cards[card].text
    try:
        return text if find_card(cards, text) == card else str(card)
    except InputError:
        return str(card)


def read_move(text: str, view: np.record, cards: CardSet) -> int:
    """Return the move that a text says, which must be legal.

    Raises
    ------
    InputError
        If it is not of that form, not legal, or may mean several moves.
    """
    drafted, flips, card = re.fullmatch(r"(.*?)(?:,?\s*(?:\bthen\s+)?\b(flip)\b(.*))?", text.strip(), re.S).groups()  # type: ignore[union-attr]
    draft = _read_draft(drafted.strip(), view, cards)
    move = int(make_move(draft, find_card(cards, card.strip()) if flips else NO_FLIP))
    reason = int(why_illegal(view, move))
    if reason != LEGAL:
        meant = move_in_words(view, cards, move)
        raise InputError(f"{quote(text)} is not legal: {meant}. Why not: {WHY_ILLEGAL[reason]}")
    return move


def _read_draft(text: str, view: np.record, cards: CardSet) -> int:
    text = text.removeprefix("take ").strip()
    if found := re.fullmatch(r"pile\s*([1-3])", text, re.I):
        return int(found[1]) - 1
    if found := re.fullmatch(r"market\s*([1-6])(?:[\s,+&]+([1-6]))?", text, re.I):
        return int(pair_draft(*sorted(int(number) - 1 for number in (found[1], found[2] or found[1]))))
    for pile in range(N_PILES):
        if view.top[pile] != NONE and text in (cards[view.top[pile]].text, f"card {view.top[pile]}"):
            return pile
    return _read_vegetables(text, view, cards)


def _read_vegetables(text: str, view: np.record, cards: CardSet) -> int:
    """Return the draft of vegetables by name, of which the market must hold no more than are named."""
    names = [name for name in re.split(r"\s*(?:\+|,|&|\band\b)\s*|\s+", text) if name]
    if not 1 <= len(names) <= 2:
        raise InputError(f"{quote(text)} is no move; {HOW}")
    try:
        wanted = sorted(parse_veg(name, cards.labels) for name in names)
    except InputError:
        hint = nearest(text, cards.labels)
        raise InputError(f"{quote(text)} is no move{hint}; {HOW}") from None
    slots = [slot for slot in range(N_SLOTS) if view.market[slot] != NONE]
    choices = combinations(slots, 2) if len(names) == 2 else combinations_with_replacement(slots, 1)
    pairs = [(one[0], one[-1]) for one in choices if sorted(int(view.market[slot]) for slot in one) == wanted]
    if len(pairs) != 1:
        if not pairs:
            raise InputError(f"{quote(text)}: the market does not hold that")
        ways = ", ".join(f"'{move_text(cards, int(pair_draft(*pair)))}'" for pair in pairs)
        raise InputError(f"{quote(text)} may be {ways}: write which")
    return int(pair_draft(*pairs[0]))


def brief(view: np.record, cards: CardSet, move: int) -> str:
    """Return a move in few words, with what it takes and how to write it."""
    draft, card = int(draft_of(move)), int(flip_of(move))
    flips = f", flip {cards[card].text!r} to {cards.labels[cards[card].back]}" if card >= 0 else ""
    if draft < N_PILES:
        return f"{cards[view.top[draft]].text} (pile {draft + 1}){flips}"
    slots = dict.fromkeys((int(first_slot(draft)), int(second_slot(draft))))
    names = " + ".join(cards.labels[view.market[slot]] for slot in slots)
    return f"{names} (market {' '.join(str(slot + 1) for slot in slots)}){flips}"
