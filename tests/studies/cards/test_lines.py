"""Whether a card is out of line: what is wrong on purpose is found, what is like the others is not."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from salad_sim import Rules
from salad_sim.game.card_families import form_of
from salad_sim.game.cards import Card, CardSet, official_cards
from salad_sim.studies.cards.lines import Line, lines, scores_on_hands, shape_of
from salad_sim.studies.cards.trials import Means
from support.card_decks import blank, changed, number_of, numbered, twice

OFFICIAL = numbered(list(official_cards()), "official")
ERROR = 0.1
SPREAD = 0.2
"""Of the members of a family, as the report finds."""


def with_card(text: str, card: Card, worth: float, error: float = ERROR) -> Line:
    """The official cards, of worths by their family from 1 to 12, one of them changed into a card of some worth."""
    place = number_of(OFFICIAL, text)
    cards = changed(OFFICIAL, place, card)
    generator = np.random.default_rng(1)
    forms = list(dict.fromkeys(form_of(each) for each in OFFICIAL))
    values = np.array([1 + 11 * forms.index(form_of(each)) / len(forms) for each in OFFICIAL])
    values += SPREAD * generator.normal(size=108) + error * generator.normal(size=108)
    values[place] = worth if worth >= 0 else values[place]
    return lines(Means(values, error**2 * np.eye(108), np.full(108, 5000)), cards, Rules())[place]


def same(text: str) -> Card:
    return OFFICIAL[number_of(OFFICIAL, text)]


def other_points(text: str, more: int) -> Card:
    card = same(text)
    if card.kind == "per_veg":
        return replace(card, weights=tuple(weight + more * (weight > 0) for weight in card.weights))
    return replace(card, points=card.points + more)


def test_a_card_that_scores_nothing_is_no_better_than_a_blank_and_beaten_by_all_that_cannot_lose() -> None:
    line = with_card("2/carrot", blank(), 0.05)
    assert line.outside_blank and line.weaker is not None and line.stronger is None and line.found
    # there are no cards like it, and none of that is told by a range
    assert math.isnan(line.ranges.family_range.low)


def test_a_dud_is_not_told_from_a_blank_by_a_study_that_could_not_see_it() -> None:
    line = with_card("2/carrot", blank(), 0.05, error=3.0)
    assert line.outside_blank is None and line.outside_order


@pytest.mark.parametrize("text", ["2/pepper", "most lettuce = 10", "carrot + onion = 5", "fewest tomato = 7"])
@pytest.mark.parametrize("more", [-1, 1])
def test_one_point_too_high_or_too_low_is_found_by_the_card_that_it_beats(text: str, more: int) -> None:
    """Without a word about its worth: the card of the game that asks for the same is pointless beside it, or it is."""
    line = with_card(text, other_points(text, more), -1)
    beside = line.stronger if more > 0 else line.weaker
    assert beside == text and line.outside_order and math.isfinite(line.less_that.low)


def test_a_doubled_card_is_out_of_line_with_cards_that_ask_for_the_same() -> None:
    line = with_card("2/pepper", twice(same("2/pepper")), 10.0)
    assert line.ranges.outside_family and line.stronger is not None
    assert line.ranges.family_range.high - line.ranges.family_range.low < 2 < line.ranges.all_range.high


def test_a_card_with_no_minus_beats_those_that_have_one() -> None:
    """4/carrot, which was within the range of all cards: from nearly nothing to twelve."""
    text = next(card.text for card in OFFICIAL if card.text.startswith("4/carrot"))
    card = replace(same(text), weights=tuple(max(weight, 0) for weight in same(text).weights))
    line = with_card("2/carrot", card, 9.0)
    assert line.outside_order and line.stronger is not None and line.ranges.outside_all is False


def test_a_card_like_its_family_is_within_it_and_says_what_would_have_been_seen() -> None:
    line = with_card("2/carrot", same("2/carrot"), -1)
    assert not line.found and line.is_known and line.ranges.outside_family is False
    assert 0.3 < line.seen < 1.5 and math.isfinite(line.over_blank.low)


def test_no_card_of_the_game_beats_another() -> None:
    """So a card that does is out of line with the game."""
    scores = scores_on_hands(CardSet(official_cards()), Rules())
    forms = {form_of(card): card.card_id for card in official_cards()}
    for one in range(108):
        for other in forms.values():
            same_scores = (scores[:, one] == scores[:, other]).all()
            assert same_scores or (scores[:, one] < scores[:, other]).any(), (one, other)


def test_shapes() -> None:
    assert shape_of("3/A, -2/B") == "#/A, -#/B" and shape_of("most A = 10") == "most A = #"
