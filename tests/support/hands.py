"""Hands that strategies look at: what vegetables would add to them, against scoring them again and again."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from salad_sim.game.engine import hold
from salad_sim.game.marginal_value import (
    add_to_hand,
    gain_vegetable,
    hand_gains,
    read_hand,
    step_gains_of_card,
    sum_gains,
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
