"""The turns of a hand-draft game in words, hidden hands and all: a transcript is for those who look on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from salad_sim.game.cards import CardSet
from salad_sim.game.notation import card_name, entry, listed, plural, vegetables
from salad_sim.hand_draft.engine import apply_move
from salad_sim.hand_draft.moves import BLIND, N_BLIND, NO_DRAFT, draft_of, laid_in
from salad_sim.hand_draft.notation import draft_in_words, lay_in_words
from salad_sim.hand_draft.shard import begin_game
from salad_sim.hand_draft.state import DRAFT, NONE


def turns(work: np.record, cards: CardSet, codes: Sequence[int], names: Sequence[str]) -> Iterator[str]:
    """Play a game once more on a fresh workspace and tell each turn.

    Parameters
    ----------
    work : record
        A workspace of the same plan, with deal and rotation set.
    cards : sequence of Card
    codes : sequence of int
        The turns that were played, as in ``table.turns``.
    names : sequence of str
        Who plays, by seat.
    """
    begin_game(work)
    table = work.table
    view = table.public
    for code in codes:
        seat = int(view.seat)
        draft, card = int(draft_of(code)), int(laid_in(code))
        yield f"Turn {int(view.turn) + 1}, seat {seat + 1} ({names[seat]})"
        yield entry("Pile", plural(int(view.pile_size), "card"))
        yield entry("Face up", ", ".join("-" if each == NONE else card_name(cards, int(each)) for each in view.face))
        yield entry("Draft", draft_in_words(view, cards, draft))
        if draft == BLIND:
            size = int(view.pile_size)
            drawn = [card_name(cards, int(each)) for each in table.deck[max(size - N_BLIND, 0) : size][::-1]]
            yield entry("", f"it is {listed(drawn)}")
        if draft != NO_DRAFT and view.phase == DRAFT:
            apply_move(table, draft)
        yield entry("Lay", lay_in_words(cards, card))
        apply_move(table, card)
        yield from _owns(table, cards, seat)
        yield ""


def _owns(table: np.record, cards: CardSet, seat: int) -> Iterator[str]:
    tableau = table.public.tableau[seat]
    hand = tableau.held if tableau.held[0] != NONE else table.hands[seat]
    kept = ", ".join(f'"{cards[card].text}"' for card in hand[: tableau.n_held].tolist()) or "none"
    yield entry("Has", f"vegetables: {vegetables(tableau.counts.tolist(), cards.labels)}; in hand: {kept}")
