"""What a player is told, in plain lines: the table, the choices, a hint, the scoring."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from salad_sim.game.cards import CardSet
from salad_sim.game.moves import N_PILES, NO_FLIP, make_move
from salad_sim.game.notation import card_name, plural, vegetables
from salad_sim.game.rules import FLIP_NEVER
from salad_sim.game.scoring import values_of_all
from salad_sim.game.state import NONE
from salad_sim.report.format import percent
from salad_sim.studies.advice.estimate import Advice
from salad_sim.studies.advice.notation import brief, legal_drafts
from salad_sim.studies.advice.reasons import reason
from salad_sim.studies.advice.report import verdict

HINTS = 3
"""Moves that a hint tells."""


def table_lines(view: np.record, cards: CardSet, names: tuple[str, ...]) -> Iterator[str]:
    """Yield what lies on the table: piles, market, and in front of everybody, who is to move last."""
    for pile in range(N_PILES):
        yield f"Pile {pile + 1}: {_pile(view, cards, pile)}"
    for row, first in (("upper", 0), ("lower", N_PILES)):
        slots = [f"{slot + 1} {_veg(view, cards, slot)}" for slot in range(first, first + N_PILES)]
        yield f"Market, {row} row: {', '.join(slots)}"
    order = [(int(view.seat) + 1 + place) % len(names) for place in range(len(names))]
    for seat in order:
        yield f"{names[seat]}: {owned(view, cards, seat)}"


def _pile(view: np.record, cards: CardSet, pile: int) -> str:
    card = int(view.top[pile])
    if card == NONE:
        return "empty"
    back = cards.labels[cards[card].back]
    return f'"{cards[card].text}", {back} on its back; {plural(int(view.pile_size[pile]), "card")}'


def _veg(view: np.record, cards: CardSet, slot: int) -> str:
    veg = int(view.market[slot])
    return "empty" if veg == NONE else cards.labels[veg]


def values(view: np.record, seat: int) -> list[int]:
    """Return what each card is worth to a seat as the table lies, by id."""
    found = np.zeros(int(view.cards.n_cards), dtype=np.int64)
    values_of_all(view, seat, found)
    return found.tolist()


def owned(view: np.record, cards: CardSet, seat: int) -> str:
    """Return what lies in front of a seat, and what it scores now."""
    worth, tableau = values(view, seat), view.tableau[seat]
    held = tableau.held[: tableau.n_held].tolist()
    laid = vegetables(tableau.counts.tolist(), cards.labels)
    kept = ", ".join(f'"{cards[card].text}" ({worth[card]:+d})' for card in held) or "none"
    points = sum(worth[card] for card in held) + int(view.bonus[seat])
    return f"{plural(points, 'point')} now; vegetables: {laid}; point cards: {kept}"


def draft_choices(view: np.record, cards: CardSet) -> list[tuple[str, int]]:
    """Return what the seat to move may take, in words and as draft codes."""
    return [(f"take {brief(view, cards, int(make_move(draft, NO_FLIP)))}", draft) for draft in legal_drafts(view)]


def flip_choices(view: np.record, cards: CardSet, draft: int) -> list[tuple[str, int]]:
    """Return which own card may be turned after a draft, in words and as moves; to turn none comes first."""
    found = [("turn no card", int(make_move(draft, NO_FLIP)))]
    if view.rules.flip == FLIP_NEVER:
        return found
    tableau = view.tableau[view.seat]
    own = tableau.held[: tableau.n_held].tolist() + ([int(view.top[draft])] if draft < N_PILES else [])
    for card in own:
        back = cards.labels[cards[card].back]
        found.append((f'turn "{cards[card].text}" to its {back}', int(make_move(draft, card))))
    return found


def move_line(view: np.record, cards: CardSet, name: str, move: int) -> str:
    """Tell a move, before it is made."""
    return f"{name}: {brief(view, cards, move)}"


def hint_lines(advice: Advice) -> Iterator[str]:
    """Yield the best moves of a position with their chances, and why the best one is."""
    view, cards = advice.position.public(advice.plan), advice.position.cards
    for place, move in enumerate(advice.moves[:HINTS]):
        noted = verdict(advice, place)
        yield f"{brief(view, cards, move)}: wins {percent(advice.wins[place], 0, ' %')}{', ' + noted if noted else ''}"
    yield reason(advice, advice.best)
    if advice.exact:
        yield "Nothing is hidden any more: this is worked out to the end, for best play by everybody."
        return
    yield f"By {plural(advice.played.n_tables, 'game')} from each move, {advice.plan.labels[0]} in every seat."


def scoring_lines(view: np.record, cards: CardSet, names: tuple[str, ...]) -> Iterator[str]:
    """Yield the scoring of every seat, card by card."""
    for seat, name in enumerate(names):
        tableau, worth = view.tableau[seat], values(view, seat)
        held = tableau.held[: tableau.n_held].tolist()
        yield f"{name}: {vegetables(tableau.counts.tolist(), cards.labels)}"
        for card in sorted(held, key=lambda card: (-worth[card], card)):
            yield f"  {worth[card]:5d}  {card_name(cards, card)}"
        if view.bonus[seat]:
            yield f"  {int(view.bonus[seat]):5d}  from before"
        yield f"  {sum(worth[card] for card in held) + int(view.bonus[seat]):5d}  in total"
