"""Numbers from elsewhere are judged: known figures, exact values by enumeration, and what is refused."""

from __future__ import annotations

import csv
import itertools
import json
import math

import numpy as np
import pytest

from salad_sim.cli.judge import plan as plan_command
from salad_sim.stats.elo import normalised_elo
from salad_sim.stats.exact_tests import binomial_p, games_to_tell, swapped_pairs_p
from salad_sim.studies.judge import judge_games, judge_pairs, plan_games
from support.commands import good, refused
from support.places import ROOT


def test_a_published_count() -> None:
    found = json.loads(good("judge", 97, 156, "--format", "json").stdout)
    assert [round(100 * found[name], 1) for name in ("share", "share_low", "share_high")] == [62.2, 54.4, 69.4]
    assert round(found["p"], 4) == 0.0029
    assert "62.2 % [54.4, 69.4]" in good("judge", 97, 156).stdout


def test_how_many_games_a_share_takes() -> None:
    assert "783 independent games" in good("plan", 0.55).stdout
    assert json.loads(good("plan", 0.55, "--format", "json").stdout)["games"] == 783


def test_the_first_seat_that_plan_takes_for_granted_is_that_of_the_report() -> None:
    with (ROOT / "reports" / "first-run" / "seats.csv").open(encoding="utf-8", newline="") as file:
        first = next(csv.DictReader(file))
    (option,) = (each for each in plan_command.params if each.name == "first_seat")
    assert first["strategy"] == "greedy" and option.default == f"{float(first['win_share']):.4f}"


def test_so_many_games_find_it_as_often_as_they_say() -> None:
    """By simulation: 20,000 tries of 80 % power have a standard error of 0.3 points; within five."""
    n_games = games_to_tell(0.55, 0.8, 0.05)
    won = np.random.default_rng(5).binomial(n_games, 0.55, 20_000)
    found = np.mean([abs(each - n_games / 2) > 1.96 * math.sqrt(n_games) / 2 for each in won])
    assert found == pytest.approx(0.8, abs=0.02)


def test_pairs_vary_as_the_seats_have_them() -> None:
    """Independent games of a pair: won with 0.55 on average, at one seat more often than at the other."""
    plan = plan_games(0.55, first_seat=0.5833)
    assert plan.asked.games == 783
    assert plan_games(0.55, first_seat=0.5).asked.paired_games == 784
    shift = 0.5833 - 0.5
    assert plan.asked.paired_games == pytest.approx(783 * (1 - shift**2 / (0.55 * 0.45)), abs=3)


@pytest.mark.parametrize("counts", [(1, 2, 1, 0, 3), (0, 0, 4, 0, 0), (0, 3, 0, 1, 0), (2, 0, 0, 0, 5)])
def test_pairs_among_equals_by_enumeration(counts: tuple[int, int, int, int, int]) -> None:
    steps = [2] * (counts[0] + counts[4]) + [1] * (counts[1] + counts[3])
    seen = abs(2 * (counts[4] - counts[0]) + counts[3] - counts[1])
    sums = [abs(sum(step * sign for step, sign in zip(steps, signs, strict=True)))
            for signs in itertools.product((-1, 1), repeat=len(steps))]  # fmt: skip
    assert swapped_pairs_p(counts) == pytest.approx(sum(each >= seen for each in sums) / len(sums))


def test_a_binomial_by_enumeration() -> None:
    chances = [math.comb(12, k) / 2**12 for k in range(13)]
    assert binomial_p(10, 12) == pytest.approx(sum(each for each in chances if each <= chances[10] * (1 + 1e-9)))


def test_half_a_game_never_makes_a_result_more_certain() -> None:
    assert judge_games(97.5, 156).p == judge_games(97, 156).p
    assert judge_games(58.5, 156).p == judge_games(59, 156).p
    assert judge_games("30", 100, 4).fair == 0.25 and judge_games(30, 100, 4).elo is None


def test_normalised_elo_is_elo_for_equals_without_ties() -> None:
    assert normalised_elo(0.51, 0.5) == pytest.approx(6.95, abs=0.01)
    found = judge_pairs("25,0,50,0,26")  # the two games of a pair independent of each other
    assert found.elo is not None
    assert found.normalised == pytest.approx(found.elo.value, rel=0.02)


def test_pairs_with_a_sequential_test() -> None:
    text = good("judge", "--pairs", "379,10170,21828,10640,343", "--sprt", "0,5").stdout
    assert "86,720 games in 43,360 pairs" in text and "accept H0" in text


@pytest.mark.parametrize("won", [0, 5])
def test_a_clean_sweep_has_one_bound(won: int) -> None:
    text = good("judge", won, 5).stdout
    assert ("above" if won else "below") in text and "inf" not in text
    assert "may be chance" in text  # p is 1/16


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["judge", 3, 2], "from 0 to 2"),
        (["judge", "nan", 2], "not 'nan'"),
        (["judge", 1.25, 2], "one half"),
        (["judge", 1], "PLAYED"),
        (["judge", 1, 2, "--pairs", "1,1,1,1,1"], "one of the two"),
        (["judge", 1, 2, "--sprt", "0,5"], "--pairs"),
        (["judge", "--pairs", "1,1,1"], "five numbers"),
        (["judge", "--pairs", "0,0,0,0,0"], "at least one"),
        (["plan"], "one of the two"),
        (["plan", 0.5], "not one half"),
        (["plan", 1], "between 0 and 1"),
        (["plan", 0.6, "--elo", 5], "one of the two"),
        (["plan", 0.6, "--power", "nan"], "power"),
    ],
)
def test_what_is_refused(words: list[object], says: str) -> None:
    assert says in refused(*words)
