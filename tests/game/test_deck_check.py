"""What a set of cards must have and may be worth: decks, room in the records, most cards, most points, most games."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salad_sim import InputError
from salad_sim.game.card_file import card_file_lines, parse_card_file
from salad_sim.game.card_kinds import MOST_POINTS, VEGETABLES
from salad_sim.game.cards import MOST_TERMS, official_set
from salad_sim.game.deck_check import MOST_WORTH, capacity_for, most_deals, most_owned, most_score
from salad_sim.game.moves import NO_FLIP
from salad_sim.game.rules import Rules
from salad_sim.game.state import CAPACITY, MAX_PLAYERS, layout
from salad_sim.run.executors import Shard
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from support import playing
from support.card_files import Row
from support.card_sets import OTHER_CAPACITY, any_set, card_set
from support.playing import STEADY, Table, play_beside_twin
from support.reference.game import NaiveGame


def test_a_set_that_cannot_serve_the_players_is_refused_with_a_way_out() -> None:
    cards = parse_card_file("# label lettuce = olive\n" + "\n".join(card_file_lines(any_set("few", 40))), "few.csv")
    plan_run(1, 2, cards=cards)
    with pytest.raises(InputError) as caught:
        plan_run(1, 3, cards=cards)
    assert str(caught.value) == (
        "3 players need 9 cards of cabbage (rule of_each=official); the card set has 7. Rule of_each gives other "
        "numbers, as of_each=7,7,7,7,6,6; rule deck names the very cards, as deck=0-39"
    )
    for rules in (Rules(of_each="7,7,7,7,6,6"), Rules(deck="0-39")):
        assert sum(plan_run(1, 3, cards=cards, rules=rules).drawn) == 40
    with pytest.raises(InputError, match="need 8 cards of olive"):
        plan_run(1, 3, cards=cards, rules=Rules(of_each="7,7,8,7,6,6"))


def test_a_card_that_counts_a_vegetable_which_is_not_in_the_deck_is_refused() -> None:
    without = official_set()
    for game, changes in (("point-salad", {"of_each": "6,6,0,6,6,6"}), ("hand-draft", {"deck": "0-35,54-107"})):
        with pytest.raises(InputError) as caught:
            plan_run(1, 2, rules=Rules(**changes), game=game)
        assert str(caught.value) == (
            f"there is no lettuce in the deck, and card 0, {without[0].text!r}, would pay everybody for that: leave "
            "such cards out by rule deck, or let that vegetable play"
        )
    others = [n for n in (*range(36), *range(54, 108)) if without[n].terms[0].kind not in ("missing_type", "fewest")]
    for counts, is_there in ((3, True), (75, False)):  # the fewest carrots, the fewest lettuces
        rules = Rules(deck=",".join(map(str, sorted([*others, counts]))))
        if is_there:
            assert plan_run(1, 2, rules=rules).drawn[2] == 0
        else:
            with pytest.raises(InputError, match="no lettuce in the deck, and card 75, 'fewest lettuce = 7', would"):
                plan_run(1, 2, rules=rules)


def test_the_capacity_has_room_for_terms_for_many_of_one_and_for_sets() -> None:
    linear: Row = {"back": "onion", "kind": "per_veg", "w_carrot": 1}
    assert capacity_for(official_set(), [18] * 6) == CAPACITY
    assert capacity_for(card_set([{**linear, "copies": 28}]), [0, 0, 0, 28, 0, 0]) == CAPACITY
    assert capacity_for(card_set([{**linear, "copies": 29}]), [0, 0, 0, 29, 0, 0]) == OTHER_CAPACITY
    assert capacity_for(card_set([{**linear, "copies": 108}]), [0, 0, 0, 20, 0, 0]) == CAPACITY
    assert capacity_for(card_set([{**linear, "copies": 109}]), [0, 0, 0, 20, 0, 0]) == OTHER_CAPACITY
    more: list[Row] = [{"kind": "per_veg", "w_carrot": points} for points in (2, 3)]
    assert capacity_for(card_set([{**linear, "copies": 36}, *more]), [0, 0, 0, 20, 0, 0]) == CAPACITY
    assert capacity_for(card_set([{**linear, "copies": 37}, *more]), [0, 0, 0, 20, 0, 0]) == OTHER_CAPACITY
    # of 13 cards a seat may hold 7, of 9 cards 5: with 8 and 12 sets on each it holds 56 and 60
    sets: list[Row] = [{"kind": "combo2", "w_carrot": 1, "w_onion": 1, "points": points} for points in range(1, 13)]
    assert layout().own["hand"]["sets"].shape[0] == 56
    eight = card_set([{"back": "onion", "copies": 13, **sets[0]}, *sets[1:8]])
    twelve = card_set([{"back": "onion", "copies": 9, **sets[0]}, *sets[1:]])
    assert capacity_for(eight, [0, 0, 0, 13, 0, 0]) == CAPACITY
    assert capacity_for(twelve, [0, 0, 0, 9, 0, 0]) == OTHER_CAPACITY


def test_no_seat_owns_more_cards_than_is_said() -> None:
    """One seat takes vegetables whenever it can, two at a time, the others one point card each."""
    for n_players in range(2, MAX_PLAYERS + 1):
        table = Table(n_players, Rules())
        for number in range(3):
            *_, (_, twin) = play_beside_twin(table, number, lambda table, twin: greedy_for_cards(twin))
            own = len(twin.hands[0]) + len(twin.vegetable_cards[0])
            assert own <= most_owned(18 * n_players, n_players)
            assert own >= most_owned(18 * n_players, n_players) - 3


def greedy_for_cards(twin: NaiveGame) -> int:
    drafts = sorted(twin.legal_drafts(), key=lambda draft: len(draft[1]) if draft[0] == "market" else 1)
    return playing.make_move(playing.draft_code(drafts[-1] if twin.seat == 0 else drafts[0]), NO_FLIP)


@settings(STEADY, max_examples=30)
@given(st.integers(0, 10**6))
def test_no_seat_scores_more_than_is_said(seed: int) -> None:
    cards = any_set(f"most {seed}", 36)
    plan = plan_run(50, 2, ["greedy", "random"], seed=seed, cards=cards)
    most = most_score(cards, most_owned(36, 2))
    player = ShardPlayer(plan, prepare(plan))
    for deal in range(20):
        player(Shard(deal, 1))
        assert np.abs(player.work.scores).max() <= most


def test_the_bound_for_scores_by_hand() -> None:
    """Six cards of 3 points for each carrot, 12 cards in the deck, two players: a seat owns 8 cards at most."""
    rows: list[Row] = [{"back": veg, "kind": "per_veg", "w_carrot": 3, "copies": 2} for veg in VEGETABLES]
    cards = card_set(rows)
    assert most_owned(12, 2) == 8
    assert most_score(cards, 8) == 4 * 4 * 3 + 1
    fixed = card_set([{"back": veg, "kind": "most_total", "points": -5, "copies": 2} for veg in VEGETABLES])
    assert most_score(fixed, 8) == 8 * 5 + 1


def test_more_games_than_can_be_counted_are_refused() -> None:
    high = card_set([{"back": veg, "kind": "per_veg", "w_carrot": 999, "copies": 6} for veg in VEGETABLES], "high.csv")
    low = card_set([{"back": veg, "kind": "per_veg", "w_carrot": 2, "copies": 6} for veg in VEGETABLES])
    assert plan_run("1e11", 2, cards=low).n_games == 10**11
    assert plan_run("1e6", 2, cards=high).n_games == 10**6
    with pytest.raises(InputError, match=r"games: the scores of 1,000,000,000,000 games with the cards of high\.csv"):
        plan_run("1e12", 2, cards=high)
    limit = most_deals(high, most_owned(36, 2), 2)
    assert plan_run(limit, 2, cards=high).n_games == limit
    with pytest.raises(InputError, match=f"up to {limit:,} games"):
        plan_run(limit + 1, 2, cards=high)
    mixed = ["greedy", "random"]
    assert plan_run(3 * limit, 2, mixed, cards=high).n_games == 3 * limit
    assert plan_run(2 * limit, 2, mixed, cards=high, rotate=True).n_games == 2 * limit
    with pytest.raises(InputError, match=f"up to {2 * limit:,} games"):
        plan_run(2 * limit + 1, 2, mixed, cards=high, rotate=True)
    assert plan_run("1e15", 2).n_games == 10**15


def test_a_card_that_could_be_worth_too_much_is_refused() -> None:
    rows: list[Row] = [{"back": veg, "kind": "per_veg", "w_carrot": 999, "copies": 20} for veg in VEGETABLES]
    with pytest.raises(InputError, match=f"card 0, '999/carrot', could be worth .* {MOST_WORTH:,} are allowed"):
        plan_run(10, 2, cards=card_set(rows), rules=Rules(of_each="20"))


def test_the_largest_set_adds_up_in_32_bits() -> None:
    """The worst that a hand record may be asked to sum up: on each term the most points for each of one vegetable."""
    assert MOST_TERMS * MOST_POINTS * (MOST_TERMS + 2) < 2**31 - 2 * MOST_TERMS * MOST_POINTS
