"""What vegetables would add to a hand, worked out at once, against scoring the hand again and again."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salad_sim.game.card_kinds import MOST, SET
from salad_sim.game.engine import flip_card, hold
from salad_sim.game.marginal_value import (
    add_to_hand,
    clear_sums,
    read_hand,
    take_from_hand,
)
from salad_sim.game.rules import Rules
from salad_sim.game.state import MAX_PLAYERS
from support.hands import (
    COUNTS,
    HELD,
    MOST_OF_ONE,
    RULES,
    SEATS,
    VEGS,
    check_draft,
    check_hand,
    gains_by_trying,
    new_hand,
    view_of,
)
from support.playing import SEED, STEADY, CustomCard, Table, custom_cards, facts_of, official_facts


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
