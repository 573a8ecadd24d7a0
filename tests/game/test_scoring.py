"""The scoring kernels against tables scored by others and against the twin, for any cards and any numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from salad_sim import InputError, card_values, score
from salad_sim.game import scoring as kernels
from salad_sim.game.rules import CHOICES, Rules
from salad_sim.game.state import MAX_PLAYERS, layout
from salad_sim.jit.records import new_record
from support.places import DATA
from support.playing import CARDS, STEADY, CustomCard, custom_cards, facts_of, official_facts
from support.reference.game import VEGETABLES, NaiveRules, card_value

CASES = DATA / "scoring_cases.npz"
NUMBERS = st.one_of(st.integers(0, 4), st.integers(0, 40), st.integers(0, 1000))
COUNTS = st.lists(st.lists(NUMBERS, min_size=6, max_size=6), min_size=1, max_size=MAX_PLAYERS)
RULES = st.builds(Rules, zero=st.sampled_from(CHOICES["zero"]), sets=st.sampled_from(CHOICES["sets"]))


def naive_tables(counts: list[list[int]]) -> list[dict[str, int]]:
    return [dict(zip(VEGETABLES, row, strict=True)) for row in counts]


def view_of(counts: list[list[int]], record: np.record) -> np.record:
    """A public record with these vegetables and cards."""
    view = new_record(layout().public)
    view.cards = record
    view.n_players = len(counts)
    view["tableau"]["counts"][: len(counts)] = counts
    return view


def test_all_scored_tables_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("salad_sim.game.scoring.facts", official_facts)  # made anew at each call it takes half a minute
    cases = np.load(CASES)
    for n_players, counts, expected in zip(cases["n_players"], cases["counts"], cases["scores"], strict=True):
        assert card_values(counts[:n_players]).tolist() == expected.tolist(), counts[:n_players]
    assert len(cases["n_players"]) == 3000


@settings(STEADY, max_examples=150)
@given(COUNTS, RULES, st.integers(0, MAX_PLAYERS - 1))
@example([[1000] * 6] * 6, Rules(), 0)
@example([[0] * 6], Rules(), 0)
@example([[0] * 6] * 6, Rules(zero="odd", sets="once"), 5)
def test_every_card_is_worth_what_the_twin_says(counts: list[list[int]], rules: Rules, any_seat: int) -> None:
    seat, naive = any_seat % len(counts), NaiveRules(zero=rules.zero, sets=rules.sets)
    values = np.zeros(len(CARDS), dtype=np.int64)
    kernels.values_of_all(view_of(counts, official_facts(rules)), seat, values)
    assert values.tolist() == [card_value(card, naive_tables(counts), seat, naive) for card in CARDS]


@settings(STEADY, max_examples=150)
@given(COUNTS, RULES, st.integers(0, MAX_PLAYERS - 1), custom_cards())
def test_cards_of_other_kinds_are_worth_what_the_twin_says(
    counts: list[list[int]], rules: Rules, any_seat: int, cards: list[CustomCard]
) -> None:
    seat, naive = any_seat % len(counts), NaiveRules(zero=rules.zero, sets=rules.sets)
    view = view_of(counts, facts_of(cards, rules))
    tables = naive_tables(counts)
    for number, card in enumerate(cards):
        mine = view.tableau[seat]
        assert kernels.card_value(view, seat, mine, number) == card_value(card.naive(), tables, seat, naive), card


@settings(STEADY, max_examples=100)
@given(COUNTS, st.integers(0, MAX_PLAYERS - 1), st.data())
def test_what_if_the_seat_had_other_vegetables(counts: list[list[int]], any_seat: int, data: st.DataObject) -> None:
    """``mine`` counts for the seat, whatever lies in front of it; the others' vegetables stay theirs."""
    seat = any_seat % len(counts)
    view, mine = view_of(counts, official_facts()), new_record(layout().tableau)
    mine.counts[:] = data.draw(st.lists(NUMBERS, min_size=6, max_size=6))
    tables = naive_tables([*counts[:seat], mine.counts.tolist(), *counts[seat + 1 :]])
    for card in CARDS:
        assert kernels.card_value(view, seat, mine, card["id"]) == card_value(card, tables, seat), card


@settings(STEADY, max_examples=100)
@given(COUNTS, st.lists(st.integers(0, 107), unique=True, max_size=40), st.integers(0, MAX_PLAYERS - 1))
def test_a_hand_scores_the_sum_of_its_cards(counts: list[list[int]], held: list[int], any_seat: int) -> None:
    seat = any_seat % len(counts)
    expected = sum(card_value(CARDS[card], naive_tables(counts), seat) for card in held)
    view = view_of(counts, official_facts())
    view.tableau[seat].n_held = len(held)
    view["tableau"]["held"][seat, : len(held)] = held
    assert kernels.hand_value(view, seat) == expected
    assert score(counts, held, seat) == expected


def test_what_comes_back() -> None:
    values = card_values([[0, 2, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]])
    assert values.dtype == np.int64
    assert values.shape == (108,)
    assert (values[0], values[1], values[2], values[3], values[12]) == (25, 7, 10, 0, 5)
    assert values[1:3].sum() == score([[0, 2, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]], [1, 2])
    assert type(score([[0] * 6], [])) is int


def test_arrays_of_any_integer_type_serve() -> None:
    for dtype in (np.uint8, np.int16, np.int64):
        counts = np.array([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 5, 8]], dtype=dtype)
        seat: Any = np.int64(1)
        assert card_values(counts, seat).tolist() == card_values(counts.tolist(), 1).tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0] * 6,), r"counts must have shape \[n_players 1..6, 6\], not \[6\]"),
        (([[0] * 5],), r"not \[1, 5\]"),
        (([[0] * 6] * 7,), r"not \[7, 6\]"),
        ((np.zeros((0, 6), dtype=int),), r"not \[0, 6\]"),
        (([[0.0] * 6],), "counts must be whole numbers, not float64"),
        (([[True] * 6],), "counts must be whole numbers, not bool"),
        (([["1"] * 6],), "counts must be whole numbers, not <U1"),
        (([[0, 0, -1, 0, 0, 0]],), "counts must be 0..1000, not -1..0"),
        (([[0, 0, 1001, 0, 0, 0]],), "counts must be 0..1000, not 0..1001"),
        (([[0] * 6] * 2, 2), "seat must be 0..1, not 2"),
        (([[0] * 6] * 2, -1), "seat must be 0..1, not -1"),
        (([[0] * 6] * 2, True), "seat must be 0..1, not True"),
        (([[0] * 6] * 2, 1.0), "seat must be 0..1, not 1.0"),
    ],
)
def test_bad_tables_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        card_values(*arguments)


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ([108], "held must be card ids 0..107, not 108"),
        ([-1], "held must be card ids 0..107, not -1"),
        ([1.0], "held must be card ids 0..107, not 1.0"),
        ([True], "held must be card ids 0..107, not True"),
        ([5, 3, 5], r"held must not name a card twice: \[3, 5, 5\]"),
    ],
)
def test_bad_hands_are_refused(held: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        score([[0] * 6], held)
