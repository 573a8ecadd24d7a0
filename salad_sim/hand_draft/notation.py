"""Moves of the hand-draft game in words that a player understands."""

from __future__ import annotations

import numpy as np

from salad_sim.game.cards import CardSet
from salad_sim.game.notation import card_name, plural
from salad_sim.hand_draft.moves import BLIND, N_BLIND, N_SLOTS, NO_DRAFT, NO_LAY, THROW
from salad_sim.hand_draft.state import DRAFT, NONE


def draft_in_words(view: np.record, cards: CardSet, draft: int) -> str:
    """Return what a draft takes, before it is made; it need not be legal."""
    if draft == BLIND:
        n_cards = max(min(N_BLIND, int(view.pile_size)), 1)
        return f"take the top {plural(n_cards, 'card') if n_cards > 1 else 'card'} of the pile unseen"
    if draft == NO_DRAFT:
        return "draft nothing, as nothing is left"
    if 0 <= draft < N_SLOTS:
        return f"take {_face_name(view, cards, draft)} from slot {draft + 1}"
    if THROW <= draft < THROW + N_SLOTS:
        return f"throw {_face_name(view, cards, draft - THROW)} away from slot {draft - THROW + 1}"
    return f"make draft number {draft}"


def _face_name(view: np.record, cards: CardSet, slot: int) -> str:
    card = int(view.face[slot])
    return "nothing" if card == NONE else card_name(cards, card)


def lay_in_words(cards: CardSet, card: int) -> str:
    """Return what is laid; it need not be legal."""
    if card == NO_LAY:
        return "lay nothing"
    if not 0 <= card < len(cards):
        return f"lay card {card}"
    return f"lay {card_name(cards, card)} as its {cards.labels[cards[card].back]}"


def move_in_words(view: np.record, cards: CardSet, move: int) -> str:
    """Return what a move does, before it is made: a draft or a lay, whichever ``view.phase`` asks for.

    Parameters
    ----------
    view : public record
        The table as it is before the move.
    cards : CardSet
    move : int
        Any integer; it need not be legal.
    """
    return draft_in_words(view, cards, move) if view.phase == DRAFT else lay_in_words(cards, move)
