"""The strategy `rollout` beside its plain twin, and what must hold of it whatever it finds."""

from __future__ import annotations

from math import ceil, log2
from typing import Any

import pytest

from salad_sim import simulate
from salad_sim.game.rules import Rules
from salad_sim.strategy.registry import load_strategy
from salad_sim.tools.compliance import check_strategy
from salad_sim_strategies.rollout import OBJECTIVES, POLICIES
from support.card_sets import any_set
from support.mixes import BUILT_IN, RULE_MIXES
from support.playing import SEED, Player, Position, Table, play_beside_twin, stream
from support.positions import mixed
from support.reference.game import NaiveGame
from support.reference.rollout import Arm, NaiveRollout

Settings = dict[str, Any]


def spec(settings: Settings) -> str:
    return f"rollout({', '.join(f'{name}={value}' for name, value in settings.items())})"


class Rollout:
    """The kernel and its twin with the same parameters."""

    def __init__(self, **settings: Any) -> None:
        strategy = load_strategy(spec(settings))
        self.player = Player(spec(settings))
        self.twin = NaiveRollout(BUILT_IN, **strategy.settings)
        self.n_arms: list[int] = []

    def arms(self, n_arms: int) -> list[Arm]:
        """What the kernel has noted of its candidates, the chosen one first."""
        noted = self.player.memory.arms[:n_arms]
        return [Arm(int(arm.move), float(arm.prior), int(arm.visits), float(arm.total)) for arm in noted]

    def __call__(self, position: Position) -> int:
        """Let both choose with the same random numbers and compare all that they have found."""
        table, game = position
        self.player.rng = stream(SEED, table.turn)
        rng = self.player.rng.copy()
        move = self.player(table)
        expected = self.twin.choose(table, game, rng)
        found = {arm.move: arm for arm in self.arms(len(expected))}
        assert move == expected[0].move
        assert found.keys() == {arm.move for arm in expected}
        for arm in expected:
            assert found[arm.move].visits == arm.visits
            played, expected_of_games = found[arm.move].total, arm.total - self.twin.trust * arm.prior
            assert played - self.twin.trust * found[arm.move].prior == pytest.approx(expected_of_games, abs=1e-9)
            assert found[arm.move].prior == pytest.approx(arm.prior, abs=2e-3)  # flips by points kept to 1/1024
        assert self.player.rng == rng
        self.n_arms.append(len(expected))
        return move


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("policy", POLICIES)
def test_whole_games_beside_the_twin(policy: str, objective: str) -> None:
    """Both choose at every other turn of a game; good and odd moves lie between."""
    number = POLICIES.index(policy) * len(OBJECTIVES) + OBJECTIVES.index(objective)
    rules, width = list(RULE_MIXES.values())[number % len(RULE_MIXES)], (2, 5, 8)[number % 3]
    rollout = Rollout(n=1 + number % 3, policy=policy, objective=objective, width=width, mix=0.05)
    others = mixed(number)

    def ask(table: Table, game: NaiveGame) -> int:
        return rollout(Position(table, game)) if game.turn % 2 == 0 else others(table, game)

    *_, (_, game) = play_beside_twin(Table(2 + number % 5, rules), SEED, ask, number)
    assert max(rollout.n_arms) == width
    assert len(rollout.n_arms) == (game.turn + 1) // 2


@pytest.mark.parametrize("mix", RULE_MIXES)
def test_wide_and_long_beside_the_twin(mix: str) -> None:
    """All candidates there are, and a budget that does not divide."""
    rollout, rules = Rollout(n=3, width=64, policy="random"), RULE_MIXES[mix]
    for table, game in play_beside_twin(Table(3, rules), SEED, Player("greedy")):
        if table.turn % 9 == 7 and not game.over:
            rollout(Position(table, game))
    assert max(rollout.n_arms) > (18 if rules.flip == "never" else 36) - 1


# ------------------------------------------------------------------------------------- what must hold


def visits(player: Player, width: int) -> list[int]:
    """How often each candidate was played out, the chosen one first."""
    return player.memory["arms"]["visits"][:width].tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(("n", "width"), [(1, 2), (5, 2), (1, 12), (4, 12), (40, 12), (7, 5), (33, 8)])
def test_the_budget_is_spent_by_halving(n: int, width: int) -> None:
    """As many games as candidates times n, but for what does not divide, and one at least for each that is left."""
    table, player = Table(3), Player(spec({"n": n, "width": width, "policy": "random"}))
    table.deal(SEED)
    player(table)
    played = sorted(visits(player, width), reverse=True)
    n_left, expected = width, [0] * width
    while n_left > 1:
        n_worlds = max(1, n * width // (ceil(log2(width)) * n_left))
        expected = [number + n_worlds * (place < n_left) for place, number in enumerate(expected)]
        n_left = (n_left + 1) // 2
    assert played == expected
    assert visits(player, width)[0] == played[0]
    if n >= log2(width):
        assert 0.8 * n * width <= sum(played) <= n * width


def test_where_there_is_one_move_nothing_is_played_out() -> None:
    table, player = Table(2, Rules(flip="never")), Player("rollout(n=2)")
    n_found = 0
    for _ in play_beside_twin(table, SEED, Player("greedy")):
        before = player.rng.copy()
        if table.n_left and table.n_market + max(table.view.pile_size) <= 2 and table.n_market == table.n_left:
            player(table)
            assert player.rng == before
            n_found += 1
    assert n_found == 1


def test_the_same_numbers_choose_the_same_and_others_other_tables() -> None:
    table, player = Table(4), Player("rollout(n=3, objective=margin)")
    table.deal(SEED)
    totals = []
    for seed in (1, 2, 1):
        player.rng = stream(seed)
        move = player(table)
        totals.append((move, player.memory["arms"]["total"][:12].tolist()))
    assert totals[0] == totals[2] != totals[1]


def test_it_keeps_the_contract_with_other_settings_too(few_line_ups: None) -> None:
    report = check_strategy(spec({"n": 1, "width": 64, "policy": "random", "objective": "win"}), games=1)
    assert report.passed, "\n".join(report.lines())


@pytest.mark.parametrize("policy", POLICIES)
def test_matches_of_rounds_and_cards_of_any_kind(policy: str) -> None:
    name = spec({"n": 1, "width": 3, "policy": policy})
    matches = simulate(games=2, players=2, strategies=[name, "random"], rules=Rules(rounds=3))
    assert matches.games == 2
    cards = any_set("rollout", 36)
    rules = Rules(of_each="4", vegetables="up-to-two")
    others = simulate(games=2, players=3, strategies=name, cards=cards, rules=rules)
    assert others.games == 2
