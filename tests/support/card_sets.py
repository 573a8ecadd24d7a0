"""Sets of cards that do not exist: read from rows, drawn at random, and as the twin reads them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from salad_sim.game.card_file import card_file_lines, parse_card_file
from salad_sim.game.card_kinds import KINDS, VEGETABLES, WEIGHT_COLUMNS
from salad_sim.game.cards import COLUMNS, CardSet
from salad_sim.game.state import CAPACITY
from support.card_files import Row, text_of
from support.reference.game import load_cards

HEADER = (*COLUMNS, "copies")
OTHER_CAPACITY = 2 * CAPACITY


def card_set(rows: list[Row], source: str = "my.csv") -> CardSet:
    """Read rows of a card file that say what is not empty."""
    return parse_card_file(text_of(rows, HEADER), source)


def twin_cards(cards: CardSet, folder: Path) -> list[dict[str, Any]]:
    """The cards as the twin reads them from the file that the program writes."""
    file = folder / "twin.csv"
    file.write_text("\n".join(card_file_lines(cards)), encoding="utf-8")
    return load_cards(file)


SHAPES: dict[str, tuple[Sequence[int], Sequence[int]]] = {
    "per_veg": (range(1, 7), (-3, -1, 1, 2, 4)),
    "set": (range(1, 7), (1, 1, 1, 2, 3)),
    "pair": ((1,), (2,)),
    "triple": ((1,), (3,)),
    "combo2": ((2,), (1,)),
    "combo3": ((3,), (1,)),
    "complete_set": ((6,), (1,)),
    **dict.fromkeys(("most", "fewest", "even_odd"), ((1,), (1,))),
    **dict.fromkeys(("missing_type", "most_total", "fewest_total", "type_at_least_"), ((0,), ())),
}
"""How many vegetables a kind may ask about, and the weights it may have."""


def any_term(chance: random.Random) -> Row:
    """A term of any kind."""
    kind = chance.choice(list(SHAPES))
    numbers, weights = SHAPES[kind]
    row: Row = {name: chance.choice(weights) for name in chance.sample(WEIGHT_COLUMNS, chance.choice(numbers))}
    for column in (KINDS.get(kind) or KINDS["type_at_least_1"]).points:
        row[column] = chance.randint(-7, 15)
    return {"kind": f"{kind}{chance.randint(1, 6)}" if kind.endswith("_") else kind, **row}


def any_rows(chance: random.Random, n_designs: int, copies: int = 1) -> list[Row]:
    """Rows of so many different cards, a third of which have several terms; backs take turns."""
    rows: list[Row] = []
    for number in range(n_designs):
        back = VEGETABLES[number % 6]
        seen: list[Row] = []
        for _ in range(chance.choice([1, 1, 2, 3])):
            term = any_term(chance)
            if term not in seen:
                seen.append(term)
                rows.append({"card_id": number, "back": back, "copies": copies, **term})
    return rows


def any_set(seed: object, n_designs: int, copies: int = 1) -> CardSet:
    return card_set(any_rows(random.Random(f"{seed}"), n_designs, copies))
