"""Whether a designer's card is in line with the others: a blank, its like, and cards that it beats or that beat it.

Four comparisons of what a card is worth to own, each of which can find something:

- *blank*: whether it is certainly worth more than a card that scores nothing;
- *order*: whether it always scores at least as much as a card of the game, or never more: then one of the two is out of
  place, however near their values are. What it scores is tried on many hands;
- *family*: the range that cards of the same form predict for one more, or else cards that ask for the same with other
  numbers (``4/A`` is held against ``2/A``);
- *all*: the range of all cards of the game, which are of many forms: a rough one.

Where nothing is found, `Line.seen` says how large a difference could have been.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from salad_sim.game.card_families import Family, families, form_of
from salad_sim.game.cards import Card, CardSet, facts, official_cards
from salad_sim.game.rules import Rules
from salad_sim.game.scoring import values_of_all
from salad_sim.game.state import CAPACITY, N_VEGETABLES, layout
from salad_sim.jit.records import new_record
from salad_sim.jit.typing import Ints, Row
from salad_sim.stats.intervals import UNKNOWN, Estimate, Z
from salad_sim.stats.prediction import OutOfLine, out_of_line
from salad_sim.studies.cards.trials import Means

N_HANDS = 3_000
"""Hands on which it is tried which of two cards scores more."""

SEATS, MOST_OF_ONE, HAS_ANY = 3, 12, 0.7
"""At a table at which hands are tried: seats, vegetables of a kind at most, and how many of the kinds a seat has."""

PRIMES = [n for n in range(2, 252) if all(n % k for k in range(2, n))][: 3 * SEATS * N_VEGETABLES]

POWER = 1 + 0.8416 / Z
"""Half-widths by which a value must be off to be found in four of five studies."""

NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Line:
    """One card beside the others.

    Attributes
    ----------
    card : int
    ranges : OutOfLine
        With its like and with all cards.
    over_blank : Estimate
        What it is worth more than a blank.
    outside_blank : bool or None
        Whether it is not certainly worth more than a blank; None if that could not have been seen.
    stronger, weaker : str or None
        A card of the game that it never scores less than, and one that it never scores more than; in the set or not.
    less_that : Estimate
        Its value less the mean of the cards of the game in the set that are of that one's form.
    """

    card: int
    ranges: OutOfLine
    over_blank: Estimate
    outside_blank: bool | None
    stronger: str | None
    weaker: str | None
    less_that: Estimate

    @property
    def outside_order(self) -> bool:
        """Whether it makes a card of the game pointless, or is made so."""
        return self.stronger is not None or self.weaker is not None

    @property
    def found(self) -> list[str]:
        """What it is out of line with, in words."""
        told = {
            "what a blank card is not worth": self.outside_blank,
            "a card of the game": self.outside_order,
            "its family": self.ranges.outside_family,
            "all cards": self.ranges.outside_all,
        }
        return [what for what, outside in told.items() if outside]

    @property
    def is_known(self) -> bool:
        """Whether anything could be said."""
        known = (self.outside_blank, self.ranges.outside_family, self.ranges.outside_all)
        return self.outside_order or any(each is not None for each in known)

    @property
    def seen(self) -> float:
        """How far off its like it must have been to be found in four of five studies; NaN if there is no range."""
        range_ = self.ranges.family_range if math.isfinite(self.ranges.family_range.low) else self.ranges.all_range
        return POWER * (range_.high - range_.low) / 2

    def columns(self) -> Row:
        """Return what is known as columns."""
        ranges = self.ranges
        return {
            "family_range_low": ranges.family_range.low,
            "family_range_high": ranges.family_range.high,
            "outside_family": ranges.outside_family,
            "all_range_low": ranges.all_range.low,
            "all_range_high": ranges.all_range.high,
            "outside_all": ranges.outside_all,
            "outside_blank": self.outside_blank,
            "outside_order": self.outside_order,
        }


def lines(values: Means, cards: CardSet, rules: Rules) -> list[Line]:
    """Hold each card against the others.

    Parameters
    ----------
    values : Means
        What each card is worth to own, more than a blank one.
    cards : CardSet
    rules : Rules
        By which cards score.
    """
    known = official_forms()
    among = [card.card_id for card in cards if plain(card) in known]
    new = [card.card_id for card in cards if plain(card) not in known]
    by_form, by_shape = (
        out_of_line(values.value, values.covariance, groups, among or None)
        for groups in (families(cards), shapes(cards))
    )
    ranges = [
        one if one.outside_family is not None else replace(other, family=one.family)
        for one, other in zip(by_form, by_shape, strict=True)
    ]
    least = min((values.value[card] for card in among if values.is_known[card]), default=math.nan)
    game = [replace(card, card_id=len(cards) + number) for number, card in enumerate(official_cards())]
    scores = scores_on_hands([*cards, *game], rules) if new else None
    found = []
    for card in cards:
        number = card.card_id
        beaten = by = None
        if scores is not None and number in new:
            beats = [each for each in game if _beats(scores, number, each.card_id)]
            beaters = [each for each in game if _beats(scores, each.card_id, number)]
            beaten, by = _nearest(scores, card, beats), _nearest(scores, card, beaters)
        found.append(_line(number, values, ranges[number], least, (beaten, by), cards, among))
    return found


def _line(
    card: int,
    values: Means,
    ranges: OutOfLine,
    least: float,
    beside: tuple[Card | None, Card | None],
    cards: CardSet,
    among: Sequence[int],
) -> Line:
    over = values.estimate(card)
    power = POWER * (over.high - over.value)
    # of a card of the game worth as little as any, it would have been seen that it is worth more than a blank
    outside = None if math.isnan(over.low) or not (over.low > 0 or power < least) else over.low <= 0
    stronger, weaker = (None if each is None else each.text for each in beside)
    forms = {form_of(each) for each in beside if each is not None}
    alike = [other for other in among if form_of(cards[other]) in forms and values.is_known[other]]
    return Line(card, ranges, over, outside, stronger, weaker, _less(values, card, alike) if alike else UNKNOWN)


def _beats(scores: Ints, one: int, other: int) -> bool:
    """Return whether a card never scores less than another, and sometimes more."""
    return bool((scores[:, one] >= scores[:, other]).all() and (scores[:, one] > scores[:, other]).any())


def _nearest(scores: Ints, card: Card, others: Sequence[Card]) -> Card | None:
    """Return the one of some cards that is most like a card: asks for the same, then scores most nearly as it does."""
    shape = shape_of(form_of(card))

    def unlike(other: Card) -> tuple[bool, int]:
        gap = np.abs(scores[:, card.card_id] - scores[:, other.card_id]).sum()
        return shape_of(form_of(other)) != shape, int(gap)

    return min(others, key=unlike, default=None)


def _less(values: Means, card: int, others: Sequence[int]) -> Estimate:
    """Return the difference of a value and the mean of some others."""
    place = [card, *others]
    weights = np.append(1.0, np.full(len(others), -1 / len(others)))
    variance = float(weights @ values.covariance[np.ix_(place, place)] @ weights)
    gap = float(weights @ values.value[place])
    return Means(np.array([gap]), np.array([[max(variance, 0.0)]]), values.pairs[[card]]).estimate(0)


def scores_on_hands(cards: Sequence[Card], rules: Rules) -> Ints:
    """Return what each card scores on many hands of vegetables, shape [N_HANDS, n_cards]."""
    capacity = max(CAPACITY, sum(len(card.terms) for card in cards))
    view = new_record(layout(capacity).public)
    view.cards = facts(cards, rules, capacity)
    view.n_players = SEATS
    # spread evenly over the unit cube of three numbers for each seat and vegetable (a Kronecker sequence)
    spread = np.arange(1, N_HANDS + 1)[:, None] * np.sqrt(PRIMES) % 1
    most, part, there = spread.reshape(N_HANDS, 3, SEATS, N_VEGETABLES).swapaxes(0, 1)
    hands = np.floor(part * (1 + MOST_OF_ONE * most)) * (there < HAS_ANY)
    scores = np.zeros((N_HANDS, len(cards)), dtype=np.int64)
    for row, counts in zip(scores, hands, strict=True):
        view.tableau["counts"][:SEATS] = counts
        values_of_all(view, 0, row)
    return scores


def shapes(cards: CardSet) -> list[Family]:
    """Return the cards that ask for the same in other numbers, together."""
    members: dict[str, list[int]] = {}
    for card in cards:
        members.setdefault(shape_of(form_of(card)), []).append(card.card_id)
    return [Family(name, tuple(ids)) for name, ids in members.items()]


def shape_of(form: str) -> str:
    """Return a form without its numbers: ``3/A, -2/B`` is ``#/A, -#/B``."""
    return NUMBER.sub("#", form)


@cache
def official_forms() -> frozenset[tuple[Any, ...]]:
    """Return what makes the 108 cards of the game what they are."""
    return frozenset(plain(card) for card in official_cards())


def plain(card: Card) -> tuple[Any, ...]:
    """Return what makes a card what it is: its back and its terms, not its id or what it says."""
    terms = [(term.kind, term.weights, term.points, term.even_points, term.odd_points) for term in card.terms]
    return card.back, tuple(sorted(terms))
