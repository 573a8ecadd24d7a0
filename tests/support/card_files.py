"""Card files of the tests: rows put together to a text, and some that many tests change a little."""

from __future__ import annotations

from collections.abc import Iterable

from salad_sim.game.card_file import parse_card_file
from salad_sim.game.cards import COLUMNS, CardSet

Row = dict[str, object]

TWO_FOR_CARROTS: Row = {"back": "onion", "kind": "per_veg", "w_carrot": 2}
MOST_LETTUCE: Row = {"back": "tomato", "kind": "most", "w_lettuce": 1, "points": 10}
EVEN_ONIONS: Row = {"back": "cabbage", "kind": "even_odd", "w_onion": 1, "even_points": 7, "odd_points": 3}


def text_of(rows: Iterable[Row], columns: Iterable[str] = COLUMNS) -> str:
    """A card file of some rows, of which each says what is not empty."""
    return "\n".join([",".join(columns), *(",".join(str(row.get(name, "")) for name in columns) for row in rows)])


def read(*rows: Row, columns: Iterable[str] = COLUMNS) -> CardSet:
    return parse_card_file(text_of(rows, columns), "my.csv")


PLAIN = text_of([TWO_FOR_CARROTS, {**MOST_LETTUCE, "text": "queen of salad"}])

LABELS = "# label cabbage = olive\n#  Label  LETTUCE=Grüner Salat ,,,\n"
