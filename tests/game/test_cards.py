"""The cards: the file and back, their families, and the arrays that kernels score by."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from salad_sim.errors import InputError
from salad_sim.game.card_kinds import (
    AT_LEAST,
    EVEN_ODD,
    KINDS,
    LAST_PLAIN,
    MISSING,
    REPEATING,
    STACK,
    VEGETABLES,
    kind_of,
    points_for,
)
from salad_sim.game.cards import (
    COLUMNS,
    Card,
    card_row,
    facts,
    official_cards,
    parse_veg,
    read_cards,
    veg_name,
)
from salad_sim.game.rules import CHOICES, Rules
from salad_sim.game.scoring import by_count
from salad_sim.game.state import CAPACITY, N_CURVE, N_VEGETABLES
from support.card_families import FAMILIES_OF_SIX, FAMILIES_OF_TWELVE, SINGLES, family
from support.playing import CARDS, OFFICIAL_MOST
from support.reference.game import NaiveRules, term_value

ZEROS_AND_SETS = [Rules(zero=zero, sets=sets) for zero in CHOICES["zero"] for sets in CHOICES["sets"]]


# ------------------------------------------------------------------------------------------- the file


def test_there_are_108_cards_18_of_each_back() -> None:
    cards = official_cards()
    assert [card.card_id for card in cards] == list(range(CAPACITY))
    assert Counter(card.back for card in cards) == dict.fromkeys(range(N_VEGETABLES), OFFICIAL_MOST)


def test_eleven_families_of_six_three_of_twelve_and_six_singles() -> None:
    sizes = Counter(family(card) for card in official_cards())
    assert {name for name, size in sizes.items() if size == 6} == FAMILIES_OF_SIX
    assert {name for name, size in sizes.items() if size == 12} == FAMILIES_OF_TWELVE
    assert {name for name, size in sizes.items() if size == 1} == SINGLES
    assert len(sizes) == len(FAMILIES_OF_SIX | FAMILIES_OF_TWELVE | SINGLES)


def test_the_cards_of_a_family_differ() -> None:
    assert len({(family(card), card.weights) for card in official_cards()}) == CAPACITY


def test_cards_go_to_a_file_and_come_back() -> None:
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS)
    writer.writeheader()
    writer.writerows(card_row(card) for card in official_cards())
    file.seek(0)
    assert tuple(read_cards(csv.DictReader(file), "file")) == official_cards()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "pairs"}, r"file, line 2, column kind: unknown kind 'pairs' \(did you mean 'pair'\?\)"),
        ({"back": "tomatoe"}, r"unknown vegetable 'tomatoe' \(did you mean 'tomato'\?\)"),
        ({"points": "five"}, "file, line 2, column points: a whole number is needed, not 'five'"),
        ({"w_onion": "0.5"}, "file, line 2, column w_onion: a whole number is needed, not '0.5'"),
    ],
)
def test_a_bad_row_is_refused(change: dict[str, str], message: str) -> None:
    row = {name: str(value) for name, value in card_row(official_cards()[12]).items()}
    assert read_cards([row], "file") == [official_cards()[12]]
    with pytest.raises(InputError, match=message):
        read_cards([row | change], "file")


def test_vegetables_have_names_and_names_are_vegetables() -> None:
    for veg, name in enumerate(VEGETABLES):
        assert veg_name(veg) == name
        assert parse_veg(name) == parse_veg(f" {name.upper()} ") == veg
    with pytest.raises(InputError, match="unknown vegetable 'olive'"):
        parse_veg("olive")


def test_a_card_says_what_it_is() -> None:
    assert str(official_cards()[12]) == "carrot + carrot = 5 (back: cabbage)"


@pytest.mark.parametrize("card", official_cards(), ids=lambda card: card.text)
def test_card_and_twin_read_the_same_row(card: Card) -> None:
    twin = CARDS[card.card_id]
    (term,) = twin["terms"]
    assert VEGETABLES.index(twin["back"]) == card.back
    assert [term["weights"].get(name, 0) for name in VEGETABLES] == list(card.weights)
    assert (term["kind"], term["points"], term["even"], term["odd"]) == (
        card.kind,
        card.points,
        card.even_points,
        card.odd_points,
    )
    named = [veg for veg, name in enumerate(VEGETABLES) if name in card.text]
    assert card.veg == (named[0] if len(named) == 1 else -1)


# -------------------------------------------------------------------------------------------- the arrays


def test_the_facts_record_says_what_the_cards_say() -> None:
    record, cards = facts(), official_cards()
    assert (record.n_cards, record.n_terms, record.n_counts) == (CAPACITY, CAPACITY, N_CURVE)
    assert record.back.tolist() == [card.back for card in cards]
    assert record.veg.tolist() == [card.veg for card in cards]
    assert record.kind.tolist() == [KINDS[card.kind].predicate for card in cards]
    assert record.points.tolist() == [card.points for card in cards]
    assert record.even_points.tolist() == [card.even_points for card in cards]
    assert record.odd_points.tolist() == [card.odd_points for card in cards]
    assert record.least.tolist() == [{"type_at_least_2": 2, "type_at_least_3": 3}.get(card.kind, 0) for card in cards]
    assert (record.next_term == -1).all()
    is_linear = np.array([card.kind == "per_veg" for card in cards])
    weights = np.array([card.weights for card in cards])
    assert (record.linear == weights * is_linear[:, None]).all()
    assert (record.needs == weights * ~is_linear[:, None]).all()


def test_cards_stand_by_their_backs_in_the_pool() -> None:
    record = facts()
    assert sorted(record.pool.tolist()) == list(range(CAPACITY))
    assert record.pool_start.tolist() == [OFFICIAL_MOST * veg for veg in range(N_VEGETABLES + 1)]
    for veg in range(N_VEGETABLES):
        part = record.pool[record.pool_start[veg] : record.pool_start[veg + 1]]
        assert (record.back[part] == veg).all()


def test_the_pool_of_a_deck_that_lacks_a_vegetable() -> None:
    cards = [replace(card, card_id=index) for index, card in enumerate(official_cards()[30:80])]
    record = facts(cards)
    assert record.n_cards == 50
    assert record.pool_start.tolist() == [0, 0, 6, 24, 42, 50, 50]
    assert sorted(record.pool[:50].tolist()) == list(range(50))
    assert np.diff(record.back[record.pool[:50]]).min() >= 0


@pytest.mark.parametrize("rules", ZEROS_AND_SETS, ids=str)
def test_rules_for_single_cards_become_numbers(rules: Rules) -> None:
    record = facts(rules=rules)
    for card in official_cards():
        once = rules.sets == "once" or (rules.sets == "complete-once" and card.kind == "complete_set")
        assert record.most_sets[card.card_id] == (1 if once else REPEATING)
        if card.kind == "even_odd":
            assert record.zero_points[card.card_id] == {"nothing": 0, "even": 7, "odd": 3}[rules.zero]


@pytest.mark.parametrize("rules", ZEROS_AND_SETS, ids=str)
def test_the_curve_is_what_the_twin_scores_for_one_vegetable(rules: Rules) -> None:
    record, naive = facts(rules=rules), NaiveRules(zero=rules.zero, sets=rules.sets)
    for card in official_cards():
        (term,) = CARDS[card.card_id]["terms"]
        for n_owned in range(N_CURVE):
            if card.predicate in (EVEN_ODD, STACK):
                points = term_value(term, [{VEGETABLES[card.veg]: n_owned}], 0, naive)
            elif card.predicate in (AT_LEAST, MISSING):  # points of one type: of six equal ones a sixth
                points = term_value(term, [dict.fromkeys(VEGETABLES, n_owned)], 0, naive) // N_VEGETABLES
            else:
                points = 0
            assert record.curve[card.card_id, n_owned] == points == points_for(card, n_owned, rules)


@pytest.mark.parametrize("rules", ZEROS_AND_SETS, ids=str)
def test_inside_and_beyond_the_table_of_the_record_the_points_are_the_same(rules: Rules) -> None:
    record = facts(rules=rules)
    for card in official_cards():
        if kind_of(card).by_count is not None:
            for n_owned in [0, 1, 2, N_CURVE - 1, N_CURVE, N_CURVE + 1, N_CURVE + 2, 100, 999, 1000]:
                assert by_count(record, card.card_id, n_owned) == points_for(card, n_owned, rules), (card, n_owned)


def test_the_common_cards_are_of_the_one_formula_kind() -> None:
    record = facts()
    formed = {family(card) for card in official_cards() if record.one_formula[card.card_id]}
    assert formed == FAMILIES_OF_SIX | FAMILIES_OF_TWELVE
    assert LAST_PLAIN == STACK


def test_cards_that_only_gain_are_those_without_a_minus() -> None:
    record = facts()
    for card in official_cards():
        assert record.only_gains[card.card_id] == ("-" not in card.text), card
