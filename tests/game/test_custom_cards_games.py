"""Whole games with cards that do not exist: beside the twin, turn by turn, and as a run counts them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from salad_sim import simulate
from salad_sim.game.card_kinds import VEGETABLES
from salad_sim.game.cards import CardSet, facts
from salad_sim.game.deck_check import capacity_for, numbers_drawn
from salad_sim.game.moves import N_PILES, NO_FLIP, draft_of, flip_of
from salad_sim.game.rules import Rules
from salad_sim.game.state import MAX_PLAYERS, layout
from salad_sim.run.driver import Session, play_plan
from salad_sim.run.executors import Shard
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.studies.simulate.result import as_result
from support import playing
from support.card_sets import any_set, twin_cards
from support.playing import Arbitrary, Mover, Player, Table, draft_in_words, play_beside_twin
from support.reference.game import NaiveGame, NaiveRules, card_value


@pytest.fixture
def table_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Table]:
    """A function that makes a table for custom cards, whose twin plays with the same ones."""

    def make(cards: CardSet, n_players: int, rules: Rules, start: int = 0) -> Table:
        drawn = numbers_drawn(cards, rules, n_players)
        capacity = capacity_for(cards, drawn)
        monkeypatch.setattr(playing, "CARDS", twin_cards(cards, tmp_path))
        monkeypatch.setattr(playing, "layout", lambda: layout(capacity))
        monkeypatch.setattr(playing, "official_facts", lambda rules: facts(cards, rules, capacity))
        return Table(n_players, rules, start, drawn)

    return make


def play_and_compare(table: Table, seed: int, ask: Mover) -> int:
    """Play a game beside the twin, comparing state and scores before each turn and at the end; return its turns."""
    for played, twin in play_beside_twin(table, seed, ask):
        assert played.scores() == twin.scores(), played.turn
    for tie_break in ("later", "fewer-cards", "shared"):
        shares, _ = table.shares(tie_break)
        assert shares == twin.shares(NaiveRules(**{**vars(twin.rules), "tie_break": tie_break}))
    return table.turn


@pytest.mark.parametrize("n_players", range(2, MAX_PLAYERS + 1))
@pytest.mark.parametrize("seed", range(3))
def test_whole_games_state_by_state(table_of: Callable[..., Table], n_players: int, seed: int) -> None:
    chance = random.Random(f"games {seed} {n_players}")
    of_each = ",".join(str(chance.randint(2, 6)) for _ in VEGETABLES)
    rules = playing.any_rules(chance)
    rules = Rules(**{**rules.as_dict(), "of_each": of_each})
    table = table_of(any_set(f"cards {seed} {n_players}", 36), n_players, rules, chance.randrange(n_players))
    assert play_and_compare(table, seed, Arbitrary(seed)) >= sum(map(int, of_each.split(","))) / 2


def test_a_fixed_deck(table_of: Callable[..., Table]) -> None:
    table = table_of(any_set("fixed", 40), 3, Rules(deck="1-9,20-39"))
    assert play_and_compare(table, 5, Arbitrary(5)) > 10
    dealt = {card for card, place in table.where().items() if place != "out"}
    assert dealt == {*range(1, 10), *range(20, 40)}


def after_draft(twin: NaiveGame, draft: Any) -> tuple[list[int], list[str]]:
    """The point cards of the seat to move after a draft, and the vegetables that it gains."""
    hand = list(twin.hands[twin.seat])
    if draft[0] == "pile":
        return [*hand, twin.piles[draft[1]][-1]], []
    taken = [twin.market[slot] for slot in draft[1]]
    return hand, [twin.cards[card]["back"] for card in taken if card is not None]


def score_with(twin: NaiveGame, hand: list[int], gained: list[str]) -> int:
    tables = twin.tables()
    for veg in gained:
        tables[twin.seat][veg] += 1
    return sum(card_value(twin.cards[card], tables, twin.seat, twin.rules) for card in hand)


def check_greed(twin: NaiveGame, move: int) -> None:
    """See that a move is greedy: no draft scores more at once, then no flip does."""
    draft, flip = draft_in_words(draft_of(move)), flip_of(move)
    hand, gained = after_draft(twin, draft)
    now = score_with(twin, hand, gained)
    assert now == max(score_with(twin, *after_draft(twin, other)) for other in twin.legal_drafts())
    flips = {
        card: score_with(twin, [each for each in hand if each != card], [*gained, twin.cards[card]["back"]])
        for card in hand
    }
    assert max([now, *flips.values()]) == (now if flip == NO_FLIP else flips[flip])
    assert flip == NO_FLIP or flips[flip] > now


def test_greedy_is_greedy_with_any_cards(table_of: Callable[..., Table]) -> None:
    greedy = Player("greedy")
    made: Counter[str] = Counter()

    def ask(table: Table, twin: NaiveGame) -> int:
        move = greedy(table, twin)
        check_greed(twin, move)
        made.update(["flips"] * (flip_of(move) != NO_FLIP) + ["cards"] * (draft_of(move) < N_PILES))
        return move

    for seed, n_players in enumerate([2, 2, 3, 3, 5, 5]):
        table = table_of(any_set(f"greedy {seed}", 48), n_players, Rules(of_each="8"))
        play_and_compare(table, seed, ask)
    assert made["flips"] > 5 and made["cards"] > 50


def test_a_run_counts_what_the_twin_scores(tmp_path: Path) -> None:
    cards = any_set("run", 36)
    plan = plan_run(40, 2, ["greedy", "random"], seed=3, cards=cards)
    twins = twin_cards(cards, tmp_path)
    player = ShardPlayer(plan, prepare(plan))
    totals = np.zeros(2, dtype=int)
    for deal in range(plan.n_deals):
        player(Shard(deal, 1))
        view = player.work.table.public
        tables = [dict(zip(VEGETABLES, row, strict=True)) for row in view.tableau["counts"][:2].tolist()]
        for seat in range(2):
            held = view.tableau[seat].held[: view.tableau[seat].n_held].tolist()
            expected = sum(card_value(twins[card], tables, seat) for card in held)
            assert player.work.scores[seat] == expected
            totals[seat] += expected
    result = as_result(plan, play_plan(plan, Session(1)))
    assert [row["mean_score"] for row in result.seat_rows] == (totals / plan.n_deals).tolist()


@pytest.mark.slow
def test_three_hundred_cards(table_of: Callable[..., Table]) -> None:
    """They need larger records, for which the engine is compiled anew."""
    cards = any_set("many", 100, copies=3)
    assert len(cards) == 300
    rules = Rules(of_each="40")
    table = table_of(cards, 4, rules)
    assert play_and_compare(table, 0, Arbitrary(1)) > 120
    greedy = Player("greedy")

    def ask(table: Table, twin: NaiveGame) -> int:
        move = greedy(table, twin)
        if table.turn % 7 == 0:
            check_greed(twin, move)
        return move

    assert play_and_compare(table, 1, ask) > 120
    result = simulate(200, 4, ["greedy", "random", "random", "random"], rules=rules, cards=cards)
    assert result.seat_rows[0]["win_share"] > 0.5
