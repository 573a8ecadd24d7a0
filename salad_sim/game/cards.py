"""The cards: vegetables, point cards as facts, sets of them, and the integer arrays that kernels score by.

Facts in data/cards.csv: three independent public sources (the Board Game Arena program, its client's texts and the
manifest of ZynoXelek/PointSalad) agree on each of the 108 cards.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from typing import TypeAlias, overload

import numpy as np

from salad_sim.errors import InputError, unknown
from salad_sim.game.card_kinds import (
    EVEN_ODD,
    FEWEST,
    LAST_PLAIN,
    LINEAR,
    MOST,
    POINT_COLUMNS,
    SET,
    SHOWN,
    VEGETABLES,
    WEIGHT_COLUMNS,
    check_kind,
    kind_of,
    most_sets,
    points_for,
)
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.game.state import CAPACITY, MOST_ASKED, N_VEGETABLES, NO_VEGETABLE, layout
from salad_sim.jit.records import new_record

Veg: TypeAlias = int
CABBAGE, CARROT, LETTUCE, ONION, PEPPER, TOMATO = range(N_VEGETABLES)
MOST_TERMS = 1296
"""Cards of a set and their further terms, at most: the points of so many, each of MOST_POINTS, add up in 32 bits."""

TEXTS = ("back", "kind", "text")
COLUMNS = ("card_id", *TEXTS, *WEIGHT_COLUMNS, *POINT_COLUMNS)


def veg_name(veg: Veg) -> str:
    """Return the name of a vegetable 0..5."""
    return VEGETABLES[veg]


def parse_veg(name: str, labels: Sequence[str] = VEGETABLES) -> Veg:
    """Return the vegetable 0..5 of a name, or of the label that a card set gives it.

    Raises
    ------
    InputError
        If it is no vegetable.
    """
    known = {each.casefold(): veg for names in (labels, VEGETABLES) for veg, each in enumerate(names)}
    if name.strip().casefold() not in known:
        raise unknown("vegetable", name[:SHOWN], known)
    return known[name.strip().casefold()]


@dataclass(frozen=True)
class Card:
    """One card: a way to score on one side, a vegetable on the other.

    Attributes
    ----------
    card_id : int
        Its place in the card set, from 0.
    back : int
        The vegetable 0..5 on the other side; the corners of the point side show it.
    kind : str
        One of `card_kinds.KINDS`.
    text : str
        What the point side says.
    weights : tuple of int
        By vegetable: points each (per_veg), how many a set needs (pair, triple, combo2, combo3, complete_set, set), or
        a 1 at the vegetable asked about (even_odd, most, fewest).
    points : int
        Points for the set, the majority or each type.
    even_points, odd_points : int
        Points of an even/odd card.
    more : tuple of Card
        Further terms, whose values add to that of the first; of each only kind, weights and points count.
    """

    card_id: int
    back: Veg
    kind: str
    text: str
    weights: tuple[int, ...]
    points: int = 0
    even_points: int = 0
    odd_points: int = 0
    more: tuple[Card, ...] = ()

    @property
    def terms(self) -> tuple[Card, ...]:
        """The first term, which is the card itself, and those further ones."""
        return (self, *self.more)

    @property
    def asked(self) -> list[Veg]:
        """The vegetables that this term weighs or asks about."""
        return [veg for veg, weight in enumerate(self.weights) if weight]

    @property
    def veg(self) -> Veg:
        """The one vegetable the term asks about, or -1 where it asks about several or all."""
        asked = self.asked
        return asked[0] if len(asked) == 1 else -1

    @property
    def predicate(self) -> int:
        """The scoring predicate's code; a set of one vegetable is a stack of it."""
        return kind_of(self).predicate

    @property
    def only_gains(self) -> bool:
        """Whether this term is never worth less than nothing."""
        return min(*self.weights, self.points, self.even_points, self.odd_points) >= 0

    def __str__(self) -> str:
        return f"{self.text} (back: {veg_name(self.back)})"


@dataclass(frozen=True)
class CardSet(Sequence[Card]):
    """The cards that a game is played with, by id, and what its vegetables are called.

    Attributes
    ----------
    cards : tuple of Card
        Their ids are 0, 1, 2, ...; a copy of a card is a card of its own.
    labels : tuple of str
        What each of the six vegetables is called.
    source : str
        Where the cards come from, such as the path of a card file.

    Raises
    ------
    InputError
        If there are no cards or too many, or their ids or the labels are not as above.
    """

    cards: tuple[Card, ...] = field(repr=False)
    labels: tuple[str, ...] = VEGETABLES
    source: str = field(default="custom", compare=False)

    def __post_init__(self) -> None:
        check_size(sum(len(card.terms) for card in self.cards), self.source)
        if [card.card_id for card in self.cards] != list(range(len(self.cards))):
            raise InputError(f"{self.source}: the ids of the cards must be 0, 1, 2, ... in this order")
        if len({label.casefold() for label in self.labels}) != N_VEGETABLES:
            raise InputError(f"{self.source}: {N_VEGETABLES} different labels are needed, not {', '.join(self.labels)}")

    @overload
    def __getitem__(self, index: int) -> Card: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Card, ...]: ...

    def __getitem__(self, index: int | slice) -> Card | tuple[Card, ...]:
        return self.cards[index]

    def __len__(self) -> int:
        return len(self.cards)

    @property
    def is_official(self) -> bool:
        """Whether these are the 108 cards of the game under their own names."""
        return self == official_set()


def check_size(n_terms: int, source: str) -> None:
    """Refuse a card set of no cards, or of more cards and further terms than can be counted.

    Raises
    ------
    InputError
    """
    if not 1 <= n_terms <= MOST_TERMS:
        raise InputError(
            f"{source}: a card set has 1 to {MOST_TERMS} cards, copies and further terms counted too, not {n_terms}"
        )


@cache
def official_cards() -> tuple[Card, ...]:
    """Read the 108 cards of the game, in the order of their ids."""
    text = resources.files("salad_sim").joinpath("game/data/cards.csv").read_text(encoding="utf-8")
    return tuple(read_cards(csv.DictReader(io.StringIO(text)), "cards.csv"))


@cache
def official_set() -> CardSet:
    """Return the 108 cards of the game as a set."""
    return CardSet(official_cards(), source="official")


def read_cards(rows: Iterable[Mapping[str, str]], source: str) -> list[Card]:
    """Build cards from the rows of a card file whose columns are all there, one card from each row.

    Raises
    ------
    InputError
        With source, row and column, if a value is not of the kind that the column holds.
    """
    return [read_card(row, f"{source}, line {line}") for line, row in enumerate(rows, start=2)]


def read_card(row: Mapping[str, str], where: str, labels: Sequence[str] = VEGETABLES) -> Card:
    """Build a card, or a term of one, from a row of a card file; ``where`` says in messages which row it is.

    Raises
    ------
    InputError
        If a value is not of the kind that the column holds.
    """
    check_kind(row["kind"], where)
    try:
        back = parse_veg(row["back"], labels)
    except InputError as error:
        raise InputError(f"{where}, column back: {error}") from None
    numbers = {name: _integer(row[name], f"{where}, column {name}") for name in COLUMNS if name not in TEXTS}
    weights = tuple(numbers[name] for name in WEIGHT_COLUMNS)
    points, even_points, odd_points = (numbers[name] for name in POINT_COLUMNS)
    return Card(numbers["card_id"], back, row["kind"], row["text"], weights, points, even_points, odd_points)


def _integer(text: str, where: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{where}: a whole number is needed, not {text[:SHOWN]!r}") from None


def card_row(card: Card, labels: Sequence[str] = VEGETABLES) -> dict[str, object]:
    """Return a card's first term as one row of a card file, by column."""
    values = (card.card_id, labels[card.back], card.kind, card.text, *card.weights)
    return dict(zip(COLUMNS, (*values, card.points, card.even_points, card.odd_points), strict=True))


def fill_facts(record: np.record, cards: Sequence[Card], rules: Rules = OFFICIAL) -> None:
    """Write the cards into a facts record (`Layout.cards`), the rules that concern single cards worked in.

    ``zero`` and ``sets`` become numbers of each card, so that the scoring kernels need not ask for rules. Terms beyond
    a card's first stand after all cards, each linked to the one before it.
    """
    terms = [*cards, *(term for card in cards for term in card.more)]
    record.n_cards = len(cards)
    record.n_terms = len(terms)
    record.n_counts = record.curve.shape[1]
    record.next_term[:] = -1
    for number, term in enumerate(terms):
        _fill_term(record, number, term, rules)
    _fill_curves(record, terms, rules)
    following = len(cards)
    for number, card in enumerate(cards):
        record.back[number] = card.back
        record.only_gains[number] = all(term.only_gains for term in card.terms)
        before = number
        for _ in card.more:
            record.one_formula[number] = 0  # that is about the card as a whole
            record.next_term[before] = following
            before = following
            following += 1
    _fill_pool(record, cards, rules)


def _fill_curves(record: np.record, terms: Sequence[Card], rules: Rules) -> None:
    """Write what each term is worth by a number of vegetables; a large set has many copies, a long curve takes time."""
    record.curve[:] = 0
    known: dict[tuple[object, ...], list[int]] = {}
    for number, term in enumerate(terms):
        if kind_of(term).by_count is not None:
            what = (term.kind, term.weights, term.points, term.even_points, term.odd_points)
            if what not in known:
                known[what] = [points_for(term, n_owned, rules) for n_owned in range(record.curve.shape[1])]
            record.curve[number] = known[what]


def _fill_pool(record: np.record, cards: Sequence[Card], rules: Rules) -> None:
    """List the cards that may play, by their backs."""
    fixed = rules.card_ids()
    order = sorted(range(len(cards)) if fixed is None else fixed, key=lambda card: cards[card].back)
    record.pool[: len(order)] = order
    record.pool_start[:] = np.searchsorted([cards[card].back for card in order], range(N_VEGETABLES + 1))


def _fill_term(record: np.record, number: int, term: Card, rules: Rules) -> None:
    """Write one term."""
    record.kind[number] = term.predicate
    record.veg[number] = term.veg
    record.linear[number] = term.weights if term.predicate == LINEAR else 0
    record.needs[number] = 0 if term.predicate == LINEAR else term.weights
    record.points[number] = term.points
    _fill_formula(record, number, term)
    record.even_points[number] = term.even_points
    record.odd_points[number] = term.odd_points
    record.zero_points[number] = points_for(term, 0, rules) if term.predicate == EVEN_ODD else 0
    record.most_sets[number] = most_sets(term, rules)
    record.least[number] = kind_of(term).least


def _fill_formula(record: np.record, term: int, card: Card) -> None:
    """Write a card as weights + curve + majorities + set over at most three vegetables, if it is of that form."""
    asked = card.asked
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
    return _facts(official_cards() if cards is None else tuple(cards), rules, capacity).copy()


@lru_cache(maxsize=16)
def _facts(cards: tuple[Card, ...], rules: Rules, capacity: int) -> np.record:
    record = new_record(layout(capacity).cards)
    fill_facts(record, cards, rules)
    return record
