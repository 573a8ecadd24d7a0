"""Games stepped from outside are the games of the kernels, and PettingZoo's own tests pass."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from salad_sim.errors import InputError
from salad_sim.game.moves import draft_of, flip_of
from salad_sim.game.rules import Rules
from salad_sim.game.scoring import hand_value
from salad_sim.play.stepping import COUNTS, DRAFTS, FIRST_FLIP, PASS, PHASE, PLACES, SLOTS, TOTALS
from salad_sim.run.executors import Shard
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.vector import VectorGames
from support.commands import good
from support.places import ROOT

pytest.importorskip("pettingzoo")

from pettingzoo import make
from pettingzoo import test as theirs

from salad_sim.env import env, raw_env

RULES = [Rules(), Rules(flip="never"), Rules(vegetables="up-to-two"), Rules(rounds=2)]


def steps_of(moves: list[int]) -> list[int]:
    """Each move as two actions."""
    place = {int(draft): action for action, draft in enumerate(DRAFTS)}
    found = []
    for move in moves:
        flip = int(flip_of(move))
        found += [place[int(draft_of(move))], PASS if flip < 0 else FIRST_FLIP + flip]
    return found


@pytest.mark.parametrize(("players", "rules"), list(zip([2, 6, 3, 3], RULES, strict=True)))
def test_games_are_those_of_the_kernels(players: int, rules: Rules) -> None:
    plan = plan_run(1, players, "random", seed=7, rules=rules)
    player = ShardPlayer(plan, prepare(plan))
    tables = VectorGames(2, players, seed=7, rules=rules, reward="score")
    for deal in range(3):
        player(Shard(deal, 1))
        played = player.work.table
        tables.reset(first_deal=deal)
        moves = played.public.history[: played.public.n_moves].tolist()
        *first, last = steps_of(moves)
        for action in first:
            assert tables.masks[0, action] == 1
            tables.step([action, int(np.flatnonzero(tables.masks[1])[0])])
            assert not tables.finished[0]
        stepped = tables.games[0]["table"].copy()
        _, _, rewards, finished = tables.step([last, int(np.flatnonzero(tables.masks[1])[0])])
        assert finished[0] and tables.games[0]["deal"] == deal + 2
        assert rewards[0].tolist() == player.work.scores[:players].tolist()
        assert stepped["public"]["history"][: len(moves) - 1].tolist() == moves[:-1]
        assert stepped["deck"].tobytes() == played.deck.tobytes()


def test_what_a_seat_sees_is_what_lies_there() -> None:
    """Told again by a plain look at the table, on random games, before and after the draft."""
    game = raw_env(players=3)
    game.reset(seed=5)
    generator = np.random.default_rng(5)
    n_flips = 0
    while not any(game.terminations.values()):
        agent = game.agent_selection
        seat = game.possible_agents.index(agent)
        shown = game.observe(agent)
        view = game._view
        seen = shown["observation"]
        if seen[PHASE] == 0:
            for k in range(3):
                other = (seat + k) % 3
                counts = seen[COUNTS + 6 * k : COUNTS + 6 * k + 6].tolist()
                assert counts == view.tableau[other].counts.tolist()
                for card in view.tableau[other].held[: view.tableau[other].n_held]:
                    assert seen[PLACES + card] == 8 + k
                assert seen[TOTALS + k] == hand_value(view, other)
            assert (seen[SLOTS : SLOTS + 6] - 1).tolist() == view.market.tolist()
            before = seen
        else:
            taken = seen[COUNTS : COUNTS + 6].sum() - before[COUNTS : COUNTS + 6].sum()
            held = (seen[PLACES:] == 8).sum() - (before[PLACES:] == 8).sum()
            assert (taken, held) in [(2, 0), (1, 0), (0, 1)]
            # nothing that was covered is open now
            assert (seen[PLACES:][before[PLACES:] == 0] == 0).all()
            assert (shown["action_mask"][FIRST_FLIP:] == (seen[PLACES:] == 8)).all()
        action = int(generator.choice(np.flatnonzero(shown["action_mask"])))
        n_flips += action > PASS
        game.step(action)
    assert n_flips > 3
    assert sum(game.rewards.values()) == pytest.approx(1)


def test_threads_change_nothing() -> None:
    found = []
    for workers in (1, 3):
        tables = VectorGames(7, 2, seed=3, workers=workers)
        tables.reset()
        for _ in range(60):
            tables.step(tables.masks.argmax(axis=1))
        found.append((tables.games.tobytes(), tables.observations.tobytes(), tables.masks.tobytes()))
    assert found[0] == found[1]


def test_an_illegal_action_changes_no_game() -> None:
    tables = VectorGames(2)
    tables.reset()
    before = tables.games.tobytes()
    with pytest.raises(InputError, match=r"game 1: action 24 is not legal now; allowed: \[0, 1, 2, "):
        tables.step([0, PASS])
    with pytest.raises(InputError, match="shape"):
        tables.step([0])
    assert tables.games.tobytes() == before
    with pytest.raises(InputError, match="reward"):
        VectorGames(2, reward="luck")
    with pytest.raises(InputError, match="hand-draft"):
        VectorGames(2, game="hand-draft")


@pytest.mark.filterwarnings("ignore::UserWarning")  # PettingZoo's advice about names of actions and the like
@pytest.mark.parametrize(("players", "reward"), [(2, "win"), (4, "margin"), (6, "score")])
def test_pettingzoo_finds_nothing_to_complain_of(players: int, reward: str) -> None:
    """Its tests of the version that is installed; see docs/learners.md."""
    assert int(version("pettingzoo").split(".")[1]) >= 25
    with contextlib.redirect_stdout(io.StringIO()):
        theirs.api_test(env(players=players, reward=reward), num_cycles=100)
        theirs.seed_test(lambda: env(players=players, reward=reward), num_cycles=30)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoo_renders_saves_and_times() -> None:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        theirs.render_test(lambda render_mode=None: env(render_mode=render_mode))
        theirs.test_save_obs(env())
    assert "point cards" in printed.getvalue()
    made = make("aec", "point_salad_v0", players=3)
    made.reset(seed=1)
    assert made.possible_agents == ["seat_1", "seat_2", "seat_3"]
    assert callable(theirs.performance_benchmark)


def test_cut_off_after_so_many_steps_of_each_agent() -> None:
    game = raw_env(max_cycles=4)
    game.reset(seed=1)
    n_steps = dict.fromkeys(game.possible_agents, 0)
    for agent in game.agent_iter():
        _, _, over, cut, _ = game.last()
        n_steps[agent] += not (over or cut)
        game.step(None if over or cut else int(game.observe(agent)["action_mask"].argmax()))
    assert n_steps == {"seat_1": 4, "seat_2": 4}


@pytest.mark.slow
def test_the_worked_example_learns_to_beat_random(tmp_path: Path) -> None:
    file = tmp_path / "kinds.toml"
    example = ROOT / "docs" / "examples"
    subprocess.run([sys.executable, example / "learn_kinds.py", file, "1500"], check=True, env={**os.environ})
    text = good("match", f"{example / 'kinds.py'}:{file}", "random", "--games", 2000, "--quiet").stdout
    assert "kinds" in text and "is better than random" in text
