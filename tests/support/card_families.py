"""The families of the cards of the game, by what they say."""

from __future__ import annotations

from salad_sim.game.cards import Card

FAMILIES_OF_SIX = {
    ("even_odd", (1,), 0, 7, 3),
    ("most", (1,), 10, 0, 0),
    ("fewest", (1,), 7, 0, 0),
    ("pair", (2,), 5, 0, 0),
    ("triple", (3,), 8, 0, 0),
    ("per_veg", (2,), 0, 0, 0),
    ("per_veg", (-2, 3), 0, 0, 0),
    ("per_veg", (-2, 1, 2), 0, 0, 0),
    ("per_veg", (-4, 2, 2), 0, 0, 0),
    ("per_veg", (-1, -1, 3), 0, 0, 0),
    ("per_veg", (-2, -2, 4), 0, 0, 0),
}

FAMILIES_OF_TWELVE = {
    ("per_veg", (1, 1), 0, 0, 0),
    ("combo2", (1, 1), 5, 0, 0),
    ("combo3", (1, 1, 1), 8, 0, 0),
}

SINGLES = {
    ("complete_set", (1,) * 6, 12, 0, 0),
    ("missing_type", (), 5, 0, 0),
    ("type_at_least_2", (), 3, 0, 0),
    ("type_at_least_3", (), 5, 0, 0),
    ("most_total", (), 10, 0, 0),
    ("fewest_total", (), 7, 0, 0),
}


def family(card: Card) -> tuple[str, tuple[int, ...], int, int, int]:
    """What a card says, whatever vegetables it names."""
    weights = tuple(sorted(weight for weight in card.weights if weight))
    return card.kind, weights, card.points, card.even_points, card.odd_points
