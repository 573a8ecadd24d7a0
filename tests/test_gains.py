"""What vegetables would add to a hand, worked out at once, against scoring the hand again and again."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import SEED, STEADY, CustomCard, Table, custom_cards, facts_of, official_facts

from salad_sim.game.cards import MOST, SET
from salad_sim.game.engine import flip_card, hold
from salad_sim.game.marginal_value import (
    add_to_hand,
    clear_sums,
    gain_vegetable,
    hand_gains,
    read_hand,
    step_gains_of_card,
    sum_gains,
    take_from_hand,
    value_in_hand,
)
from salad_sim.game.rules import CHOICES, Rules
from salad_sim.game.scoring import card_value, hand_value
from salad_sim.game.state import MAX_PLAYERS, N_VEGETABLES, layout
from salad_sim.jit.records import new_record

MOST_OF_ONE = 18
"""Vegetables of one kind in the tests; like `set_up`, they let strategies ask about up to two more."""

VEGS = range(N_VEGETABLES)
NUMBERS = st.one_of(st.integers(0, 4), st.integers(0, MOST_OF_ONE))
COUNTS = st.lists(st.lists(NUMBERS, min_size=6, max_size=6), min_size=2, max_size=MAX_PLAYERS)
RULES = st.builds(Rules, zero=st.sampled_from(CHOICES["zero"]), sets=st.sampled_from(CHOICES["sets"]))
SEATS = st.integers(0, MAX_PLAYERS - 1)
HELD = st.lists(st.integers(0, 107), unique=True, max_size=30)

Gains = tuple[list[int], list[list[int]]]


def view_of(counts: list[list[int]], record: np.record, seat: int, held: list[int]) -> np.record:
    """A public record with these vegetables and cards, and a hand in front of one seat."""
    view = new_record(layout().public)
    view.cards = record
    view.cards.n_counts = MOST_OF_ONE + 3
    view.n_players = len(counts)
    view["tableau"]["counts"][: len(counts)] = counts
    view.tableau[seat].n_held = len(held)
    view["tableau"]["held"][seat, : len(held)] = held
    return view


def new_hand() -> np.record:
    """A hand record as a strategy finds it in ``own`` before its first game."""
    hand: np.record = new_record(layout().own).hand
    return hand


def gains_by_trying(view: np.record, seat: int) -> Gains:
    """Gains of one and two vegetables more, by laying them in front of the seat and scoring it."""
    counts = view["tableau"]["counts"][seat]
    before = hand_value(view, seat)
    one, two = [], []
    for veg in VEGS:
        counts[veg] += 1
        one.append(hand_value(view, seat) - before)
        row = []
        for other in VEGS:
            counts[other] += 1
            row.append(hand_value(view, seat) - before)
            counts[other] -= 1
        two.append(row)
        counts[veg] -= 1
    return one, two


def gains_in_hand(hand: np.record) -> Gains:
    """Gains of one and two vegetables more, as a strategy reads them from the hand record."""
    plus_one, together = hand.plus_one.astype(int), hand.together.astype(int)
    return plus_one.tolist(), (plus_one[:, None] + plus_one[None, :] + together).tolist()


def check_hand(view: np.record, seat: int, cards: int) -> None:
    """Compare everything a hand record tells with scoring, for any of the first ``cards`` cards."""
    hand = new_hand()
    read_hand(view, seat, hand)
    hand_gains(view, seat, hand)
    assert gains_in_hand(hand) == gains_by_trying(view, seat)
    mine = new_record(layout().tableau)
    for more in ([], [0], [3, 3], [1, 5]):
        mine.counts[:] = view["tableau"]["counts"][seat]
        for veg in more:
            mine.counts[veg] += 1
        hand.counts[:N_VEGETABLES] = mine.counts
        for card in range(cards):
            assert value_in_hand(view, seat, hand, card) == card_value(view, seat, mine, card), (card, more)


@settings(STEADY, max_examples=200)
@given(COUNTS, RULES, SEATS, HELD)
def test_gains_of_the_cards_of_the_game(counts: list[list[int]], rules: Rules, any_seat: int, held: list[int]) -> None:
    seat = any_seat % len(counts)
    check_hand(view_of(counts, official_facts(rules), seat, held), seat, 108)


@settings(STEADY, max_examples=150)
@given(COUNTS, RULES, SEATS, st.data())
def test_gains_of_cards_of_other_kinds(
    counts: list[list[int]], rules: Rules, any_seat: int, data: st.DataObject
) -> None:
    seat = any_seat % len(counts)
    cards = data.draw(custom_cards())
    held = data.draw(st.lists(st.integers(0, len(cards) - 1), unique=True))
    check_hand(view_of(counts, facts_of(cards, rules), seat, held), seat, len(cards))


def test_gains_are_not_all_zero() -> None:
    """The comparisons above would be vain if they were."""
    chance = random.Random(SEED)
    n_seen = 0
    for _ in range(20):
        counts = [[chance.randrange(6) for _ in VEGS] for _ in range(3)]
        one, two = gains_by_trying(view_of(counts, official_facts(), 1, chance.sample(range(108), 10)), 1)
        n_seen += sum(two[veg][other] != one[veg] + one[other] for veg in VEGS for other in VEGS)
    assert n_seen > 50


# --------------------------------------------------------------------------------------- changes on the way


def check_draft(view: np.record, seat: int, held: list[int], data: st.DataObject) -> None:
    """Draft as greedy does, a point card or one or two vegetables, and compare the gains with scoring."""
    view.tableau[seat].n_held = len(held) - 1
    hand = new_hand()
    read_hand(view, seat, hand)
    hand_gains(view, seat, hand)
    if data.draw(st.booleans()):
        add_to_hand(view.cards, held[-1], hand)
        step_gains_of_card(view.cards, held[-1], hand)
        hold(view, seat, held[-1])
    else:
        for veg in data.draw(st.lists(st.integers(0, N_VEGETABLES - 1), min_size=1, max_size=2)):
            gain_vegetable(hand, veg)
            view["tableau"]["counts"][seat, veg] += 1
    sum_gains(view, seat, hand)
    assert gains_in_hand(hand) == gains_by_trying(view, seat)


@settings(STEADY, max_examples=150)
@given(COUNTS, RULES, SEATS, HELD, st.integers(0, 107), st.data())
def test_a_draft_brings_the_gains_up_to_date(
    counts: list[list[int]], rules: Rules, any_seat: int, held: list[int], card: int, data: st.DataObject
) -> None:
    seat = any_seat % len(counts)
    held = [each for each in held if each != card] + [card]
    counts[seat] = [min(number, MOST_OF_ONE - 2) for number in counts[seat]]
    check_draft(view_of(counts, official_facts(rules), seat, held), seat, held, data)


@settings(STEADY, max_examples=150)
@given(COUNTS, RULES, SEATS, custom_cards(6), st.data())
def test_a_draft_of_a_card_of_another_kind_does_too(
    counts: list[list[int]], rules: Rules, any_seat: int, cards: list[CustomCard], data: st.DataObject
) -> None:
    seat, held = any_seat % len(counts), list(range(len(cards)))
    counts[seat] = [min(number, MOST_OF_ONE - 2) for number in counts[seat]]
    check_draft(view_of(counts, facts_of(cards, rules), seat, held), seat, held, data)


SUMS = ("linear", "most", "fewest", "most_total", "fewest_total", "counts", "most_others", "fewest_others")


def sums_of(hand: np.record) -> dict[str, object]:
    """What a hand record holds of its cards, in a form that can be compared."""
    sums: dict[str, object] = {name: np.asarray(hand[name]).tolist() for name in SUMS}
    sums["curve"] = hand.curve[:, : MOST_OF_ONE + 3].tolist()
    sums["sets"] = sorted(hand.sets[: hand.n_sets].tolist())
    sums["held"] = hand.held[: hand.n_held].tolist()
    return sums


@settings(STEADY, max_examples=100)
@given(custom_cards(8), RULES, st.booleans(), st.data())
def test_cards_that_come_and_go_leave_the_sums_of_those_that_stay(
    cards: list[CustomCard], rules: Rules, is_custom: bool, data: st.DataObject
) -> None:
    """The hand record of a strategy goes along with the tableau that the engine keeps, card by card in its order."""
    record = facts_of(cards, rules) if is_custom else official_facts(rules)
    view = view_of([[1, 2, 3, 4, 5, 6], [0] * 6], record, 1, [])
    kept = new_hand()
    read_hand(view, 1, kept)
    inside: list[int] = []
    for card in data.draw(st.lists(st.integers(0, int(record.n_cards) - 1), min_size=1, max_size=30)):
        if card in inside:
            inside.remove(card)
            flip_card(view, 1, card)
            take_from_hand(view.cards, card, kept)
        else:
            inside.append(card)
            hold(view, 1, card)
            add_to_hand(view.cards, card, kept)
    read_hand(view, 1, kept)
    fresh = new_hand()
    clear_sums(view.cards, fresh)
    read_hand(view, 1, fresh)
    assert sums_of(kept) == sums_of(fresh)


def test_a_hand_record_of_another_game_is_read_anew() -> None:
    view = view_of([[2] * 6, [3] * 6], official_facts(), 0, [5, 17, 40])
    used, fresh = new_hand(), new_hand()
    for other in ([40, 17, 5], [5, 17], [5, 17, 41], list(range(18)), []):
        read_hand(view_of([[1] * 6, [0] * 6], official_facts(), 0, other), 0, used)
        read_hand(view, 0, used)
        read_hand(view, 0, fresh)
        assert sums_of(used) == sums_of(fresh), other


def test_a_hand_record_that_is_up_to_date_is_not_worked_out_again() -> None:
    """That is what it is for; the mark would be gone if it were."""
    view, hand = view_of([[2] * 6, [3] * 6], official_facts(), 0, [5, 17, 40]), new_hand()
    read_hand(view, 0, hand)
    hand.linear[0] = 1000
    read_hand(view, 0, hand)
    assert hand.linear[0] == 1000


@pytest.mark.parametrize("n_players", range(2, MAX_PLAYERS + 1))
def test_others_are_all_but_the_seat_itself(n_players: int) -> None:
    chance = random.Random(SEED)
    for _ in range(20):
        counts = [[chance.randrange(9) for _ in VEGS] for _ in range(n_players)]
        for seat in range(n_players):
            view, hand = view_of(counts, official_facts(), seat, []), new_hand()
            read_hand(view, seat, hand)
            others = [row for other, row in enumerate(counts) if other != seat]
            assert hand.counts[:6].tolist() == counts[seat]
            assert hand.most_others[:6].tolist() == [max(column) for column in zip(*others, strict=True)]
            assert hand.fewest_others[:6].tolist() == [min(column) for column in zip(*others, strict=True)]


def test_a_table_leaves_room_for_two_more_than_anybody_can_own() -> None:
    for n_players in range(2, MAX_PLAYERS + 1):
        assert Table(n_players).view.cards.n_counts == 3 * n_players + 3
    assert {MOST, SET} <= set(official_facts().kind.tolist())
