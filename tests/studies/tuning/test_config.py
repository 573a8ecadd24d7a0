"""What a tuning plans before it plays: games, names, points, opponents, and what is refused with which words."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from salad_sim import InputError
from salad_sim.cli.tune import _listed
from salad_sim.stats.intervals import mean
from salad_sim.stats.stratified import mean_of_means
from salad_sim.studies.tuning import evaluator as arena_module
from salad_sim.studies.tuning.config import plan_tuning
from salad_sim.studies.tuning.search import start_point, values_at
from support.commands import call
from support.places import ROOT
from support.processes import run_python
from support.toy_strategies import toy

# What is planned


def test_names_can_be_chosen_and_fixed(toys: Path) -> None:
    bowl = toy(toys, "bowl")
    assert plan_tuning(bowl, games=1e6).names == ("a", "b")
    assert plan_tuning(bowl, games=1e6, fix=["a"]).names == ("b",)
    assert plan_tuning(bowl, games=1e6, only=["unused", "a"]).names == ("a", "unused")
    task = plan_tuning(bowl.with_values(a=2), games=1e6, only=["b"])
    assert task.with_tuned([5.0]).settings == {"a": 2.0, "b": 5.0, "unused": 2}


@pytest.mark.parametrize("games", [4200, 50_000, 1_234_567, 10**11])
@pytest.mark.parametrize("players", [[2], [4], [2, 3, 6]])
def test_no_more_games_are_planned_than_allowed(toys: Path, games: int, players: list[int]) -> None:
    try:
        task = plan_tuning(toy(toys, "bowl"), ["greedy", "random"], games, players)
    except InputError as error:
        assert games < 50_000 and "too few" in str(error)
        return
    plan, row = task.schedule, task.deal_games
    search = plan.n_generations * (task.population + 1) * plan.search_deals * row
    validation = sum(n_deals * field * row for n_deals, field in zip(plan.validation_deals, (8, 4, 2), strict=True))
    total = search + validation + plan.test_pairs * task.pair_games + 2 * plan.report_deals * row
    assert 0.8 * games < total <= games
    assert min(plan.search_deals, *plan.validation_deals, plan.report_deals) >= 8 and plan.test_pairs >= 50


def test_points_are_mirrored_into_the_range_and_rounded(toys: Path) -> None:
    task = plan_tuning(toy(toys, "bowl"), games=1e6)
    assert values_at(task, [0.0, 1.0]) == (-4.0, 10.0)
    assert values_at(task, [-0.25, 1.25]) == values_at(task, [0.25, 0.75]) == (-2.0, 7.5)
    assert values_at(task, [2.25, -1.75]) == (-2.0, 2.5)
    assert values_at(task, [1 / 3, 1 / 3]) == (-1.3333, 3.333)
    assert values_at(task, start_point(task)) == (-1.0, 8.0)
    sized = plan_tuning(toy(toys, "sized"), games=1e6, only=["size"])
    assert values_at(sized, [0.3]) == (3.0,)


def test_the_mean_of_line_ups_has_the_interval_of_its_strata() -> None:
    one = np.array([3, 5, 10, 2])
    assert mean_of_means([one], [2]) == pytest.approx([each / 2 for each in mean(20, 138, 4, 4)])
    value, low, high = mean_of_means([np.array([0, 2]), np.array([10, 14])], [1, 2])
    # means 1 and 6, squares of the errors 1 and 1; Satterthwaite: 2 degrees of freedom, t = 4.3027
    assert value == 3.5 and (low, high) == pytest.approx((3.5 - 4.3027 * 0.5**0.5, 3.5 + 4.3027 * 0.5**0.5), rel=1e-4)


def test_opponents_take_turns_in_the_places(toys: Path) -> None:
    task = plan_tuning(toy(toys, "noisy"), ["greedy", "random"], 1e6, [2, 4])
    names = [[each.name for each in plan.lineup] for plan in task.tables]
    assert names[:2] == [["noisy", "greedy"], ["noisy", "random"]]
    assert names[2:] == [["noisy", "greedy", "random", "greedy"], ["noisy", "random", "greedy", "random"]]
    assert plan_tuning(toy(toys, "noisy"), games=1e6).opponents == (toy(toys, "noisy"),)


def test_commas_in_brackets_do_not_separate_opponents() -> None:
    assert _listed("opponents", ["greedy, casual(mistakes=1, x=2),random", "a"]) == [
        "greedy",
        "casual(mistakes=1, x=2)",
        "random",
        "a",
    ]


# What is refused


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("plain",), "'plain' has no parameters to tune"),
        (("bowl", "--only", "c"), "has no parameter 'c'; it has a, b, unused"),
        (("bowl", "--fix", "a,b"), "no parameter of 'bowl' is left to tune"),
        (("sized",), "whole numbers only if named by --only"),
        (("bowl", "--games", "500"), "500 games are too few to tune 2 parameters of 'bowl' so: at least 2,567"),
        (("bowl", "--games", "1e12"), "games must be a whole number from 1 to 1e11"),
        (("bowl", "--objective", "wins"), "unknown objective 'wins' (did you mean 'win-share'?)"),
        (("bowl", "--only", ""), "--only takes names with commas between them, not ''"),
        (("bowl", "--fix", "a,,b"), "--fix takes names with commas between them, not 'a,,b'"),
        (("bowl", "--opponents", "greedy", "--opponents", " "), "--opponents takes names with commas"),
        (("bowl", "--sigma", "0"), "sigma must be a number above 0 and up to 1, not '0'"),
        (("bowl", "--sigma", "nan"), "sigma must be"),
        (("bowl", "--population", "3"), "population must be a whole number from 4 to 1000"),
        (("bowl", "--sprt", "10"), "--sprt needs two Elo differences, as in 0,10, not '10'"),
        (("bowl", "--sprt", "10,0"), "the smaller first"),
        (("bowl", "--players", "7"), "players must be a whole number from 2 to 6"),
        (("bowl", "--opponents", "nobody"), "unknown strategy 'nobody'"),
        (("bowl", "--start", "x.txt"), "--start needs a parameter file"),
        (("bowl(a=1)", "--start", "x.toml"), "has values already"),
        (("bowl", "--workers", "0"), "workers must be"),
        (("bowl", "--seed", "-1"), "seed must be"),
        (("bowl", "--game", "chess"), "unknown game 'chess'"),
    ],
)
def test_bad_input_is_refused_in_one_line_before_a_game(toys: Path, words: tuple[str, ...], message: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arena_module, "play_outcomes", None)
        called = call("tune", f"{toys}:{words[0]}", *words[1:])
    assert called.exit_code == 2 and message in called.stderr and called.stderr.count("\n") == 1


def test_the_commands_of_the_manual_are_understood(tmp_path: Path) -> None:
    """All that is wrong with them is the small number of games that they are given here."""
    manual = (ROOT / "docs" / "tuning.md").read_text(encoding="utf-8")
    commands = [line for line in manual.splitlines() if line.startswith("salad-sim tune")]
    for each in commands:
        words = [*shlex.split(each)[1:], "--games", "9", "--out", str(tmp_path)]
        assert "9 games are too few" in call(*words).stderr
    assert commands


def test_the_fewest_games_that_a_message_names_are_enough(toys: Path) -> None:
    with pytest.raises(InputError, match="at least") as caught:
        plan_tuning(toy(toys, "noisy"), ["greedy"], 10, [2, 4])
    needed = int(str(caught.value).split("at least ")[1].split(" ")[0].replace(",", ""))
    assert plan_tuning(toy(toys, "noisy"), ["greedy"], needed, [2, 4]).schedule.n_generations >= 1
    with pytest.raises(InputError):
        plan_tuning(toy(toys, "noisy"), ["greedy"], needed - 1, [2, 4])


def test_without_the_optimiser_it_says_what_to_install(toys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cmaes", None)
    called = call("tune", f"{toys}:noisy")
    assert called.exit_code == 2 and "pip install" in called.stderr and called.stderr.count("\n") == 1


def test_help_loads_neither_the_optimiser_nor_the_compiler() -> None:
    code = """
        import sys
        from click.testing import CliRunner
        from salad_sim.cli import main
        assert CliRunner().invoke(main, ["tune", "--help"]).exit_code == 0
        print(sorted({"cmaes", "numba", "numpy"} & set(sys.modules)))
    """
    assert run_python(code).strip() == "[]"
