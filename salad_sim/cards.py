"""The cards: vegetables, the 108 point cards as facts, and the integer arrays that kernels score by.

Facts in data/cards.csv: three independent public sources (the Board Game Arena program, its client's texts and the
manifest of ZynoXelek/PointSalad) agree on each of the 108 cards.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TypeAlias

import numpy as np

from salad_sim.errors import InputError, unknown
from salad_sim.records import new_record
from salad_sim.rules import OFFICIAL, Rules
from salad_sim.table import CAPACITY, MOST_ASKED, N_VEGETABLES, NO_VEGETABLE, layout

Veg: TypeAlias = int
CABBAGE, CARROT, LETTUCE, ONION, PEPPER, TOMATO = range(N_VEGETABLES)
VEGETABLES = ("cabbage", "carrot", "lettuce", "onion", "pepper", "tomato")

# Predicates, by the codes that kernels branch on.
LINEAR, EVEN_ODD, STACK, MOST, FEWEST, SET, AT_LEAST, MISSING, MOST_TOTAL, FEWEST_TOTAL = range(10)
LAST_PLAIN = STACK
"""The predicates up to this one depend on the owner's numbers of vegetables, each for itself."""

PREDICATES = {
    "per_veg": LINEAR,
    "pair": STACK,
    "triple": STACK,
    "combo2": SET,
    "combo3": SET,
    "complete_set": SET,
    "most": MOST,
    "fewest": FEWEST,
    "even_odd": EVEN_ODD,
    "type_at_least_2": AT_LEAST,
    "type_at_least_3": AT_LEAST,
    "missing_type": MISSING,
    "most_total": MOST_TOTAL,
    "fewest_total": FEWEST_TOTAL,
}
"""The kinds of the card file and the scoring predicate of each."""

WEIGHT_COLUMNS = tuple(f"w_{name}" for name in VEGETABLES)
COLUMNS = ("card_id", "back", "kind", "text", *WEIGHT_COLUMNS, "points", "even_points", "odd_points")
REPEATING = 32767
"""How many sets score where sets repeat: more than any table holds."""


def veg_name(veg: Veg) -> str:
    """Return the name of a vegetable 0..5."""
    return VEGETABLES[veg]


def parse_veg(name: str) -> Veg:
    """Return the vegetable 0..5 of a name.

    Raises
    ------
    InputError
        If it is no vegetable.
    """
    if name.strip().lower() not in VEGETABLES:
        raise unknown("vegetable", name, VEGETABLES)
    return VEGETABLES.index(name.strip().lower())


@dataclass(frozen=True)
class Card:
    """One card: a way to score on one side, a vegetable on the other.

    Attributes
    ----------
    card_id : int
        0..107, the row in the card file.
    back : int
        The vegetable 0..5 on the other side; the corners of the point side show it.
    kind : str
        One of `PREDICATES`.
    text : str
        What the point side says.
    weights : tuple of int
        By vegetable: points each (per_veg), how many a set needs (pair, triple, combo2, combo3, complete_set), or a 1
        at the vegetable asked about (even_odd, most, fewest).
    points : int
        Points for the set, the majority or each type.
    even_points, odd_points : int
        Points of an even/odd card.
    """

    card_id: int
    back: Veg
    kind: str
    text: str
    weights: tuple[int, ...]
    points: int = 0
    even_points: int = 0
    odd_points: int = 0

    @property
    def predicate(self) -> int:
        """The scoring predicate's code."""
        return PREDICATES[self.kind]

    @property
    def veg(self) -> Veg:
        """The one vegetable the card asks about, or -1 where it asks about several or all."""
        asked = [veg for veg, weight in enumerate(self.weights) if weight]
        return asked[0] if len(asked) == 1 else -1

    @property
    def least(self) -> int:
        """The number of a vegetable that counts as a type (kind type_at_least_k), else 0."""
        return int(self.kind[-1]) if self.predicate == AT_LEAST else 0

    def __str__(self) -> str:
        return f"{self.text} (back: {veg_name(self.back)})"


@cache
def official_cards() -> tuple[Card, ...]:
    """Read the 108 cards of the game, in the order of their ids."""
    text = resources.files("salad_sim").joinpath("data/cards.csv").read_text(encoding="utf-8")
    return tuple(read_cards(csv.DictReader(io.StringIO(text)), "cards.csv"))


def read_cards(rows: Iterable[dict[str, str]], source: str) -> list[Card]:
    """Build cards from the rows of a card file.

    Raises
    ------
    InputError
        With source, row and column, if a value is not allowed.
    """
    cards = []
    for line, row in enumerate(rows, start=2):
        where = f"{source}, line {line}"
        kind = row["kind"]
        if kind not in PREDICATES:
            raise InputError(f"{where}: {unknown('kind', kind, PREDICATES)}")
        numbers = {name: _integer(row[name], f"{where}, column {name}") for name in COLUMNS if name not in TEXTS}
        cards.append(
            Card(
                card_id=numbers["card_id"],
                back=parse_veg(row["back"]),
                kind=kind,
                text=row["text"],
                weights=tuple(numbers[name] for name in WEIGHT_COLUMNS),
                points=numbers["points"],
                even_points=numbers["even_points"],
                odd_points=numbers["odd_points"],
            )
        )
    return cards


TEXTS = ("back", "kind", "text")


def _integer(text: str, where: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{where}: a whole number is needed, not {text!r}") from None


def card_row(card: Card) -> dict[str, object]:
    """Return a card as one row of a card file, by column."""
    values = (card.card_id, veg_name(card.back), card.kind, card.text, *card.weights)
    return dict(zip(COLUMNS, (*values, card.points, card.even_points, card.odd_points), strict=True))


def points_for(card: Card, n_owned: int, rules: Rules = OFFICIAL) -> int:
    """Return what a card scores for having ``n_owned`` of one vegetable (the one it asks about, or of each type).

    Cards that compare players, need several vegetables or weigh them score nothing by this count.
    """
    if card.predicate == EVEN_ODD:
        if n_owned == 0:
            return {"nothing": 0, "even": card.even_points, "odd": card.odd_points}[rules.zero]
        return card.odd_points if n_owned % 2 else card.even_points
    if card.predicate == STACK:
        return card.points * min(n_owned // card.weights[card.veg], most_sets(card, rules))
    if card.predicate == AT_LEAST:
        return card.points if n_owned >= card.least else 0
    if card.predicate == MISSING:
        return card.points if n_owned == 0 else 0
    return 0


def most_sets(card: Card, rules: Rules) -> int:
    """Return how many sets of a card score under the rules."""
    once = rules.sets == "once" or (rules.sets == "complete-once" and card.kind == "complete_set")
    return 1 if once else REPEATING


def fill_facts(record: np.record, cards: Sequence[Card], rules: Rules = OFFICIAL) -> None:
    """Write the cards into a facts record (`Layout.cards`), the rules that concern single cards worked in.

    ``zero`` and ``sets`` become numbers of each card, so that the scoring kernels need not ask for rules.
    """
    record.n_cards = len(cards)
    record.n_terms = len(cards)
    record.n_counts = record.curve.shape[1]
    record.next_term[:] = -1
    for term, card in enumerate(cards):
        record.back[term] = card.back
        record.kind[term] = card.predicate
        record.veg[term] = card.veg
        record.only_gains[term] = min(card.weights) >= 0 and card.points >= 0
        record.linear[term] = card.weights if card.predicate == LINEAR else 0
        record.needs[term] = 0 if card.predicate == LINEAR else card.weights
        record.curve[term] = [points_for(card, n_owned, rules) for n_owned in range(record.curve.shape[1])]
        record.points[term] = card.points
        _fill_formula(record, term, card)
        record.even_points[term] = card.even_points
        record.odd_points[term] = card.odd_points
        record.zero_points[term] = points_for(card, 0, rules) if card.predicate == EVEN_ODD else 0
        record.most_sets[term] = most_sets(card, rules)
        record.least[term] = card.least
    fixed = rules.card_ids()
    order = sorted(range(len(cards)) if fixed is None else fixed, key=lambda card: cards[card].back)
    record.pool[: len(order)] = order
    record.pool_start[:] = np.searchsorted([cards[term].back for term in order], range(N_VEGETABLES + 1))


def _fill_formula(record: np.record, term: int, card: Card) -> None:
    """Write a card as weights + curve + majorities + set over at most three vegetables, if it is of that form."""
    asked = [veg for veg, weight in enumerate(card.weights) if weight]
    a_set = card.predicate == SET and max(card.weights) == 1
    formed = a_set or card.predicate <= LAST_PLAIN or card.predicate in (MOST, FEWEST)
    if not formed or len(asked) > MOST_ASKED:
        return
    record.one_formula[term] = 1
    record.asked[term] = (asked + [NO_VEGETABLE] * MOST_ASKED)[:MOST_ASKED]
    if card.predicate == LINEAR:
        record.each[term] = [card.weights[veg] if veg < N_VEGETABLES else 0 for veg in record.asked[term]]
    record.set_points[term] = card.points if a_set else 0
    record.most_points[term] = card.points if card.predicate == MOST else 0
    record.fewest_points[term] = card.points if card.predicate == FEWEST else 0


def facts(cards: Sequence[Card] | None = None, rules: Rules = OFFICIAL, capacity: int = CAPACITY) -> np.record:
    """Return the facts record of ``cards`` (default: the 108) under ``rules``, with room for ``capacity`` cards."""
    chosen = official_cards() if cards is None else cards
    record = new_record(layout(capacity).cards)
    fill_facts(record, chosen, rules)
    return record
