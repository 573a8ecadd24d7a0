"""Kernels do the same compiled, compiled with every index checked, and as plain Python."""

import json
from typing import Any

import numpy as np
import pytest

from salad_sim.play.shard import workspace_dtype
from support.processes import run_python
from support.strategy_files import StrategyWriter

PLAY = """
    import json, sys
    import numpy as np
    from salad_sim.run.executors import Shard
    from salad_sim.run.plan import plan_run
    from salad_sim.game.rules import Rules
    from salad_sim.run.runner import ShardPlayer, prepare

    games, template = json.loads(sys.argv[1]), sys.argv[2]
    mixes = [
        {},
        {"vegetables": "up-to-two", "zero": "even", "sets": "complete-once", "split": "draw", "tie_break": "earlier"},
        {"flip": "never", "zero": "odd", "tie_break": "shared"},
        {"vegetables": "up-to-two", "split": "down", "split_tie": "random", "tie_break": "last-turn"},
        {"sets": "once", "split": "draw", "split_tie": "random", "tie_break": "fewer-cards"},
    ]
    with np.errstate(over="ignore"):  # unsigned arithmetic wraps, which plain numpy warns of
        for n_players in range(2, 7):
            for strategies in ("random", "greedy", template, ["greedy", *["random"] * (n_players - 1)]):
                for rules in mixes:
                    plan = plan_run(games, n_players, strategies, seed=11, rules=Rules(**rules))
                    player = ShardPlayer(plan, prepare(plan))
                    for deal in range(games):
                        player(Shard(deal, 1))
                        work, view = player.work, player.work.table.public
                        seats = [work.scores, work.wins, view.tableau["n_held"], view.tableau["n_flipped"]]
                        numbers = [n_players, deal, *view.history[: view.turn], *np.concatenate(seats)]
                        print(*map(int, numbers))
"""

TEMPLATE = """
@strategy("mine", luck=Parameter(0.3, 0.0, 1.0, "chance of taking the first"))
def choose(view, own, rng):
    list_drafts(view, own)
    index = 0 if uniform(rng) < own.params[0] else below(rng, own.n_drafts)
    return make_move(own.drafts[index], NO_FLIP)
"""


def play(games: int, write_strategy: StrategyWriter, **environment: str) -> list[str]:
    """Moves, scores, wins and cards of many small games, one line a game."""
    file = write_strategy("from salad_sim.kit import uniform\n" + TEMPLATE)
    return run_python(PLAY, json.dumps(games), file, timeout=600, **environment).splitlines()


def test_plain_python_plays_the_same_games(write_strategy: StrategyWriter) -> None:
    compiled = play(1, write_strategy)
    assert len(compiled) == 5 * 4 * 5
    assert play(1, write_strategy, NUMBA_DISABLE_JIT="1") == compiled


def field_names(dtype: np.dtype[Any]) -> set[str]:
    """Names of all fields, those of nested records too."""
    fields = (dtype.base.fields or {}).items()
    return {name for name, _ in fields} | {name for _, field in fields for name in field_names(field[0])}


def test_no_field_hides_behind_a_method_of_numpy() -> None:
    """Plain Python would find ``numpy.record.round`` where a kernel finds a field of that name."""
    assert not {name for name in field_names(workspace_dtype(108)) if hasattr(np.record, name)}


@pytest.mark.slow
def test_no_index_is_out_of_bounds(write_strategy: StrategyWriter) -> None:
    assert play(200, write_strategy, NUMBA_BOUNDSCHECK="1") == play(200, write_strategy)


@pytest.mark.slow
def test_bounds_are_checked_indeed(write_strategy: StrategyWriter) -> None:
    wild = '\n@strategy("mine")\ndef choose(view, own, rng):\n    return np.int64(view.history[view.turn + 4000])\n'
    caught = """
        import sys
        from salad_sim.run.executors import Shard
        from salad_sim.errors import SaladError
        from salad_sim.run.plan import plan_run
        from salad_sim.run.runner import ShardPlayer, prepare
        plan = plan_run(1, 2, sys.argv[1])
        try:
            ShardPlayer(plan, prepare(plan))(Shard(0, 1))
        except SaladError as error:
            print(type(error.__cause__).__name__)
    """
    file: Any = write_strategy(wild)
    assert run_python(caught, file, NUMBA_BOUNDSCHECK="1").strip() == "IndexError"
    assert run_python(caught, file).strip() != "IndexError"
