"""Why a move is better than the others that were tried, in terms of cards."""

from __future__ import annotations

import numpy as np

from salad_sim.game.notation import listed
from salad_sim.game.state import NONE
from salad_sim.jit.typing import Floats
from salad_sim.studies.advice.ending import best_line
from salad_sim.studies.advice.estimate import Advice
from salad_sim.studies.advice.play import Continuations

LEAST = 0.5
"""Points below which a difference is no reason."""

MOST_NAMED = 3


def reason(advice: Advice, move: int) -> str:
    """Return why a move does better or worse than the others on average, one sentence of what its points come from.

    Compared are the points at the end: of each card that lies on the table, of cards to come, and of the best other
    player.
    """
    played, place = advice.played, advice.moves.index(move)
    if advice.exact:
        line = best_line(advice.position, advice.plan, move)
        return f"With best play it goes on like this: {'; '.join(line)}." if line else "It is the last move."
    if len(played.moves) == 1:
        return "No other move is sensible."
    parts = sorted(_parts(advice, place), key=lambda part: -abs(part[1]))
    told = [f"{name} {gain:+.1f}" for name, gain in parts[:MOST_NAMED] if abs(gain) >= LEAST]
    if not told:
        return "In the end it brings about what the other moves bring."
    return f"In points at the end, beside the average of the other moves: {listed(told)}."


def _parts(advice: Advice, place: int) -> list[tuple[str, float]]:
    """Return where the points of a move differ from those of the others, each part and by how much."""
    played, position = advice.played, advice.position
    by_card = _beside(played.worth / played.n_tables, place)
    on_table = {card for card in position.tops if card != NONE} | set(position.seats[position.to_move].held)
    found = [(f'"{position.cards[card].text}"', float(by_card[card])) for card in sorted(on_table)]
    found.append(("cards to come", float(by_card.sum()) - sum(gain for _, gain in found)))
    rivals = _beside(_best_rival(played).mean(axis=0)[:, None], place)
    return [*found, ("the best other player", float(rivals[0]))]


def _best_rival(played: Continuations) -> Floats:
    found: Floats = np.delete(played.scores, played.seat, axis=2).max(axis=2).astype(float)
    return found


def _beside(values: Floats, place: int) -> Floats:
    """Return the row of a move less the mean of all others."""
    found: Floats = values[place] - np.delete(values, place, axis=0).mean(axis=0)
    return found
