"""Every kind of card is known in every place: read, said, scored, and worth what it scores to a hand."""

from __future__ import annotations

import random

import numpy as np
import pytest

from salad_sim.game.card_kinds import KINDS, LAST_PLAIN, SUMMED, card_text, kind_of, points_for
from salad_sim.game.cards import CardSet, facts
from salad_sim.game.scoring import card_value
from support.card_sets import SHAPES, card_set
from support.hands import check_hand, view_of
from support.playing import SEED

COUNTS = [[0, 1, 2, 3, 4, 5], [2, 2, 2, 1, 0, 0], [1, 0, 5, 3, 2, 2]]
EXAMPLES = [name for name, kind in KINDS.items() if kind.least <= 2]
UNKNOWN = 77


def example(kind: str) -> CardSet:
    """A set of one card of a kind."""
    chance = random.Random(SEED)
    key = "type_at_least_" if kind.startswith("type_at_least_") else kind
    numbers, weights = SHAPES[key]
    row = {f"w_{veg}": chance.choice(weights) for veg in ("onion", "tomato", "cabbage")[: numbers[-1]]}
    if numbers[-1] > len(row):
        row = {f"w_{veg}": 1 for veg in ("cabbage", "carrot", "lettuce", "onion", "pepper", "tomato")}
    points = {column: 3 + 4 * index for index, column in enumerate(KINDS[kind].points)}
    return card_set([{"kind": kind, "back": "carrot", **row, **points}])


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_kind_is_scored_and_worth_what_trying_says(kind: str) -> None:
    cards = example(kind)
    view = view_of(COUNTS, facts(cards), 0, [0])
    check_hand(view, 0, 1)
    by_count = kind_of(cards[0]).by_count
    if by_count is not None:
        mine = COUNTS[0] if cards[0].veg < 0 else [COUNTS[0][cards[0].veg]]
        assert card_value(view, 0, view.tableau[0], 0) == sum(points_for(cards[0], count) for count in mine)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_no_table_makes_a_card_worth_more_than_its_kind_says(kind: str) -> None:
    cards = example(kind)
    each, fixed = KINDS[kind].reach(cards[0])
    chance = np.random.default_rng(SEED)
    for counts in chance.integers(0, 7, (50, 3, 6)).tolist():
        view = view_of(counts, facts(cards), 0, [0])
        assert abs(card_value(view, 0, view.tableau[0], 0)) <= each * sum(counts[0]) + fixed


def test_kinds_say_different_things() -> None:
    texts = [card_text(example(kind)[0]) for kind in EXAMPLES]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("counts", [COUNTS, [[40] * 6, [1] * 6]])
def test_a_predicate_that_scoring_does_not_know_is_no_other_ones_value(counts: list[list[int]]) -> None:
    assert UNKNOWN > LAST_PLAIN and UNKNOWN not in SUMMED
    record = facts(example("most"))
    record.kind[0] = UNKNOWN
    view = view_of(counts, record, 0, [0])
    with pytest.raises(AssertionError, match="does not know"):
        card_value(view, 0, view.tableau[0], 0)
