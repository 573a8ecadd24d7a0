"""Whole games beside the naive twin: the same deal and the same moves lead to the same table after every turn."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from salad_sim.game.engine import LEGAL, turns_of, why_illegal
from salad_sim.game.rules import CHOICES, OFFICIAL, Rules
from support.playing import PLAYERS, SEED, Arbitrary, Mover, Player, Table, any_rules, play_beside_twin
from support.reference.game import NaiveGame

N_GAMES = 21
"""Games for each number of players and each way to choose moves; every third by the official rules."""

SPLITS = [
    Rules(vegetables=vegetables, split=split, split_tie=split_tie)
    for vegetables in CHOICES["vegetables"]
    for split in CHOICES["split"]
    for split_tie in CHOICES["split_tie"]
]
"""All rules that change how cards move."""


def movers(number: int) -> dict[str, Mover]:
    return {"random": Player("random", SEED + number), "greedy": Player("greedy"), "arbitrary": Arbitrary(number)}


def play(table: Table, seed: int, mover: Mover) -> NaiveGame:
    """Play a whole game beside the twin; every move must be legal to both."""

    def ask(table: Table, twin: NaiveGame) -> int:
        move = mover(table, twin)
        assert why_illegal(table.view, move) == LEGAL
        return move

    *_, (_, twin) = play_beside_twin(table, seed, ask)
    return twin


def check_result(table: Table, twin: NaiveGame, chance: random.Random) -> None:
    """Compare scores, turns, and the win under every tie-break: as it came, and with seats made equal by a bonus."""
    assert table.scores() == twin.scores()
    turns = [turns_of(table.view, seat) for seat in range(table.n_players)]
    assert turns == [len(range(place, twin.turn, table.n_players)) for place in turn_order(table)]
    scores = twin.scores()
    tied = chance.sample(range(table.n_players), chance.randrange(2, table.n_players + 1))
    for bonus in ([0] * table.n_players, [max(scores) - scores[seat] if seat in tied else -1 for seat in range(6)]):
        twin.bonus = bonus[: table.n_players]
        table.view.bonus[: table.n_players] = twin.bonus
        assert table.scores() == twin.scores()
        for tie_break in CHOICES["tie_break"]:
            shares, n_top = table.shares(tie_break)
            assert shares == twin.shares(replace(twin.rules, tie_break=tie_break)), tie_break
            assert n_top == twin.scores().count(max(twin.scores()))


def turn_order(table: Table) -> list[int]:
    """When each seat moves in a round, the start player first."""
    return [(seat - table.start) % table.n_players for seat in range(table.n_players)]


@pytest.mark.parametrize("mover", movers(0))
@pytest.mark.parametrize("n_players", PLAYERS)
def test_whole_games_by_any_rules(n_players: int, mover: str) -> None:
    for number in range(N_GAMES):
        chance = random.Random(f"{SEED} {n_players} {mover} {number}")
        rules = OFFICIAL if number % 3 == 0 else any_rules(chance)
        table = Table(n_players, rules, start=0 if number % 2 == 0 else chance.randrange(n_players))
        twin = play(table, SEED + number, movers(number)[mover])
        check_result(table, twin, chance)
        assert sum(table.counts.sum(axis=1)) + sum(table.n_held) == 18 * n_players


@pytest.mark.parametrize("rules", SPLITS, ids=lambda rules: f"{rules.vegetables}, {rules.split}, {rules.split_tie}")
def test_whole_games_by_every_way_to_replace_a_pile(rules: Rules) -> None:
    for number in range(5):
        table = Table(2 + number, rules)
        play(table, SEED, Arbitrary(f"{rules} {number}"))


@pytest.mark.parametrize("n_players", PLAYERS)
def test_whole_games_with_decks_of_any_size(n_players: int) -> None:
    """From a single card: markets that never fill, piles that are empty at the start, seats that never move."""
    n_unfilled = 0
    for number in range(60):
        chance = random.Random(f"{SEED} {n_players} {number}")
        drawn = [chance.randrange(4) for _ in range(6)]
        drawn[chance.randrange(6)] += 1
        table = Table(n_players, any_rules(chance), chance.randrange(n_players), drawn)
        twin = play(table, SEED + number, movers(number)[chance.choice(["random", "greedy", "arbitrary"])])
        check_result(table, twin, chance)
        assert table.n_cards == sum(drawn)
        n_unfilled += sum(drawn) < 6
    assert n_unfilled >= 2


@pytest.mark.parametrize("n_players", PLAYERS)
def test_more_players_or_fewer_than_the_deck_is_meant_for(n_players: int) -> None:
    for n_cards in (36, 54, 108):
        table = Table(n_players, drawn=[n_cards // 6] * 6)
        play(table, SEED, Arbitrary(n_cards))


def test_games_end_in_mid_round_and_last_turn_then_differs_from_later() -> None:
    table, mover = Table(4), Player("random")
    seen: Counter[bool] = Counter()
    for number in range(20):
        *_, (_, twin) = play_beside_twin(table, SEED, mover, number)
        scores = twin.scores()
        table.view.bonus[:4] = [max(scores) - score for score in scores]
        in_mid_round = twin.turn % 4 != 0
        assert (table.shares("last-turn") != table.shares("later")) == in_mid_round
        table.view.bonus[:4] = 0
        seen[in_mid_round] += 1
    assert min(seen[True], seen[False]) > 0
