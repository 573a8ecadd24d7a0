"""The figures of an independent C program: win shares, scores, turns and ties of the baselines agree with them.

Each figure may be off by 4.5 standard errors of the difference; with about 200 of them, all that is right passes on
99.9 % of seeds, in the full comparison and in the thinned one alike. The seed is fixed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.run.driver import play_plan
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from support.places import DATA
from support.playing import SEED

YARDSTICK = json.loads((DATA / "yardstick.json").read_text(encoding="utf-8"))
RUNS: list[dict[str, Any]] = YARDSTICK["runs"]
MOST_ERRORS = 4.5
N_SINGLE = 500
"""Games that are looked at one by one, for the standard errors of what tallies hold no squares of."""

BY_RUN = pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run['policy']}-{run['players']}")


class Spread(NamedTuple):
    """How much single games differ."""

    turns: float
    kept: float
    kurtosis: npt.NDArray[np.float64]  # of the scores of each seat: fourth moment by the square of the second


class Figure(NamedTuple):
    """One number by both programs, and the standard error of either in a single game."""

    name: str
    ours: float
    theirs: float
    error: float


def plan_for(run: dict[str, Any], n_games: int, tie_break: str = "later") -> Plan:
    return plan_run(n_games, run["players"], run["policy"], seed=SEED, tie_break=tie_break)


def spread_of(run: dict[str, Any]) -> Spread:
    plan = plan_for(run, N_SINGLE)
    player, n_players = ShardPlayer(plan, prepare(plan)), run["players"]
    turns, kept, scores = [], [], []
    for deal in range(N_SINGLE):
        tally = player(Shard(deal, 1))
        turns.append(int(tally.turns))
        kept.append(tally.kept.sum() / n_players)
        scores.append(tally.score[0, :n_players].copy())
    deviation = np.array(scores) - np.mean(scores, axis=0)
    kurtosis = (deviation**4).mean(axis=0) / (deviation**2).mean(axis=0) ** 2
    return Spread(float(np.std(turns)), float(np.std(kept)), kurtosis)


def win_figures(run: dict[str, Any], tally: np.record, tie_break: str) -> Iterator[Figure]:
    """Win shares; a share of a win varies no more than a whole win of that probability."""
    for seat, theirs in enumerate(run[f"win_{tie_break}"]):
        ours = tally.wins[0, seat] / WHOLE_WIN / tally.games
        yield Figure(f"win share of seat {seat}, {tie_break}", ours, theirs, sqrt(theirs * (1 - theirs)))


def other_figures(run: dict[str, Any], tally: np.record, spread: Spread) -> Iterator[Figure]:
    n_games, n_players = int(tally.games), run["players"]
    for seat in range(n_players):
        mean = tally.score[0, seat] / n_games
        deviation = sqrt(tally.score_squared[0, seat] / n_games - mean**2)
        yield Figure(f"mean score of seat {seat}", mean, run["mean_score"][seat], deviation)
        of_deviation = deviation * sqrt((spread.kurtosis[seat] - 1) / 4)
        yield Figure(f"deviation of the score of seat {seat}", deviation, run["sd_score"][seat], of_deviation)
    ties = run["tie_rate"]
    yield Figure("tie rate", tally.ties / n_games, ties, sqrt(ties * (1 - ties)))
    yield Figure("turns", tally.turns / n_games, run["turns"], spread.turns)
    yield Figure("cards kept", tally.kept.sum() / n_games / n_players, run["held"], spread.kept)


def compare(figures: Iterator[Figure], n_ours: int, n_theirs: int) -> None:
    both = sqrt(1 / n_ours + 1 / n_theirs)
    for name, ours, theirs, error in figures:
        off = (ours - theirs) / (error * both)
        assert abs(off) < MOST_ERRORS, f"{name}: {ours:.5f}, not {theirs:.5f}: off by {off:.1f} standard errors"


def check(run: dict[str, Any], n_games: int) -> None:
    """Compare everything under the official tie-break, and wins of the quick player under two others."""
    tally = play_plan(plan_for(run, n_games)).tally
    compare(win_figures(run, tally, "later"), n_games, run["games"])
    compare(other_figures(run, tally, spread_of(run)), n_games, run["games"])
    for tie_break in ("earlier", "shared") if run["policy"] == "random" else ():
        tally = play_plan(plan_for(run, n_games, tie_break)).tally
        compare(win_figures(run, tally, tie_break), n_games, run["games"])


@BY_RUN
def test_twenty_thousand_games_agree(run: dict[str, Any]) -> None:
    check(run, 20_000)


@pytest.mark.slow
@BY_RUN
def test_four_hundred_thousand_games_agree(run: dict[str, Any]) -> None:
    check(run, 400_000)


def test_the_yardstick_has_all_numbers_of_players() -> None:
    asked = [(policy, n_players) for policy in ("random", "greedy") for n_players in range(2, 7)]
    assert [(run["policy"], run["players"]) for run in RUNS] == asked
    assert {run["games"] for run in RUNS} == {400_000}


def test_a_figure_that_is_off_is_noticed() -> None:
    compare(iter([Figure("right", 0.5, 0.505, 0.5)]), 100_000, 400_000)
    with pytest.raises(AssertionError, match=r"wrong: 0\.50000, not 0\.51000: off by -5\.7 standard errors"):
        compare(iter([Figure("wrong", 0.5, 0.51, 0.5)]), 100_000, 400_000)
