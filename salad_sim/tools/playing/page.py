"""The table of a game as a page: drawn cards, and forms that work without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from salad_sim.game.cards import CardSet
from salad_sim.game.moves import N_PILES, N_SLOTS
from salad_sim.game.notation import plural
from salad_sim.game.rules import FLIP_NEVER
from salad_sim.game.state import NONE
from salad_sim.report.card_drawing import card_face, definitions, vegetable
from salad_sim.tools.playing.session import GameSession
from salad_sim.tools.playing.words import scoring_lines, values

ACTIONS = (("hint", "Hint"), ("undo", "Undo"), ("save", "Save"))
NO_CARD, TAKEN_CARD = -1, -2
"""Choices of what is turned: nothing, or the point card that is taken."""


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("salad_sim.tools.playing"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("table.html")


@cache
def _style() -> Markup:
    folder = resources.files("salad_sim.tools.playing")
    return Markup(folder.joinpath("templates/table.css").read_text(encoding="utf-8"))


def table_page(game: GameSession, told: Sequence[str], hint: Sequence[str], review: str) -> str:
    """Return the table as it stands.

    Parameters
    ----------
    game : GameSession
    told : sequence of str
        What happened since the last page.
    hint : sequence of str
    review : str
        Text of the review, if there was one.
    """
    view, cards, asking = game.view, game.plan.cards, game.is_person and not game.is_over
    actions = [("review", "Look back at the moves"), ("save", "Save")] if game.is_over else ACTIONS
    return _template().render(
        title=f"Turn {len(game.moves) + 1}, {plural(int(view.n_left), 'card')} left",
        style=_style(),
        drawings=definitions(cards.labels),
        told=told,
        hint=hint,
        over=game.is_over,
        scoring="\n".join(scoring_lines(view, cards, game.names)) if game.is_over else "",
        review=review,
        turn=len(game.moves),
        asking=asking,
        flips=_flips(view, cards) if asking else [],
        piles=[_pile(view, cards, pile) for pile in range(N_PILES)],
        market=[_slot(view, cards, slot) for slot in range(N_SLOTS)],
        seats=[_seat(game, seat) for seat in range(len(game.names))],
        actions=actions,
    )


def _flips(view: np.record, cards: CardSet) -> list[tuple[str, int]]:
    found = [("turn no card", NO_CARD)]
    if view.rules.flip == FLIP_NEVER:
        return found
    tableau = view.tableau[view.seat]
    for card in tableau.held[: tableau.n_held].tolist():
        found.append((f"turn {cards[card].text} to its {cards.labels[cards[card].back]}", card))
    return [*found, ("turn the point card that I take", TAKEN_CARD)]


def _pile(view: np.record, cards: CardSet, pile: int) -> dict[str, Any]:
    card = int(view.top[pile])
    if card == NONE:
        return {"face": "", "draft": pile, "text": ""}
    size = plural(int(view.pile_size[pile]), "card")
    return {"face": card_face(cards[card], cards.labels), "draft": pile, "text": f"{cards[card].text}; {size}"}


def _slot(view: np.record, cards: CardSet, slot: int) -> dict[str, Any]:
    veg = int(view.market[slot])
    if veg == NONE:
        return {"drawn": "", "name": "", "number": slot}
    return {"drawn": vegetable(veg, cards.labels, named=False), "name": cards.labels[veg], "number": slot}


def _seat(game: GameSession, seat: int) -> dict[str, Any]:
    view, cards = game.view, game.plan.cards
    tableau, worth = view.tableau[seat], values(view, seat)
    held = tableau.held[: tableau.n_held].tolist()
    laid = [
        {"count": count, "drawn": vegetable(veg, cards.labels, named=False), "name": cards.labels[veg]}
        for veg, count in enumerate(tableau.counts.tolist())
        if count
    ]
    return {
        "name": game.names[seat],
        "to_move": seat == game.seat and not game.is_over,
        "points": f"{plural(sum(worth[card] for card in held) + int(view.bonus[seat]), 'point')} now",
        "vegetables": laid,
        "cards": [{"face": card_face(cards[card], cards.labels), "worth": f"{worth[card]:+d}"} for card in held],
    }
