"""Cards that do not exist: each new kind by hand, scores and gains against the twin and by trying."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salad_sim.game.card_kinds import VEGETABLES, WEIGHT_COLUMNS
from salad_sim.game.cards import CardSet, facts
from salad_sim.game.rules import Rules
from salad_sim.game.scoring import values_of_all
from support.card_files import Row
from support.card_sets import any_set, card_set, twin_cards
from support.hands import COUNTS, RULES, check_draft, check_hand, view_of
from support.playing import STEADY
from support.reference.game import NaiveRules, card_value

Counts = dict[str, int]

ONE_EACH = dict.fromkeys(VEGETABLES, 1)


def values(cards: CardSet, tables: list[Counts], rules: Rules | None = None) -> list[int]:
    """What each card is worth to the first of some players."""
    view = new_view(cards, [[table.get(veg, 0) for veg in VEGETABLES] for table in tables], rules)
    worth = np.zeros(len(cards), dtype=np.int64)
    values_of_all(view, 0, worth)
    return worth.tolist()  # type: ignore[no-any-return]


def new_view(cards: CardSet, counts: list[list[int]], rules: Rules | None = None, held: list[int] | None = None) -> Any:
    return view_of(counts, facts(cards, rules or Rules()), 0, held or [])


# ------------------------------------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("terms", "own", "points"),
    [
        # a set of any vegetables: two carrots and a tomato; five carrots hold two pairs, and there are three tomatoes
        ([{"kind": "set", "w_carrot": 2, "w_tomato": 1, "points": 9}], {"carrot": 5, "tomato": 3}, 18),
        ([{"kind": "set", "w_carrot": 2, "w_tomato": 1, "points": 9}], {"carrot": 1, "tomato": 3}, 0),
        # a set of one vegetable: four onions, twice
        ([{"kind": "set", "w_onion": 4, "points": 7}], {"onion": 9}, 14),
        # one of each but peppers
        (
            [{"kind": "set", **{name: 1 for name in WEIGHT_COLUMNS if name != "w_pepper"}, "points": 10}],
            {**ONE_EACH, "pepper": 0, "onion": 4},
            10,
        ),
        # negative points
        ([{"kind": "pair", "w_onion": 2, "points": -5}], {"onion": 4}, -10),
        ([{"kind": "most", "w_onion": 1, "points": -5}], {}, -5),
        # types with at least one, four, twelve
        ([{"kind": "type_at_least_1", "points": 2}], {"onion": 9, "carrot": 1}, 4),
        ([{"kind": "type_at_least_4", "points": 6}], {"onion": 4, "carrot": 3, "pepper": 5}, 12),
        ([{"kind": "type_at_least_12", "points": 6}], {"onion": 12, "carrot": 11}, 6),
        # any values for even and odd
        ([{"kind": "even_odd", "w_onion": 1, "even_points": -3, "odd_points": 8}], {"onion": 2}, -3),
        ([{"kind": "even_odd", "w_onion": 1, "even_points": -3, "odd_points": 8}], {"onion": 3}, 8),
        # more than three vegetables weighed
        (
            [{"kind": "per_veg", "w_cabbage": 4, "w_carrot": 3, "w_onion": -2, "w_pepper": -1, "w_tomato": 1}],
            {"cabbage": 2, "carrot": 1, "onion": 3, "pepper": 1, "tomato": 2},
            8 + 3 - 6 - 1 + 2,
        ),
        # terms add: 2 for each carrot, and 10 for the most lettuce (nobody has any: a tie)
        (
            [{"kind": "per_veg", "w_carrot": 2}, {"kind": "most", "w_lettuce": 1, "points": 10}],
            {"carrot": 3},
            6 + 10,
        ),
        # a threshold that falls: 5 for each type, but 7 less for each type of four
        (
            [{"kind": "type_at_least_1", "points": 5}, {"kind": "type_at_least_4", "points": -7}],
            {"onion": 4, "carrot": 3, "pepper": 1},
            15 - 7,
        ),
        # three terms: fewest of all, missing types, even onions
        (
            [
                {"kind": "fewest_total", "points": 7},
                {"kind": "missing_type", "points": 2},
                {"kind": "even_odd", "w_onion": 1, "even_points": 4, "odd_points": 0},
            ],
            {"onion": 2},
            0 + 10 + 4,
        ),
    ],
)
def test_worked_examples(terms: list[Row], own: Counts, points: int, tmp_path: Path) -> None:
    other = {"carrot": 1}
    cards = card_set([{"back": "onion", **terms[0]}, *terms[1:]])
    assert values(cards, [own, other]) == [points]
    (twin,) = twin_cards(cards, tmp_path)
    assert card_value(twin, [own, other], 0) == points


@pytest.mark.parametrize(
    ("sets", "general", "complete"), [("repeat", 21, 24), ("once", 7, 12), ("complete-once", 21, 12)]
)
def test_a_set_of_any_kind_repeats_unless_all_sets_score_once(sets: str, general: int, complete: int) -> None:
    rows: list[Row] = [
        {"back": "onion", "kind": "set", "w_onion": 2, "points": 7},
        {"back": "onion", "kind": "complete_set", **dict.fromkeys(WEIGHT_COLUMNS, 1), "points": 12},
    ]
    own = {**dict.fromkeys(VEGETABLES, 2), "onion": 6}
    assert values(card_set(rows), [own, {}], Rules(sets=sets)) == [general, complete]


@pytest.mark.parametrize(("zero", "points"), [("nothing", 0), ("even", -3), ("odd", 8)])
def test_zero_of_any_values(zero: str, points: int) -> None:
    cards = card_set([{"back": "onion", "kind": "even_odd", "w_onion": 1, "even_points": -3, "odd_points": 8}])
    assert values(cards, [{}, {}], Rules(zero=zero)) == [points]


# ------------------------------------------------------------------------------------------- any cards


SETS = st.integers(0, 10**9).map(lambda seed: any_set(seed, 12))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cards")


@settings(STEADY, max_examples=150)
@given(SETS, COUNTS, RULES)
def test_cards_are_worth_what_the_twin_says(
    folder: Path, cards: CardSet, counts: list[list[int]], rules: Rules
) -> None:
    tables = [dict(zip(VEGETABLES, row, strict=True)) for row in counts]
    naive = NaiveRules(zero=rules.zero, sets=rules.sets)
    expected = [card_value(card, tables, 0, naive) for card in twin_cards(cards, folder)]
    assert values(cards, tables, rules) == expected


@settings(STEADY, max_examples=150)
@given(SETS, COUNTS, RULES, st.data())
def test_gains_are_what_trying_gives(
    cards: CardSet, counts: list[list[int]], rules: Rules, data: st.DataObject
) -> None:
    held = data.draw(st.lists(st.integers(0, len(cards) - 1), unique=True))
    check_hand(new_view(cards, counts, rules, held), 0, len(cards))


@settings(STEADY, max_examples=150)
@given(SETS, COUNTS, RULES, st.data())
def test_a_draft_brings_the_gains_up_to_date(
    cards: CardSet, counts: list[list[int]], rules: Rules, data: st.DataObject
) -> None:
    counts[0] = [min(number, 16) for number in counts[0]]
    held = data.draw(st.lists(st.integers(0, len(cards) - 1), unique=True, min_size=1))
    check_draft(new_view(cards, counts, rules, held), 0, held, data)


@settings(STEADY, max_examples=100)
@given(SETS, COUNTS, RULES)
def test_cards_that_only_gain_are_never_worth_less_than_nothing(
    cards: CardSet, counts: list[list[int]], rules: Rules
) -> None:
    only_gains = facts(cards, rules).only_gains[: len(cards)].tolist()
    tables = [dict(zip(VEGETABLES, row, strict=True)) for row in counts]
    assert all(worth >= 0 for worth, only in zip(values(cards, tables, rules), only_gains, strict=True) if only)


@pytest.mark.parametrize(
    ("terms", "only_gains"),
    [
        ([{"kind": "even_odd", "w_onion": 1, "even_points": -1, "odd_points": 5}], 0),
        ([{"kind": "even_odd", "w_onion": 1, "even_points": 1, "odd_points": 5}], 1),
        ([{"kind": "most", "w_onion": 1, "points": 5}, {"kind": "per_veg", "w_onion": 2, "w_carrot": -1}], 0),
        ([{"kind": "most", "w_onion": 1, "points": 5}, {"kind": "per_veg", "w_onion": 2, "w_carrot": 1}], 1),
        ([{"kind": "per_veg", "w_onion": 2}, {"kind": "most", "w_onion": 1, "points": -1}], 0),
    ],
)
def test_a_card_only_gains_if_all_its_terms_do(terms: list[Row], only_gains: int) -> None:
    record = facts(card_set([{"back": "onion", **terms[0]}, *terms[1:]]))
    assert record.only_gains[0] == only_gains


def test_terms_stand_behind_the_cards_and_are_linked() -> None:
    rows: list[Row] = [
        {"back": "onion", "kind": "most", "w_onion": 1, "points": 5},
        {"kind": "per_veg", "w_carrot": 2},
        {"kind": "missing_type", "points": 3},
        {"back": "carrot", "kind": "per_veg", "w_carrot": 3},
        {"back": "pepper", "kind": "per_veg", "w_carrot": 4},
        {"kind": "pair", "w_tomato": 2, "points": 6},
    ]
    record = facts(card_set(rows))
    assert (record.n_cards, record.n_terms) == (3, 6)
    assert record.next_term[:6].tolist() == [3, -1, 5, 4, -1, -1]
    assert record.linear[:6, 1].tolist() == [0, 3, 4, 2, 0, 0]
    assert record.back[:3].tolist() == [3, 1, 4]
    assert record.one_formula[:3].tolist() == [0, 1, 0]
