"""Cards, places and moves in words that a player understands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from salad_sim.game.card_kinds import VEGETABLES
from salad_sim.game.cards import Card, CardSet
from salad_sim.game.moves import N_PILES, N_SLOTS, draft_of, first_slot, flip_of, second_slot
from salad_sim.game.state import NONE

N_COLUMNS = N_PILES
ROWS = ("upper", "lower")


def plural(count: int, noun: str) -> str:
    """Return ``1 turn`` or ``2 turns``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(parts: Iterable[str]) -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``; nothing for nothing."""
    words = list(parts)
    return "".join(words) if len(words) < 2 else f"{', '.join(words[:-1])} and {words[-1]}"


def entry(label: str, text: str) -> str:
    """Return a line of a transcript: what it is about, then what happened."""
    return f"  {label:<8}{text}"


def card_name(cards: Sequence[Card], card: int) -> str:
    """Return what the point side of a card says, in quotes, and its number."""
    return f'"{cards[card].text}" (card {card})'


def slot_name(slot: int) -> str:
    """Return where a market slot is."""
    return f"column {slot % N_COLUMNS + 1}, {ROWS[slot // N_COLUMNS]} row"


def vegetables(counts: Sequence[int], labels: Sequence[str] = VEGETABLES) -> str:
    """Return ``2 carrot, 1 onion`` for the vegetables of a seat."""
    return ", ".join(f"{count} {label}" for label, count in zip(labels, counts, strict=True) if count) or "none"


def draft_in_words(view: np.record, cards: CardSet, draft: int) -> str:
    """Return what a draft takes; it need not be legal."""
    if 0 <= draft < N_PILES:
        card = int(view.top[draft])
        return f"take {'a point card' if card == NONE else card_name(cards, card)} from pile {draft + 1}"
    slot, other = int(first_slot(draft)), int(second_slot(draft))
    if draft < 0 or not 0 <= slot <= other < N_SLOTS:
        return f"make draft number {draft}"
    return "take " + " and ".join(
        f"the {_market_name(view, cards, each)} ({slot_name(each)})" for each in dict.fromkeys((slot, other))
    )


def _market_name(view: np.record, cards: CardSet, slot: int) -> str:
    veg = int(view.market[slot])
    return "nothing" if veg == NONE else cards.labels[veg]


def move_in_words(view: np.record, cards: CardSet, move: int) -> str:
    """Return what a move does, before it is made; it need not be legal.

    Parameters
    ----------
    view : public record
        The table as it is before the move.
    cards : CardSet
    move : int
        As from `salad_sim.game.moves.make_move`, or any other integer.
    """
    if move < 0:
        return f"make move number {move}"
    said = draft_in_words(view, cards, int(draft_of(move)))
    card = int(flip_of(move))
    if card < 0:
        return said
    if card >= len(cards):
        return f"{said}, then flip card {card}"
    return f"{said}, then flip {card_name(cards, card)} to its {cards.labels[cards[card].back]}"
