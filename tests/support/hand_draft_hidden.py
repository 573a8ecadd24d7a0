"""Puts other cards where the seat to move cannot see any: for checks that nothing hidden is read."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from salad_sim.game.state import N_VEGETABLES
from salad_sim.hand_draft.state import HAND_SIZE, HIDDEN, MOST_RETURNING, RESHUFFLED
from salad_sim.jit.rng import shuffle_tail


def shuffle_hidden(table: np.record, rng: np.record) -> None:
    """Let the cards that the seat to move cannot see change places: in the pile, in other hands, out of the game.

    Cards that never lay face up change places among themselves, those out of the game with others of the same back
    only; so do cards that were shuffled into a new pile. Not a byte of the public part changes.

    Parameters
    ----------
    table : record `HandLayout.table`
        Between two moves; changed in place.
    rng : record `RNG`
    """
    view = table.public
    parts = _hidden_parts(table)
    sizes = np.cumsum([len(part) for part in parts])[:-1]
    cards = np.concatenate(parts)
    places, backs = view.place[cards], view.cards.back[cards]
    for veg in range(N_VEGETABLES):
        _permute(cards, np.flatnonzero((places == HIDDEN) & (backs == veg)), rng)
    in_game = np.arange(len(cards)) < len(cards) - len(parts[-1])
    for place in (HIDDEN, RESHUFFLED):
        _permute(cards, np.flatnonzero((places == place) & in_game), rng)
    for part, content in zip(parts, np.split(cards, sizes), strict=True):
        part[:] = content


def _hidden_parts(table: np.record) -> list[npt.NDArray[np.int16]]:
    """Return the pile, the hands of the others and, last, the cards out of the game, as parts of the table's arrays."""
    view = table.public
    others = [seat for seat in range(int(view.n_players)) if seat != int(view.seat)]
    hands = [table.hands[seat, : view.tableau[seat].n_held] for seat in others]
    n_out = int(table.set_aside.sum()) - HAND_SIZE * int(view.n_players) if view.n_players > MOST_RETURNING else 0
    return [table.deck[: view.pile_size], *hands, table.aside[:n_out]]


def _permute(cards: npt.NDArray[np.int16], where: npt.NDArray[np.int64], rng: np.record) -> None:
    """Shuffle those of ``cards`` that stand at the indices ``where``."""
    chosen = cards[where]
    shuffle_tail(rng, chosen, len(chosen), len(chosen))
    cards[where] = chosen
